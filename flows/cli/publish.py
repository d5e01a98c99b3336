"""`headgate publish CANDIDATE`."""

from __future__ import annotations

import shlex

from flows.terminal.options import CandidateId, Json, Verbose


def publish(candidate: CandidateId, json: Json = False, verbose: Verbose = False) -> None:
    """Publish an approved candidate: atomic, write-once, `latest` last."""
    from flows.terminal.output import print_json, results
    from headgate.core.errors import StoreUnavailable
    from tasks.ledger.history import VISIBLE, read_history
    from tasks.ledger.open_ledger import home_with_ledger, open_ledger
    from tasks.publication.publish_version import require_publishable
    from tasks.publication.targets import open_targets
    from tasks.runtime.prefect_server import prefect_api
    from tasks.runtime.quiet import quieten
    from tasks.stores.seal import find_candidate

    home = home_with_ledger()
    ledger = open_ledger(home)
    full_id = find_candidate(home.candidates, candidate)
    require_publishable(home, ledger, full_id)  # before a server is started
    quieten(home, verbose)
    was_out = read_history(ledger).find(full_id).state in VISIBLE
    stopped: KeyboardInterrupt | StoreUnavailable | None = None
    try:
        with prefect_api():
            from flows import publish as flow

            flow.publish(full_id)
    except (KeyboardInterrupt, StoreUnavailable) as stop:
        stopped = stop
    release = read_history(ledger).find(full_id)
    finished = release.state in VISIBLE and (isinstance(stopped, KeyboardInterrupt) or (release.settled and not was_out))
    if stopped is not None and not finished:
        raise stopped
    folder = open_targets(home).series(release.target).address(release.version)
    if json:
        print_json({"candidate": full_id, "state": str(release.state), "version": release.version, "folder": folder})
        return
    results().print(f"Published as version {release.version}: {folder}", soft_wrap=True)
    here = "" if "://" not in folder else "  # in a copy of it"
    results().print(f"  headgate verify {shlex.quote(folder)}{here}", soft_wrap=True)

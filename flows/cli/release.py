"""`headgate release POLICY`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.terminal.options import EngineName, Json, Key, PolicyFile, Scheduler, Verbose

if TYPE_CHECKING:
    from headgate.core.errors import HeadgateError
    from tasks.release.account import Account
    from tasks.runtime.home import Home


def release(
    policy: PolicyFile,
    source: Annotated[Path | None, typer.Option("--source", help="Read this file instead of the policy's source.")] = None,
    key: Key = None,
    if_changed: Annotated[
        bool, typer.Option("--if-changed", help="Do nothing if this source and policy already have an open or published candidate.")
    ] = False,
    engine: EngineName = None,
    scheduler: Scheduler = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Run a release up to a sealed candidate that awaits approval."""
    from flows.policy_files import resolve_policy
    from flows.terminal.output import console
    from flows.terminal.progress import step_progress
    from flows.terminal.shown_cells import show_cells
    from headgate.core.errors import HeadgateError
    from tasks.cluster.engine_choice import chosen_engine, working_with
    from tasks.reading.references import load_policy
    from tasks.release.beforehand import require_possible
    from tasks.release.listener import listening
    from tasks.release.release_id import new_release_id
    from tasks.runtime.home import Home
    from tasks.runtime.prefect_server import prefect_api
    from tasks.runtime.quiet import quieten

    choice = chosen_engine(engine, scheduler)
    home = Home.open()
    path = resolve_policy(policy)
    require_possible(home, load_policy(path), source, key)  # before a server is started
    console().print(f"home {home.root}", style="dim", soft_wrap=True)
    quieten(home, verbose)
    with prefect_api(meanwhile=_import_release):
        from flows import release as flow

        release_id = new_release_id()
        listener = None
        try:
            with step_progress(json) as listener, listening(listener), flow.reading(source), working_with(choice):
                ended = flow.release(str(path), None if key is None else str(key), if_changed, release_id)
        except HeadgateError as problem:
            if listener is not None and listener.refused is not None and not json:
                show_cells(listener.refused)
            if listener is not None and listener.account is not None:
                _show_refusal(listener.account, problem)
            raise
    if ended == flow.NOTHING_NEW:
        _show_nothing_new(home, release_id, json)
    elif listener.account is not None:
        _show_candidate(home, listener.account, json)


def _import_release() -> None:
    """The flow, and in the background what its steps will need."""
    from flows.release import import_in_background

    import_in_background()


def _show_candidate(home: Home, account: Account, as_json: bool) -> None:
    from flows.terminal.output import print_json
    from flows.views.manifest_view import show_folder, show_manifest, show_unused, show_what_is_needed
    from flows.views.shapes import release_document
    from tasks.stores.files import read_file
    from tasks.stores.seal import MANIFEST, read_manifest

    if as_json:
        print_json(release_document(account))
        return
    folder = home.candidates / account.candidate
    manifest = read_manifest(read_file(folder, MANIFEST).content)
    show_manifest(manifest, account.candidate, account.state, account.versions)
    show_unused(account.unused)
    show_folder(folder)
    show_what_is_needed(manifest, account.candidate)


def _show_refusal(account: Account, problem: HeadgateError) -> None:
    """The gates as far as they were measured; the message itself follows, as for every error."""
    from flows.terminal.fitted_table import print_table
    from flows.terminal.output import console, plain, tell
    from flows.views.manifest_view import gates_table
    from flows.views.series_view import show_series
    from flows.views.shapes import release_document
    from policies.gates.figures import worst_attack
    from policies.gates.series import SERIES

    problem.document = release_document(account)
    failed = [verdict for verdict in account.verdicts if not verdict.passed]
    if failed:
        out = console()
        print_table(out, gates_table(failed))
        for remedy in dict.fromkeys(verdict.remedy for verdict in failed):
            if remedy not in problem.cure:  # which follows
                tell(out, f"  {remedy}")
    if worst := worst_attack(account.attack_gains):
        tell(console(), plain(worst))
    if account.series is not None and any(verdict.gate == SERIES for verdict in failed):
        show_series(console(), account.series, account.verdicts, account.versions)
    if account.folder is not None:
        console().print(f"report {account.folder}/report.html", soft_wrap=True)


def _show_nothing_new(home: Home, release_id: str, as_json: bool) -> None:
    from flows.terminal.output import print_json, results
    from flows.views.shown_figures import in_words
    from policies.ledger.events import NothingNew
    from tasks.ledger.history import read_history
    from tasks.ledger.open_ledger import open_ledger

    history = read_history(open_ledger(home))
    candidate = next(event.candidate for event in history.events(release_id) if isinstance(event, NothingNew))
    state = str(history.find(candidate).state)
    if as_json:
        print_json(
            {"candidate": candidate, "dataset": history.release(release_id).dataset, "state": "nothing_new", "candidate_state": state}
        )
        return
    results().print(f"Nothing new: this source and policy already have candidate {candidate[:12]} ({in_words(state)}).", soft_wrap=True)

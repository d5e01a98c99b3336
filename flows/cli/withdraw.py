"""`headgate withdraw RELEASE`."""

from __future__ import annotations

from flows.terminal.options import Json, Key, ReasonHere, ReleaseId, SignatureFile


def withdraw(release: ReleaseId, reason: ReasonHere = None, key: Key = None, signature: SignatureFile = None, json: Json = False) -> None:
    """Withdraw a published release; `latest` goes back to the version before it."""
    from flows.cli.sign_decision import require_reason, signed_elsewhere
    from flows.terminal.output import print_json, results
    from tasks.ledger.open_ledger import open_ledger
    from tasks.publication import withdraw as publication
    from tasks.runtime.home import Home
    from tasks.signing.home_keys import runner_key

    require_reason(reason, signature)
    home = Home.open()
    ledger = open_ledger(home)
    if signature is None:
        done = publication.withdraw(home, ledger, release, runner_key(home.keys, key), reason or "")
    else:
        done = publication.withdraw(home, ledger, release, *signed_elsewhere(home, ledger, release, signature, reason))
    if json:
        print_json({"candidate": done.release.candidate, "state": str(done.release.state), "latest": done.latest})
        return
    latest = "no version is left for `latest`" if done.latest is None else f"`latest` is version {done.latest:,}"
    results().print(f"Withdrawn: {done.release.candidate[:12]}; {latest}.", soft_wrap=True)

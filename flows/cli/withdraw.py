"""`headgate withdraw RELEASE`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flows.terminal.options import Json, Key, ReasonHere, ReleaseId, SignatureFile

if TYPE_CHECKING:
    from tasks.approval.decisions import Signing


def withdraw(release: ReleaseId, reason: ReasonHere = None, key: Key = None, signature: SignatureFile = None, json: Json = False) -> None:
    """Withdraw a published release; `latest` goes back to the version before it."""
    from flows.cli.sign_decision import require_reason, signed_elsewhere
    from flows.terminal.output import print_json, results
    from tasks.ledger.history import read_history
    from tasks.ledger.open_ledger import open_ledger
    from tasks.publication import withdraw as publication
    from tasks.runtime.home import Home
    from tasks.signing.keys import given_key

    require_reason(reason, signature)
    home = Home.open()
    ledger = open_ledger(home)
    signed: tuple[Signing, str] = (
        (given_key(key), reason or "") if signature is None else signed_elsewhere(home, ledger, release, signature, reason)
    )
    try:
        done = publication.withdraw(home, ledger, release, *signed)
    except KeyboardInterrupt:
        if read_history(ledger).find(release).state != "withdrawn":
            raise
        done = publication.withdraw(home, ledger, release, *signed)  # it is a fact: what is left is finished, and told
    if json:
        print_json({"candidate": done.release.candidate, "state": str(done.release.state), "latest": done.latest})
        return
    latest = "no version is left for `latest`" if done.latest is None else f"`latest` is version {done.latest:,}"
    results().print(f"Withdrawn: {done.release.candidate[:12]}; {latest}.", soft_wrap=True)

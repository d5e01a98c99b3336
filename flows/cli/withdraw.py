"""`headgate withdraw RELEASE`."""

from __future__ import annotations

from flows.terminal.options import Json, Key, ReasonHere, ReleaseId, SignatureFile


def withdraw(release: ReleaseId, reason: ReasonHere = None, key: Key = None, signature: SignatureFile = None, json: Json = False) -> None:
    """Withdraw a published release; `latest` goes back to the version before it."""
    from flows.cli.sign_decision import require_given, signing_of
    from flows.terminal.output import print_json, results
    from tasks.ledger.history import read_history
    from tasks.ledger.open_ledger import home_with_ledger, open_ledger
    from tasks.publication import withdraw as publication

    require_given(key, signature, reason)
    home = home_with_ledger()
    ledger = open_ledger(home)
    signed = signing_of(home, ledger, release, key, signature, reason)
    try:
        done = publication.withdraw(home, ledger, release, *signed)
    except KeyboardInterrupt:
        if read_history(ledger).find(release).state != "withdrawn":
            raise
        done = publication.withdraw(home, ledger, release, *signed)  # it is a fact: what is left is finished, and told
    if json:
        print_json({"candidate": done.release.candidate, "state": str(done.release.state), "latest": done.latest})
        return
    if done.release.version is None:
        latest = "it was never published"
    else:
        latest = "no version is left for `latest`" if done.latest is None else f"`latest` is version {done.latest:,}"
    candidate = done.release.candidate[:12]
    results().print(
        f"{candidate} was withdrawn {done.by}; {latest}." if done.already else f"Withdrawn: {candidate}; {latest}.", soft_wrap=True
    )

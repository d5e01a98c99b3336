"""What `approve`, `request-changes`, `reject` and `withdraw` have in common: a signed decision with a reason, signed here or handed in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tasks.approval.decisions import Decided, Signing
    from tasks.ledger.event_log import Ledger
    from tasks.runtime.home import Home

Decision = Literal["approve", "request-changes", "reject"]
DONE: dict[Decision, str] = {"approve": "approved", "request-changes": "requested changes of", "reject": "rejected"}


def sign_decision(candidate: str, decision: Decision, key: Path | None, signature: Path | None, reason: str | None, as_json: bool) -> None:
    from flows.terminal.output import print_json
    from headgate.core.errors import InputRejected
    from tasks.approval.decisions import approve, reject, request_changes
    from tasks.ledger.open_ledger import open_ledger
    from tasks.runtime.home import Home
    from tasks.signing.keys import load_key

    if key is None and signature is None:
        raise InputRejected(
            "No key was given.", "Give your SSH private key with --key, or set HEADGATE_KEY; or give --signature for one made elsewhere."
        )
    require_reason(reason, signature)
    home = Home.open()
    ledger = open_ledger(home)
    if signature is not None:
        signing, said = signed_elsewhere(home, ledger, candidate, signature, reason)
    elif key is not None:
        signing, said = load_key(key), reason or ""
    decided = {"approve": approve, "request-changes": request_changes, "reject": reject}[decision](home, ledger, candidate, signing, said)
    if not as_json:
        _show(decided, decision)
        return
    print_json(
        {
            "candidate": decided.release.candidate,
            "state": str(decided.release.state),
            "principal": decided.principal,
            "approvals": decided.approvals,
            "required": decided.required,
        }
    )


def signed_elsewhere(home: Home, ledger: Ledger, name: str, signature: Path, reason: str | None) -> tuple[Signing, str]:
    """The signature, and the reason it holds; one that is given as well must be the same."""
    from tasks.approval.handed_in import handed_in
    from tasks.ledger.history import read_history

    given = handed_in(home, read_history(ledger).find(name).candidate, signature)
    return given, given.reason.text if reason is None else reason


def require_reason(reason: str | None, signature: Path | None = None) -> None:
    from headgate.core.errors import InputRejected

    if reason is None and signature is not None:
        return
    if not (reason or "").strip():
        raise InputRejected("The reason is empty.", "Say why with --reason, in at most 2000 characters; it is kept in the home.")


def _show(decided: Decided, decision: Decision) -> None:
    from flows.terminal.output import results
    from flows.terminal.shown_figures import in_words
    from policies.words.quorum import in_words as words

    out, candidate = results(), decided.release.candidate[:12]
    out.print(f"{decided.principal}: {DONE[decision]} {candidate}.", soft_wrap=True)
    out.print(f"{decided.approvals} of {decided.required} approvals; {in_words(decided.release.state)}.", soft_wrap=True)
    missing = decided.release.missing()
    if decided.release.state == "awaiting_approval" and not decided.release.hides_votes:
        out.print(f"Still needed: {words(missing)}.", soft_wrap=True)
    elif decided.release.state == "awaiting_approval" and not missing[""]:
        out.print("A required role is still open.")
    if decided.release.state == "approved":
        out.print(f"  headgate publish {candidate}", soft_wrap=True)

"""What `approve`, `request-changes` and `reject` have in common: a signed decision with a reason, signed here or handed in."""

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
    from tasks.approval.decisions import approve, reject, request_changes
    from tasks.ledger.open_ledger import home_with_ledger, open_ledger

    require_given(key, signature, reason)
    home = home_with_ledger()
    ledger = open_ledger(home)
    signing, said = signing_of(home, ledger, candidate, key, signature, reason)
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


def require_given(key: Path | None, signature: Path | None, reason: str | None) -> None:
    """Before anything is opened: who signs, and why. What was signed elsewhere holds its reason."""
    from headgate.core.errors import InputRejected

    if key is None and signature is None:
        raise InputRejected(
            "No key was given.", "Give your SSH private key with --key, or set HEADGATE_KEY; or give --signature for one made elsewhere."
        )
    if signature is None or reason is not None:
        require_reason(reason)


def require_reason(reason: str | None) -> None:
    from headgate.core.errors import InputRejected
    from policies.ledger.events import LONGEST_REASON

    said = (reason or "").strip()
    if not 0 < len(said) <= LONGEST_REASON:
        cure = f"Say why with --reason, in at most {LONGEST_REASON} characters; it is kept in the home."
        raise InputRejected("The reason is too long." if said else "The reason is empty.", cure)


def signing_of(home: Home, ledger: Ledger, name: str, key: Path | None, signature: Path | None, reason: str | None) -> tuple[Signing, str]:
    """The key, or the signature made elsewhere with the reason it holds; a reason that is given as well must be the same."""
    from tasks.approval.handed_in import handed_in
    from tasks.ledger.history import read_history
    from tasks.signing.given_key import given_key

    if signature is None:
        return given_key(key), reason or ""
    given = handed_in(home, read_history(ledger).find(name).decided, signature)
    return given, given.reason.text if reason is None else reason


def _show(decided: Decided, decision: Decision) -> None:
    from flows.terminal.output import results
    from flows.views.shown_figures import in_words
    from policies.words.quorum import in_words as words

    out, candidate = results(), decided.release.candidate[:12]
    out.print(f"{decided.principal}: {DONE[decision]} {candidate}.", soft_wrap=True)
    out.print(f"{decided.approvals} of {decided.required} approvals; {in_words(decided.release.state)}.", soft_wrap=True)
    missing = decided.release.missing()
    if decided.release.state == "awaiting_approval" and not decided.release.hides_votes:
        out.print(f"Still needed: {words(missing)}.", soft_wrap=True)
    elif decided.release.state == "awaiting_approval" and decided.approvals >= decided.required:
        out.print("A required role is still open.")
    if decided.release.state == "approved":
        out.print(f"  headgate publish {candidate}", soft_wrap=True)

"""What `approve` and `reject` have in common: a signed decision on a candidate, with a reason."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tasks.approval.decisions import Decided


def sign_decision(candidate: str, approves: bool, key: Path | None, reason: str, as_json: bool) -> None:
    from flows.terminal.output import print_json
    from headgate.core.errors import InputRejected
    from tasks.approval.decisions import approve, reject
    from tasks.ledger.open_ledger import open_ledger
    from tasks.runtime.home import Home
    from tasks.signing.keys import load_key

    if key is None:
        raise InputRejected("No key was given.", "Give your SSH private key with --key, or set HEADGATE_KEY.")
    require_reason(reason)
    home = Home.open()
    decided = (approve if approves else reject)(home, open_ledger(home), candidate, load_key(key), reason)
    if not as_json:
        _show(decided, approves)
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


def _show(decided: Decided, approves: bool) -> None:
    from flows.terminal.output import results
    from flows.terminal.shown_figures import in_words

    out, candidate = results(), decided.release.candidate[:12]
    out.print(f"{decided.principal}: {'approved' if approves else 'rejected'} {candidate}.", soft_wrap=True)
    out.print(f"{decided.approvals} of {decided.required} approvals; {in_words(decided.release.state)}.", soft_wrap=True)
    if decided.release.state == "approved":
        out.print(f"  headgate publish {candidate}", soft_wrap=True)


def require_reason(reason: str) -> None:
    from headgate.core.errors import InputRejected

    if not reason.strip():
        raise InputRejected("The reason is empty.", "Say why with --reason, in at most 2000 characters; it is kept in the home.")

"""`headgate statement RELEASE`."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from flows.terminal.options import Reason, ReleaseId

if TYPE_CHECKING:
    from tasks.approval.issued_statements import Issued


def statement(
    release: ReleaseId,
    reason: Reason,
    principal: Annotated[str, typer.Option("--as", help="Who will sign: a name on the list of signers.")],
    action: Annotated[
        str, typer.Option("--action", help="approve, request-changes, reject, withdraw, resume, abandon or purge.")
    ] = "approve",
) -> None:
    """Write the bytes that somebody signs who keeps their key elsewhere to stdout, and what they say to stderr."""
    from headgate.core.errors import StoreUnavailable
    from tasks.approval.issued_statements import issue_statement
    from tasks.ledger.open_ledger import home_to_look_at

    there = home_to_look_at()
    if there.unrecorded:
        raise StoreUnavailable(
            f"A statement is kept in the home until its signature is handed in, and {there.unrecorded}.",
            "Run this command where the home itself lies, with the account that owns it.",
        )
    issued = issue_statement(there.home, there.ledger, release, action, principal, reason)
    _show(issued)
    sys.stdout.buffer.write(issued.to_sign)


def _show(issued: Issued) -> None:
    from flows.terminal.output import console, plain, tell
    from tasks.approval.statements import LONGEST_UNSIGNED

    err, said = console(), issued.said
    for name, text in {
        "who": said.principal,
        "does": said.action,
        "dataset": said.dataset if issued.title in ("", said.dataset) else f"{said.dataset} ({issued.title})",
        "candidate": said.candidate or "none yet",
        "release": said.release,
        "policy": said.policy_digest,
        "reason": issued.reason.text,
        "salt": issued.reason.salt,
        "digest": f"{said.reason_sha256} (SHA-256 of salt, line feed and reason: this digest is what is signed)",
        "issued": said.at,
    }.items():
        tell(err, plain(f"{name:10}{text}"))
    tell(err, f"Save what stands on stdout as FILE and sign it within {LONGEST_UNSIGNED.days} days:")
    err.print("  ssh-keygen -Y sign -f KEY -n headgate FILE", soft_wrap=True)
    err.print(f"  headgate {said.action} {shlex.quote(said.candidate[:12] or said.release)} --signature FILE.sig", soft_wrap=True)

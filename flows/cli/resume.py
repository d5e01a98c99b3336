"""`headgate resume RELEASE`."""

from __future__ import annotations

from flows.terminal.options import Json, Key, ReasonHere, ReleaseId, SignatureFile


def resume(release: ReleaseId, reason: ReasonHere = None, key: Key = None, signature: SignatureFile = None, json: Json = False) -> None:
    """Let a publication that stalled go on (operator)."""
    from flows.cli.sign_operation import sign_operation
    from tasks.approval.operating import resume as unstick

    sign_operation(unstick, release, key, signature, reason, json)

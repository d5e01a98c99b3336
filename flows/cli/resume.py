"""`headgate resume RELEASE`."""

from __future__ import annotations

from flows.terminal.options import Json, Key, Reason, ReleaseId


def resume(release: ReleaseId, reason: Reason, key: Key = None, json: Json = False) -> None:
    """Let a publication that stalled go on (operator)."""
    from flows.cli.sign_operation import sign_operation
    from tasks.approval.operating import resume as unstick

    sign_operation(unstick, release, key, reason, json)

"""`headgate abandon RELEASE`."""

from __future__ import annotations

from flows.terminal.options import Json, Key, ReasonHere, ReleaseId, SignatureFile


def abandon(release: ReleaseId, reason: ReasonHere = None, key: Key = None, signature: SignatureFile = None, json: Json = False) -> None:
    """Give up a run or a publication whose process is gone (operator)."""
    from flows.cli.sign_operation import sign_operation
    from tasks.approval.operating import abandon as give_up

    sign_operation(give_up, release, key, signature, reason, json)

"""`headgate request-changes CANDIDATE`."""

from __future__ import annotations

from flows.terminal.options import CandidateId, Json, Key, ReasonHere, SignatureFile


def request_changes(
    candidate: CandidateId, reason: ReasonHere = None, key: Key = None, signature: SignatureFile = None, json: Json = False
) -> None:
    """Sign what must change before the dataset may be published; the next candidate answers it."""
    from flows.cli.sign_decision import sign_decision

    sign_decision(candidate, "request-changes", key, signature, reason, json)

"""`headgate approve CANDIDATE`."""

from __future__ import annotations

from flows.terminal.options import CandidateId, Json, Key, ReasonHere, SignatureFile


def approve(
    candidate: CandidateId, reason: ReasonHere = None, key: Key = None, signature: SignatureFile = None, json: Json = False
) -> None:
    """Sign that a candidate may be published."""
    from flows.cli.sign_decision import sign_decision

    sign_decision(candidate, "approve", key, signature, reason, json)

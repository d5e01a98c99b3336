"""`headgate reject CANDIDATE`."""

from __future__ import annotations

from flows.terminal.options import CandidateId, Json, Key, ReasonHere, SignatureFile


def reject(candidate: CandidateId, reason: ReasonHere = None, key: Key = None, signature: SignatureFile = None, json: Json = False) -> None:
    """Sign that a candidate must not be published."""
    from flows.cli.sign_decision import sign_decision

    sign_decision(candidate, "reject", key, signature, reason, json)

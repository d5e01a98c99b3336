"""What people can be told of, by the words that operator.yaml uses."""

from __future__ import annotations

from enum import StrEnum


class NoticeKind(StrEnum):
    CANDIDATE_WAITS = "candidate-waits"
    CHANGES_REQUESTED = "changes-requested"
    DEADLINE_NEAR = "deadline-near"
    EXPIRED = "expired"
    REJECTED = "rejected"
    REFUSED = "refused"
    FAILED = "failed"  # a run, or a publication that stalled
    PUBLISHED = "published"
    WITHDRAWN = "withdrawn"
    INTEGRITY_BROKEN = "integrity-broken"

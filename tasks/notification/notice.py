"""What is told of one event: names of releases, states and figures that the ledger holds; nothing of what people wrote, and no value."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta

from policies.ledger.events import (
    CandidateExpired,
    CandidateRejected,
    CandidateSealed,
    ChangesRequested,
    Event,
    PublicationStalled,
    ReleasePublished,
    ReleaseRefused,
    ReleaseWithdrawn,
    RunFailed,
    moment,
)
from policies.ledger.standing import Release
from policies.words.frozen import Frozen
from policies.words.notice_kind import NoticeKind
from tasks.ledger.chain import Entry

KINDS: dict[str, NoticeKind] = {
    kind: told
    for event, told in (
        (CandidateSealed, NoticeKind.CANDIDATE_WAITS),
        (ChangesRequested, NoticeKind.CHANGES_REQUESTED),
        (CandidateExpired, NoticeKind.EXPIRED),
        (CandidateRejected, NoticeKind.REJECTED),
        (ReleaseRefused, NoticeKind.REFUSED),
        (RunFailed, NoticeKind.FAILED),
        (PublicationStalled, NoticeKind.FAILED),
        (ReleasePublished, NoticeKind.PUBLISHED),
        (ReleaseWithdrawn, NoticeKind.WITHDRAWN),
    )
    for kind in (event.model_fields["event"].default,)
}
NEAR = timedelta(days=3)
NEAR_SHARE = 4  # of a short deadline, its last quarter is near


class Notice(Frozen):
    """`id` follows from the event, so that nobody makes two of one. `more`: how many others this one stands for as well."""

    id: str
    kind: NoticeKind
    at: str
    dataset: str = ""
    release: str = ""
    candidate: str = ""
    state: str = ""
    needed: int = 0
    deadline: str = ""
    version: int = 0
    step: str = ""
    error: str = ""
    gates: tuple[str, ...] = ()
    more: int = 0


def notice_id(*parts: str) -> str:
    return hashlib.sha256("\n".join(("headgate notice 1", *parts)).encode()).hexdigest()[:32]


def notice_of(entry: Entry, event: Event, release: Release) -> Notice | None:
    """`release`: as it was after this event."""
    kind = KINDS.get(entry.type)
    if kind is None:
        return None
    notice = Notice(
        id=notice_id(entry.hash, kind),
        kind=kind,
        at=entry.at,
        dataset=release.dataset,
        release=release.release_id,
        candidate=release.candidate,
        state=release.state,
        version=release.version or 0,
    )
    match event:
        case CandidateSealed():
            return notice.model_copy(update={"needed": event.required, "deadline": event.deadline or ""})
        case ReleaseRefused():
            return notice.model_copy(update={"gates": tuple(sorted(_gate_names().intersection(event.failed)))})
        case RunFailed():
            return notice.model_copy(update={"step": event.step, "error": event.error})
        case _:
            return notice


def _gate_names() -> frozenset[str]:
    """Imported by those who need it only: it brings the science with it."""
    from policies.gates.every_gate import GATES

    return frozenset(gate.name for gate in GATES)


def is_near(sealed: CandidateSealed, now: datetime) -> bool:
    """Whether its deadline is near and has not passed."""
    if sealed.deadline is None:
        return False
    deadline = moment(sealed.deadline)
    near = min(NEAR, (deadline - moment(sealed.at)) / NEAR_SHARE)
    return deadline - near <= now <= deadline


def near_notice(entry: Entry, release: Release) -> Notice:
    """`entry` sealed the candidate. Told once, whatever the clock does."""
    kind = NoticeKind.DEADLINE_NEAR
    return Notice(
        id=notice_id(entry.hash, kind),
        kind=kind,
        at=release.deadline or entry.at,
        dataset=release.dataset,
        release=release.release_id,
        candidate=release.candidate,
        state=release.state,
        needed=sum(release.missing().values()),
        deadline=release.deadline or "",
    )

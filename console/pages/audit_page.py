"""The audit trail: every event by dataset, release, person, kind and time; one of them whole; and what auditors take along."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Path, Query, Request
from starlette.responses import Response, StreamingResponse

from console.pages.chain_page import check_before
from console.pages.frame import Console, Here, NotFound, SignedIn, page
from headgate.core.errors import InputRejected, Refusal, TransitionRefused
from policies.ledger.events import EVENT_TYPES
from policies.ledger.events_of_home import HOME, EventsExported
from policies.ledger.standing import Release
from tasks.approval.readers import record_downloaded, record_viewed
from tasks.ledger.chain import entries_to_lines
from tasks.ledger.record_of_home import record_of_home
from tasks.ledger.wanted_events import Wanted
from tasks.verification.audit_trail import shown_events
from tasks.verification.evidence_apart import evidence_apart

AT_ONCE = 50
Word = Annotated[str, Query(max_length=130)]
Day = Annotated[str, Query(pattern=r"^(\d{4}-\d\d-\d\d)?$")]
router = APIRouter()


@dataclass(frozen=True)
class Filters:
    """As they stand in the address. What is empty is not asked."""

    dataset: Word = ""
    release: Word = ""
    who: Word = ""
    kind: Word = ""
    since: Day = ""
    until: Day = ""

    @property
    def asked(self) -> dict[str, str]:
        return {name: value for name, value in asdict(self).items() if value}

    def wanted(self, console: Console) -> Wanted:
        release = _release_named(console, self.release)
        return Wanted(self.dataset, release, self.who, self.kind, _begin(self.since), _begin(self.until, timedelta(days=1)))


@router.get("/audit")
def trail(
    request: Request,
    console: Here,
    person: SignedIn,
    filters: Annotated[Filters, Depends()],
    before: Annotated[int | None, Query(ge=1, le=2**62)] = None,
    view: Annotated[str, Query(pattern="^(table|timeline)$")] = "table",
) -> Response:
    asked = filters.asked
    found = console.trail.page(filters.wanted(console), before, AT_ONCE)
    return page(
        request,
        "audit.html.j2",
        found=found,
        chosen=filters,
        filtered=bool(asked),
        view=view,
        before=before,
        kinds=EVENT_TYPES,
        datasets=sorted({each.dataset for each in console.history().releases()}),
        check=console.check,
        before_check=check_before(console),
        older="?" + urlencode({**asked, "view": view, "before": found.older}) if found.older else "",
        newest="?" + urlencode({**asked, "view": view}),
        other="?" + urlencode({**asked, "view": "timeline" if view == "table" else "table"}),
        exported="?" + urlencode(asked) if asked else "",
    )


@router.get("/audit/events/{seq}")
def event(request: Request, console: Here, person: SignedIn, seq: Annotated[int, Path(ge=1, le=2**62)]) -> Response:
    """Looking at what somebody may still decide on is an event."""
    try:
        one = console.trail.event(seq)
    except InputRejected:
        raise NotFound from None
    now = console.accounts.store.clock()
    if one.release and one.release.candidate and console.looks.is_new(person.principal, one.release.candidate, now):
        record_viewed(console.ledger, one.release, person.principal)
        console.looks.note(person.principal, one.release.candidate, now)
    return page(request, "event.html.j2", one=one, entry=asdict(one.line.entry))


@router.get("/audit/export")
def export(console: Here, person: SignedIn, filters: Annotated[Filters, Depends()]) -> Response:
    """The events as lines of JSON, oldest first, as `headgate audit export` writes them. Votes that are hidden are left blank. That
    somebody takes them along is an event; that they do again within the hour is not."""
    console.allowance.take(person.principal, "export")
    wanted, now = filters.wanted(console), console.accounts.store.clock()
    taken = f"events {urlencode(filters.asked)}"
    if console.looks.is_new(person.principal, taken, now):
        last, reader, filtered = console.ledger.last(), person.principal, bool(filters.asked)
        up_to = 0 if last is None else last.seq
        record_of_home(console.ledger, lambda at: EventsExported(at=at, reader=reader, up_to=up_to, filtered=filtered), reader)
        console.looks.note(person.principal, taken, now)
    lines: Iterator[str] = (entries_to_lines([entry]) for entry in shown_events(console.trail, wanted))
    return StreamingResponse(lines, media_type="application/jsonl", headers={"Content-Disposition": 'attachment; filename="ledger.jsonl"'})


@router.get("/audit/evidence/{release}")
def evidence(console: Here, person: SignedIn, release: Annotated[str, Path(pattern="^[A-Za-z0-9_-]{1,64}$")]) -> Response:
    """All that proves one release, in an archive. That somebody took it along is an event."""
    try:
        known = console.history().find(release)
    except InputRejected:
        raise NotFound from None
    if known.hides_votes:
        raise TransitionRefused([Refusal("blind", "nobody is shown the votes before it is decided")], "Take it once it is decided.")
    console.allowance.take(person.principal, "export")
    content, name = evidence_apart(console.home, known.release_id), f"evidence-{known.release_id}.tar.gz"
    record_downloaded(console.ledger, known, person.principal, content)
    return Response(content, media_type="application/gzip", headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _release_named(console: Console, name: str) -> str:
    """A release's own id, whatever beginning of it or of its candidate's was given; what nobody knows finds nothing."""
    if name in ("", HOME):
        return name
    try:
        known: Release = console.history().find(name)
    except InputRejected:
        return name
    return known.release_id


def _begin(day: str, later: timedelta = timedelta()) -> str:
    """Of a day, in UTC; what is not a day is not asked."""
    try:
        return (datetime.combine(date.fromisoformat(day), time(), UTC) + later).isoformat() if day else ""
    except (ValueError, OverflowError):
        return ""

from __future__ import annotations

import pytest

from headgate.core.errors import IntegrityBroken
from policies.ledger.events import EVENT_TYPES, RunTracked, read_event
from policies.ledger.events_of_home import HOME, AccessClosed, AccessReset, EventsExported, LedgerChecked, PersonInvited, PersonJoined
from policies.ledger.fold import apply, begin
from tests.unit.policies.ledger.test_fold import WHOLE

AT = "2026-03-01T00:00:00+00:00"
EVENTS = (
    PersonInvited(at=AT, person="ann", invited_by="operator"),
    PersonJoined(at=AT, person="ann", invited_by="operator"),
    AccessReset(at=AT, person="ann", invited_by="operator", passkeys=("SHA256:x",)),
    AccessClosed(at=AT, person="ann", closed_by="operator"),
    EventsExported(at=AT, reader="ann", up_to=7, filtered=True),
    LedgerChecked(at=AT, checked_by="ann", up_to=7, head="a" * 64, releases=1, versions=0, faults=0),
)


def test_they_are_read_back_as_they_were_written_and_looked_up_by_person() -> None:
    assert [read_event(event.model_dump_json()) for event in EVENTS] == list(EVENTS)
    assert [event.subject for event in EVENTS] == ["ann"] * 4 + ["", ""]
    assert {event.event for event in EVENTS} <= set(EVENT_TYPES)


def test_none_is_of_a_release_and_no_event_of_a_release_is_one_of_them() -> None:
    release = begin(WHOLE[0])
    for event in EVENTS:
        with pytest.raises(IntegrityBroken):
            read_event(event.model_dump_json().replace('"home"', '"r1"'))
        with pytest.raises(IntegrityBroken):
            apply(release, event)
        with pytest.raises(IntegrityBroken):
            begin(event)
    with pytest.raises(IntegrityBroken):
        read_event(RunTracked(release_id=HOME, at=AT, mlflow_run_id="m").model_dump_json())

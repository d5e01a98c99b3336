from __future__ import annotations

import json

import pytest

from headgate.core.errors import IntegrityBroken
from policies.ledger.events import read_event
from tests.unit.policies.ledger.test_fold import TRACKED, WHOLE


def test_events_are_read_back_as_they_were_written() -> None:
    for event in WHOLE:
        assert read_event(event.model_dump_json()) == event


@pytest.mark.parametrize(
    "payload", ["", "{}", "[]", '{"event": "unheard"}', '{"event": "tracked", "release_id": "r1", "mlflow_run_id": "m"}']
)
def test_an_event_that_does_not_read_as_its_type_is_no_event(payload: str) -> None:
    with pytest.raises(IntegrityBroken):
        read_event(payload)
    more = {**TRACKED.model_dump(mode="json"), "note": "added later"}
    with pytest.raises(IntegrityBroken):
        read_event(json.dumps(more))

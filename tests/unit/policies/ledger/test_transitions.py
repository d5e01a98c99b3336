from __future__ import annotations

from itertools import product
from typing import get_args

from policies.approval.guards import GUARDS
from policies.ledger.events import EventBase
from policies.ledger.states import CANDIDATE_STATES, Action, ApprovalCount, Guard, State
from policies.ledger.transitions import READING, READING_EVENTS, TRANSITIONS, state_diagram, transitions_from
from tests.unit.policies.approval.acting import ALLOWED


def test_every_guard_is_a_function_and_the_diagram_shows_every_transition() -> None:
    assert set(GUARDS) == set(Guard)
    diagram = state_diagram()
    assert diagram.startswith("stateDiagram-v2\n    [*] --> running\n")
    for (state, action), (role, target) in ALLOWED.items():
        assert action in READING or f"    {state} --> {target}: {action}" in diagram, (state, action, role)
    assert "awaiting_approval --> approved: approve (enough) by approver" in diagram
    assert "view" not in diagram


def test_from_each_state_an_action_leads_to_one_state_unless_the_count_decides() -> None:
    for state, action in product(State, Action):
        rows = transitions_from(state, action)
        assert len({(row.role, row.guards, row.event) for row in rows}) <= 1
        assert len({row.target for row in rows}) == len(rows)
        if len(rows) > 1:
            assert {row.count for row in rows} == {ApprovalCount.MORE_NEEDED, ApprovalCount.ENOUGH}


def test_every_transition_writes_an_event_that_the_ledger_can_hold() -> None:
    words = {get_args(event.model_fields["event"].annotation)[0] for event in subclasses(EventBase) if "event" in event.model_fields}
    assert {row.event for row in TRANSITIONS} <= words


def subclasses(of: type[EventBase]) -> list[type[EventBase]]:
    return [below for child in of.__subclasses__() for below in (child, *subclasses(child))]


def test_every_state_is_reached_and_looking_at_a_candidate_leaves_it_where_it_is() -> None:
    assert {row.target for row in TRANSITIONS} | {State.RUNNING} == set(State)
    assert all(row.source is row.target for row in TRANSITIONS if row.action in READING)
    for action in READING:
        assert {row.source for row in TRANSITIONS if row.action is action} == set(CANDIDATE_STATES)
    assert {"viewed", "downloaded", "commented"} == READING_EVENTS

from __future__ import annotations

from policies.approval.guards import GUARDS
from policies.ledger.states import Action, Guard
from policies.ledger.transitions import state_diagram
from tests.unit.policies.approval.acting import ALLOWED


def test_every_guard_is_a_function_and_the_diagram_shows_every_transition() -> None:
    assert set(GUARDS) == set(Guard)
    diagram = state_diagram()
    assert diagram.startswith("stateDiagram-v2\n    [*] --> running\n")
    for (state, action), (role, target) in ALLOWED.items():
        assert action is Action.VIEW or f"    {state} --> {target}: {action}" in diagram, (state, action, role)
    assert "awaiting_approval --> approved: approve (enough) by approver" in diagram
    assert "view" not in diagram

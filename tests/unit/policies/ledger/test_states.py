from __future__ import annotations

from policies.ledger.states import CANDIDATE_STATES, RUN_STATES, Guard, State


def test_a_state_is_one_of_a_run_or_one_of_a_candidate() -> None:
    assert sorted([*RUN_STATES, *CANDIDATE_STATES]) == sorted(State)
    assert State.RUNNING in RUN_STATES
    assert State.AWAITING_APPROVAL in CANDIDATE_STATES


def test_no_two_guards_say_the_same() -> None:
    assert len({str(guard) for guard in Guard}) == len(Guard.__members__)

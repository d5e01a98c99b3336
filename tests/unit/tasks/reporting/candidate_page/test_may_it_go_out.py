"""The one sentence that answers the first question."""

from __future__ import annotations

import pytest

from policies.ledger.states import CANDIDATE_STATES, State
from tasks.reporting.candidate_page.may_it_go_out import Standing, may_it_go_out, must_sign, reasons
from tasks.reporting.candidate_page.page_content import CandidatePage
from tasks.reporting.candidate_page.page_told import render_page
from tasks.reporting.language import ENGLISH
from tasks.reporting.measured_tables import Outcome


def sentence(page: CandidatePage, standing: Standing | None = None, **changes: object) -> str:
    return may_it_go_out(page.model_copy(update=changes), ENGLISH, standing).sentence


@pytest.mark.parametrize(
    ("approvals", "roles", "said"),
    [
        (1, {}, "one approval is needed."),
        (2, {}, "two approvals are needed."),
        (13, {}, "13 approvals are needed."),
        (1, {"data-protection": 1}, "one approval is needed, from data protection."),
        (2, {"data-protection": 1}, "two approvals are needed, one of them from data protection."),
        (3, {"data-protection": 1, "methods": 2}, "three approvals are needed, one of them from data protection and two from methods."),
        (None, {}, "it waits for approval."),
    ],
)
def test_what_passed_says_who_must_agree(hospital: CandidatePage, approvals: int | None, roles: dict[str, int], said: str) -> None:
    assert sentence(hospital, approvals=approvals, roles=roles) == f"All 29 requirements are met; {said}"


def test_a_single_requirement_is_one(hospital: CandidatePage) -> None:
    assert sentence(hospital, verdicts=hospital.verdicts[:1]) == "The only requirement is met; two approvals are needed."


def test_two_requirements_are_both_and_not_all_two(hospital: CandidatePage) -> None:
    assert sentence(hospital, verdicts=hospital.verdicts[:2]).startswith("Both requirements are met;")
    assert "All 2 requirements" not in render_page(hospital.model_copy(update={"verdicts": hospital.verdicts[:2]}))


@pytest.mark.parametrize(
    ("missing", "in_all", "said"),
    [
        ({"": 1}, False, "One more person must sign."),
        ({"data-protection": 1}, False, "One more person must sign, from data protection."),
        ({"data-protection": 1, "": 1}, False, "Two more people must sign, one of them from data protection."),
        ({"data-protection": 1, "": 1}, True, "Two people must sign in all, one of them from data protection."),
        ({"": 1}, True, "One person must sign in all."),
    ],
)
def test_whose_signatures_are_lacking_is_a_sentence(missing: dict[str, int], in_all: bool, said: str) -> None:
    assert must_sign(missing, ENGLISH, in_all) == said


def test_what_was_refused_says_how_much_is_missing(refused_page: CandidatePage) -> None:
    assert sentence(refused_page) == "It may not go out: 1 of 30 requirements is not met."
    twice = (*refused_page.verdicts, refused_page.verdicts[-1])
    assert sentence(refused_page, verdicts=twice) == "It may not go out: 2 of 31 requirements are not met."
    assert may_it_go_out(refused_page, ENGLISH).tone == "bad"


def test_a_run_that_ended_before_gates_says_why(hospital: CandidatePage) -> None:
    missed = (Outcome("in", "expect_x", "age", False), Outcome("in", "expect_y", "age", True))
    ended = hospital.model_copy(update={"passed": False, "verdicts": (), "outcomes": missed})
    assert sentence(ended) == "It may not go out: 1 expectation of the data is not met."
    assert reasons(ended, ENGLISH, ()) == ("The expectation expect_x was not met.",)
    assert sentence(ended, outcomes=()) == "It may not go out: nothing was judged."
    stopped = ended.model_copy(update={"outcomes": (), "refusal": "Nobody fits."})
    assert sentence(stopped) == "It may not go out: the run ended before there was anything to publish."
    assert reasons(stopped, ENGLISH, ("Nobody fits.",)) == ("Nobody fits.",)
    assert reasons(hospital, ENGLISH, ("x",)) == ()


def test_while_it_waits_the_console_says_what_is_still_missing(hospital: CandidatePage) -> None:
    waiting = Standing(State.AWAITING_APPROVAL, signed=1, missing={"data-protection": 1, "": 0})
    said = "All 29 requirements are met; one approval is given, one more is needed, from data protection."
    assert sentence(hospital, waiting) == said
    several = Standing(signed=2, missing={"": 2, "methods": 1})
    assert sentence(hospital, several).endswith("two approvals are given, three more are needed, one of them from methods.")
    assert sentence(hospital, Standing()) == sentence(hospital)


@pytest.mark.parametrize("state", [state for state in CANDIDATE_STATES if state is not State.AWAITING_APPROVAL])
def test_every_state_of_a_candidate_has_its_answer(hospital: CandidatePage, state: State) -> None:
    answer = may_it_go_out(hospital, ENGLISH, Standing(state, signed=2))
    assert answer.sentence.endswith("All 29 requirements are met.")
    assert not answer.sentence.startswith("All")
    ended = state in (State.REJECTED, State.EXPIRED, State.CHANGES_REQUESTED)
    assert answer.sentence.startswith("No: ") is ended
    assert (answer.tone == "good") is (not ended and state not in (State.WITHDRAWN, State.STALLED))

"""What is required, as its approvers read it."""

from __future__ import annotations

from typing import Any

import pytest

from policies.gates.every_gate import GATES
from policies.gates.gate import Gate
from policies.gates.reader_words import Unit
from policies.gates.verdict import Requirement, Verdict
from policies.judging.verdicts import sentence_of
from tasks.reporting.candidate_page.page_content import CandidatePage
from tasks.reporting.candidate_page.requirement_lines import amount, bar_of, known_of, limit, margin, requirement_groups, room
from tasks.reporting.language import ENGLISH, language
from tasks.reporting.measured_tables import LAST_TRIED


def verdict(gate: str, measured: float | None, required: float, **rest: Any) -> Verdict:
    said = {"comparison": "at most", "passed": True, "table": "table-1", **rest}
    return Verdict.model_validate({"gate": gate, "measured": measured, "required": required, **said})


def test_every_verdict_is_under_one_question_and_those_that_ask_for_the_same_share_a_line(hospital: CandidatePage) -> None:
    groups = requirement_groups(hospital, ENGLISH, {})
    assert [group.title for group in groups] == [
        "Who could be recognized",
        "What could be learned about somebody",
        "What several tables or versions tell together",
        "What it costs",
    ]
    assert sum(group.number for group in groups) == sum(group.passed for group in groups) == len(hospital.verdicts)
    assert sum(len(line.places) for group in groups for line in group.lines) == len(hospital.verdicts)
    first = groups[0].lines[0]
    assert first.sentence == "By age, sex, region and admitted, everybody looks like at least 20 people in the table, themselves included."
    assert (first.measured, first.required, first.margin, first.gate) == ("20 people", "at least 20", "exactly at the limit", "k")
    assert [place.where for place in first.places] == ["table-1", "table-2"]
    chance = groups[0].lines[1]
    assert chance.sentence.endswith("is right with a chance of at most 5 % (1 in 20).")


def test_no_sentence_of_a_kept_requirement_is_without_what_is_required(hospital: CandidatePage) -> None:
    for group in requirement_groups(hospital, ENGLISH, {}):
        for line in group.lines:
            assert "%(" not in line.sentence
            assert line.required.split()[-1 if "%" not in line.required else -2] in line.sentence
            assert line.bar is not None


def test_what_refuses_stands_first_with_what_was_found_and_what_helps(refused_page: CandidatePage) -> None:
    group = next(group for group in requirement_groups(refused_page, ENGLISH, {}) if group.title == "What could be learned about somebody")
    assert group.passed == group.number - 1
    line = group.lines[0]
    assert not line.passed
    assert line.sentence == "In table-2, 90 % of the people in some group share a sensitive value; at most 40 % may."
    assert (line.margin, line.cure) == ("misses the limit by 50 percentage points", "Raise k, or drop it.")


def test_a_release_without_a_plan_speaks_of_the_plan_that_was_tried_last(refused_page: CandidatePage) -> None:
    verdicts = tuple(verdict.model_copy(update={"table": LAST_TRIED}) for verdict in refused_page.verdicts)
    lines = [
        line for group in requirement_groups(refused_page.model_copy(update={"verdicts": verdicts}), ENGLISH, {}) for line in group.lines
    ]
    assert next(line for line in lines if not line.passed).sentence.startswith("In the last plan that was tried, 90 % of the people")


@pytest.mark.parametrize(
    ("number", "unit", "said"),
    [
        (1, Unit.PEOPLE, "1 person"),
        (1234, Unit.PEOPLE, "1,234 people"),
        (1, Unit.HOUSEHOLDS, "1 household"),
        (13, Unit.VALUES, "13 different values"),
        (0.29, Unit.SHARE, "29 %"),
        (0.29, Unit.POINTS, "29 percentage points"),
        (2.625, Unit.ONE_IN, "1 in 2.62"),
        (0.00664, Unit.NUMBER, "0.00664"),
        (None, Unit.SHARE, "not measured"),
    ],
)
def test_a_figure_stands_with_its_unit(number: float | None, unit: Unit, said: str) -> None:
    assert amount(number, unit, ENGLISH) == said


def test_a_limit_says_its_direction() -> None:
    assert limit(verdict("k", 20, 20, comparison="at least"), Unit.PEOPLE, ENGLISH) == "at least 20"
    assert limit(verdict("linkability", 0.3, 0.4), Unit.SHARE, ENGLISH) == "at most 40 %"
    assert limit(verdict("delta_l", 3, 2, comparison="at least"), Unit.ONE_IN, ENGLISH) == "at most 1 in 2"
    relaxed = verdict("dissimilarity", 0.5, 0.3, comparison="at least", asked=0.9)
    assert limit(relaxed, Unit.SHARE, ENGLISH) == "90 % asked for, 30 % accepted"


def test_the_margin_says_how_far_it_is_and_a_hair_is_not_nothing() -> None:
    assert margin(verdict("linkability", 0.25, 0.4), Unit.SHARE, ENGLISH) == "15 percentage points from the limit"
    assert margin(verdict("linkability", 0.8, 0.8), Unit.SHARE, ENGLISH) == "exactly at the limit"
    over = verdict("linkability", 0.80000001, 0.8, passed=False)
    assert margin(over, Unit.SHARE, ENGLISH) == "misses the limit by 0.000001 percentage points"
    assert margin(verdict("linkability", None, 0.8, passed=False), Unit.SHARE, ENGLISH) == ""


def test_room_is_negative_where_it_refuses_and_least_where_nothing_was_measured() -> None:
    assert room(verdict("linkability", 0.2, 0.4)) == pytest.approx(0.5)
    assert room(verdict("k", 30, 20, comparison="at least")) == pytest.approx(0.5)
    assert room(verdict("k", 10, 20, comparison="at least", passed=False)) == pytest.approx(-0.5)
    assert room(verdict("k", None, 20, passed=False)) == float("-inf")


@pytest.mark.parametrize(("measured", "required"), [(0.0, 0.0), (0.0, 0.4), (5.0, 0.4), (1.0, 1.0)])
def test_a_bar_stays_within_its_frame(measured: float, required: float) -> None:
    for unit in Unit:
        bar = bar_of(verdict("linkability", measured, required), unit)
        assert bar is not None
        assert 0 <= bar.measured <= 100
        assert 0 <= bar.required <= 100
    assert bar_of(verdict("linkability", None, 0.4, passed=False), Unit.SHARE) is None


def test_of_very_many_columns_a_sentence_names_the_first() -> None:
    assert known_of([f"q{place}" for place in range(9)], ENGLISH) == "q0, q1, q2, q3, q4 and 4 more columns"
    assert known_of([], ENGLISH) == "what others may know"


@pytest.mark.parametrize("gate", GATES, ids=lambda gate: gate.name)
def test_what_a_gate_finds_and_what_helps_are_known_in_every_language(gate: Gate) -> None:
    """A new sentence of a gate needs its line in `catalogues/LANGUAGE.sentences.po`."""
    german = language("de")
    for bound in gate.bounds:
        for attribute in (None, "income") if gate.kinds and gate.of_tables else (None,):
            requirement = Requirement(gate=gate.name, attribute=attribute, bound=bound, dictionary="register", required="2")
            found = Verdict(
                gate=gate.name, attribute=attribute, bound=bound, dictionary="register", comparison=gate.compared(bound), measured=3.0,
                required=2.0, passed=False, table="table-1" if gate.of_tables else "",
            )  # fmt: skip
            assert german.knows(f"{sentence_of(found).rstrip('.')}."), sentence_of(found)
            unmeasured = found.model_copy(update={"measured": None})
            assert german.knows(f"{sentence_of(unmeasured).rstrip('.')}.")
            assert german.knows(gate.remedy(requirement)), gate.remedy(requirement)

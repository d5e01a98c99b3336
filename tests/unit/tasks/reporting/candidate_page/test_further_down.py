"""What stands further down: test_report.py reads it on the page."""

from __future__ import annotations

from policies.gates.every_gate import GATES
from tasks.reporting.candidate_page.further_down import (
    GLOSSARY,
    alike_together,
    declared_columns,
    glossary,
    judged,
    plan_steps,
    remarks,
    table_figures,
    texts_apart,
)
from tasks.reporting.candidate_page.page_content import CandidatePage
from tasks.reporting.language import ENGLISH, language


def test_every_figure_of_a_gate_has_its_line_in_the_glossary() -> None:
    assert {figure.title for gate in GATES for figure in gate.figures if figure.title} <= GLOSSARY.keys()


def test_figures_are_in_reading_order_and_those_of_attributes_say_of_which(hospital: CandidatePage) -> None:
    figures = list(table_figures(hospital.tables[1].figures, ENGLISH))
    assert [figure.name for figure in figures[:4]] == ["rows", "groups", "mean group", "k"]
    assert {figure.of for figure in figures if figure.name == "closeness"} >= {"income", "education"}
    german = list(table_figures(hospital.tables[1].figures, language("de")))
    assert german[0].text == "20.000"


def test_every_published_column_says_what_the_policy_does_with_it(hospital: CandidatePage) -> None:
    assert hospital.promise is not None
    declared = tuple(declared_columns(hospital.promise))
    assert [column.name for column in declared][:4] == list(hospital.known)
    assert alike_together(declared) == declared
    said = {column.name: column.remark for column in declared}
    assert said["diagnosis"] == "a column for each of 12 values; having a value is protected; not protected: none"


def test_the_plan_that_was_chosen_is_marked_and_refusals_come_first(refused_page: CandidatePage) -> None:
    assert sum(step["chosen"] for step in plan_steps(refused_page)) == 1
    first = judged(refused_page.verdicts)[0]
    assert not first.passed
    assert remarks(refused_page)[first.place] == "Raise k, or drop it."
    assert texts_apart(first, ENGLISH) == ("0.9", "at most 0.4")
    assert "closeness" in glossary(refused_page, {"closeness"})

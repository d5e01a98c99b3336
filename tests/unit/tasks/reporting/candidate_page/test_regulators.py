"""Which figure answers which clause."""

from __future__ import annotations

from policies.gates.verdict import Verdict
from tasks.reporting.candidate_page.page_content import CandidatePage
from tasks.reporting.candidate_page.regulators import ShownClause, gates_named, regulators, shown_clauses
from tasks.reporting.language import ENGLISH


def clause(page: CandidatePage, term: str) -> ShownClause:
    return next(shown for text in regulators().texts for shown in shown_clauses(text, page, ENGLISH) if shown.clause.term == term)


def test_every_figure_is_a_gate_and_every_text_has_a_source() -> None:
    named = {key for text in regulators().texts for each in text.clauses for key in each.figures}
    assert named <= gates_named()
    assert all(text.source.startswith("http") for text in regulators().texts)
    assert regulators().version >= 1


def test_our_linkability_is_the_opinions_inference() -> None:
    opinion = regulators().texts[0]
    figures = {each.term: each.figures for each in opinion.clauses}
    assert figures["Inference"][0] == "linkability"
    assert "linkability" not in figures["Linkability"]
    assert "inference" in next(each.note for each in opinion.clauses if each.term == "Linkability")


def test_a_clause_that_was_not_read_is_not_said_to_be() -> None:
    """Only the headings of the standard, and a report about the guidance, could be read."""
    unread = {each.article for text in regulators().texts for each in text.clauses if not each.read}
    assert {"7.3.2", "8.2.2", "8.2.3", "EMA/90915/2016"} == unread


def test_a_required_figure_has_its_verdict_and_a_measured_one_has_none(hospital: CandidatePage) -> None:
    found = {figure.gate: figure for figure in clause(hospital, "Singling out").figures}
    assert (found["k"].measured, found["k"].required, found["k"].passed) == ("20 people", "at least 20", True)
    assert (found["uniqueness.rows"].required, found["uniqueness.rows"].passed) == ("nothing is required", None)
    assert found["uniqueness.rows"].measured.endswith(" %")
    assert "individual_risk.max" not in found  # the policy has no weights, so it was not measured


def test_the_worst_of_all_tables_counts(hospital: CandidatePage) -> None:
    failed = Verdict(gate="k", table="table-2", comparison="at least", measured=3, required=20, passed=False)
    found = clause(hospital.model_copy(update={"verdicts": (*hospital.verdicts, failed)}), "Singling out").figures[0]
    assert (found.measured, found.passed) == ("3 people", False)


def test_a_clause_for_people_to_judge_has_no_figure(hospital: CandidatePage) -> None:
    assert clause(hospital, "Documentation").figures == ()
    assert clause(hospital, "Safe harbor").figures == ()

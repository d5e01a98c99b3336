"""What stands further down on the page, folded: every figure, every step of the search and every expectation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from headgate.core.scale import Scale
from headgate.projection.baseline import Baseline, against_single
from headgate.risk.disclosure.patterns import Pattern
from policies.gates.disclosure_key import MAX
from policies.gates.every_gate import GATES
from policies.gates.figures import TableFigures
from policies.gates.gate import Per
from policies.gates.verdict import Comparison, Verdict
from policies.judging.exposure import Exposure
from policies.judging.verdicts import remark_of
from policies.sealed.promise import Promise, SensitiveAttribute
from tasks.reporting.candidate_page.page_content import CandidatePage
from tasks.reporting.candidate_page.requirement_lines import AT_LEAST, AT_MOST, room
from tasks.reporting.data_dictionary import sentence_of_numbers
from tasks.reporting.language import Language, message
from tasks.reporting.measured_tables import Outcome
from tasks.reporting.shown_part import MOST_BARS, MOST_LINES, foremost

HAS, HAS_NOT = "1", "0"  # the cells of a bit of a set
SHOWN_DIGITS = 6  # further down on the page


@dataclass(frozen=True)
class DeclaredColumn:
    """How the policy treats one published column: what an approver has to judge, and no gate can."""

    name: str
    role: str
    kind: str
    remark: str


@dataclass(frozen=True)
class ShownFigure:
    """`of` what it is, where it is of an attribute or against a dictionary."""

    name: str
    text: str
    of: str = ""
    of_attribute: bool = False


def alike_together(declared: tuple[DeclaredColumn, ...]) -> tuple[DeclaredColumn, ...]:
    """Where there are very many columns, those of which the policy says the same stand in one line."""
    if len(declared) <= MOST_LINES:
        return declared
    lines: dict[tuple[str, str, str], list[str]] = {}
    for column in declared:
        lines.setdefault((column.role, column.kind, column.remark), []).append(column.name)
    return tuple(DeclaredColumn(", ".join(names), *said) for said, names in lines.items())


def declared_columns(promise: Promise) -> Iterator[DeclaredColumn]:
    for quasi in promise.quasi:
        yield DeclaredColumn(quasi.name, "quasi-identifier", quasi.kind, "generalized")
    sets: dict[str, list[SensitiveAttribute]] = {}
    for attribute in promise.sensitive:
        if attribute.origin is None:
            values = ", ".join("a missing cell" if value is None else value for value in attribute.nonsensitive)
            published = "published as it is"
            if attribute.published_as is not None:
                published = sentence_of_numbers(attribute.published_as).removesuffix(".").replace(". ", "; ").lower()
            protected = f"not protected: {values}" if values else "every value is protected"
            published += "; compared by ratios" if attribute.scale is Scale.LOG else ""
            remark = f"{published}; {protected}{_accepted(promise, attribute.name)}"
            yield DeclaredColumn(attribute.name, "sensitive", attribute.kind, remark)
        else:
            sets.setdefault(attribute.origin, []).append(attribute)
    for origin, bits in sets.items():
        values = ", ".join(bit.name.removeprefix(f"{origin}=") for bit in bits if HAS in bit.nonsensitive)
        absent = "having a value or not" if all(HAS_NOT not in bit.nonsensitive for bit in bits) else "having a value"
        not_protected = f"; not protected: {values}" if values else ""
        yield DeclaredColumn(origin, "sensitive", "set", f"a column for each of {len(bits)} values; {absent} is protected{not_protected}")
    weight = promise.weight
    if weight is not None:
        how = "" if weight.published_as is None else f"; {sentence_of_numbers(weight.published_as).removesuffix('.').lower()}"
        yield DeclaredColumn(weight.name, "weight", "number", f"how many people a row stands for{how}{_accepted(promise, weight.name)}")
    for name in promise.insensitive:
        if weight is not None and name == weight.name:
            continue
        yield DeclaredColumn(name, "insensitive", "", f"published as it is; no gate but uniqueness looks at it{_accepted(promise, name)}")


def _accepted(promise: Promise, name: str) -> str:
    return "; the policy accepts that a value of it may lead to one person" if name in promise.unique_accepted else ""


def table_figures(figures: TableFigures, spoken: Language) -> Iterator[ShownFigure]:
    """The figures of one table in reading order; those that were not measured are left out."""
    figure = partial(spoken.number, digits=SHOWN_DIGITS)
    yield ShownFigure(message("rows"), figure(figures.rows))
    yield ShownFigure(message("groups"), figure(figures.groups))
    yield ShownFigure(message("mean group"), figure(figures.mean_group))
    for measured in (each for gate in GATES for each in gate.figures if each.title):
        values = list(figures.each(measured.name).items())
        way = -1 if measured.worst is Comparison.AT_LEAST else 1
        for of, value in foremost(values, MOST_BARS, partial(_worse, way)):
            yield ShownFigure(measured.title, figure(value), of, measured.per is Per.ATTRIBUTE)
    yield ShownFigure(message("information loss (NCP)"), figure(figures.ncp))
    yield ShownFigure(message("discernibility"), figure(figures.discernibility))
    if figures.query_error_mean is not None:
        yield ShownFigure(message("query error: mean"), figure(figures.query_error_mean))
    if figures.query_error_low is not None and figures.query_error_high is not None:
        low, high = figure(figures.query_error_low), figure(figures.query_error_high)
        yield ShownFigure(
            message("query error: 95 %% interval of the mean").replace("%%", "%"), spoken.say("%(low)s to %(high)s", low=low, high=high)
        )
    if figures.query_error_median is not None:
        yield ShownFigure(message("query error: median"), figure(figures.query_error_median))


def _worse(way: int, measured: tuple[str, float]) -> float:
    return way * measured[1]


def against_one(page: CandidatePage) -> Baseline | None:
    """The plan beside the naïve one, everything in one table."""
    plan = page.plan
    closeness = [distance for table in page.tables for distance in table.figures.each("closeness").values()]
    if plan is None or len(plan.tables) < 2 or not closeness:
        return None
    naive = None if plan.naive_closeness is None else [plan.naive_closeness]
    return against_single(plan.association_loss, plan.information_exposure, [max(closeness)], naive)


@dataclass(frozen=True)
class Against:
    """One table against one dictionary: a line of the overview, and of the table that is worst off also steps and patterns."""

    figures: TableFigures
    exposure: Exposure
    patterns: tuple[Pattern, ...]

    def figure(self, bound: str) -> float | None:
        return self.figures.figure(f"disclosure_{bound}", self.exposure.dictionary)

    @property
    def unmatched(self) -> float | None:
        return self.figures.figure("disclosure_unmatched", self.exposure.dictionary)


def disclosures(page: CandidatePage) -> Iterator[list[Against]]:
    """By dictionary, the table that is worst off first. What could not be measured is the worst."""
    figures = {table.name: table.figures for table in page.tables}
    exposures = [exposure for exposure in page.exposures if exposure.table in figures]
    patterns = {(shown.table, shown.dictionary): shown.patterns for shown in page.patterns}
    for name in dict.fromkeys(exposure.dictionary for exposure in exposures):
        against = [exposure for exposure in exposures if exposure.dictionary == name]
        lines = [Against(figures[exposure.table], exposure, patterns.get((exposure.table, name), ())) for exposure in against]
        yield sorted(lines, key=lambda line: math.inf if (largest := line.figure(MAX)) is None else largest, reverse=True)


def plan_steps(page: CandidatePage) -> Iterator[dict[str, Any]]:
    plan = page.plan
    if plan is None:
        return
    for place, step in enumerate(plan.steps):
        joined = " + ".join(", ".join(plan.columns[number] for number in part) for part in step.merged) if step.merged else ""
        chosen = tuple(tuple(plan.columns[number] for number in table) for table in step.tables) == plan.tables
        yield {"number": place, "joined": joined, "tables": len(step.tables), "step": step, "chosen": chosen}


def sides(outcomes: tuple[Outcome, ...]) -> tuple[tuple[str, tuple[Outcome, ...]], ...]:
    named = (("in", message("On the way in: the source")), ("out", message("On the way out: the published tables")))
    sides = ((title, tuple(outcome for outcome in outcomes if outcome.side == side)) for side, title in named)
    return tuple((title, tuple(sorted(chosen, key=lambda o: o.success))) for title, chosen in sides if chosen)


def _shown_elsewhere(page: CandidatePage) -> set[str]:
    plan = {"association lost, Γα", "threat of joining, Γβ"} if page.plan else set()
    beside = against_one(page)
    if beside is not None:
        plan |= {"less threat than one table, 1 − Γβ"}
    if beside is not None and beside.closeness is not None:
        plan |= {"closer than one table, 1 − t′/t"}
    utility = {"query error", "information loss (NCP)"} if page.utility else set()
    disclosure = {"loss of a record", "candidates", "fit nobody"} if page.exposures else set()
    return plan | utility | disclosure | {"suppressed"}


GLOSSARY = {
    message("rows"): message("People in the table, one row each, as far as the source has one row per person."),
    message("groups"): message("Sets of rows that share the same published quasi-identifiers."),
    message("mean group"): message("Rows in a group on average."),
    message("discernibility"): message(
        "Sum of squared group sizes, plus the number of all rows for every suppressed row; smaller is finer."
    ),
    **{figure.title: figure.meaning for gate in GATES for figure in gate.figures if figure.title},
    message("loss of a record"): message("What its disclosed cells cost, divided by the number of people in the dictionary who match it."),
    message("candidates"): message(
        "The people in the dictionary who match a record; the smallest number is the k that matters against whoever holds it."
    ),
    message("fit nobody"): message("Share of records that nobody in the dictionary is consistent with."),
    message("information loss (NCP)"): message("How wide the published quasi-identifiers are, as a share of their whole range."),
    message("query error"): message("Relative error of random count queries answered from the published table instead of the source."),
    message("less threat than one table, 1 − Γβ"): message("The plan compared with the naïve one: everything in one table."),
    message("closer than one table, 1 − t′/t"): message(
        "How much closer the least typical group comes to the whole table, compared with everything in one table."
    ),
    message("association lost, Γα"): message(
        "Share of the dependence between sensitive attributes that is lost because they are in different tables."
    ),
    message("threat of joining, Γβ"): message(
        "How much attributes in the same table tell about each other; 0 if all are apart, 1 if all are together."
    ),
    message("suppressed"): message("Rows that are in no published table, because no group could take them."),
}


def glossary(page: CandidatePage, shown: set[str]) -> dict[str, str]:
    """One line for every figure that the page shows, by the name it is shown under."""
    return {name: meaning for name, meaning in GLOSSARY.items() if name in shown | _shown_elsewhere(page)}


def judged(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """What refuses first, and all of it; of the others those nearest to their bounds, where there are very many."""
    refused, passed = ([verdict for verdict in verdicts if verdict.passed is good] for good in (False, True))
    return [*refused, *foremost(passed, max(0, MOST_LINES - len(refused)), lambda verdict: -room(verdict))]


def remarks(page: CandidatePage) -> Mapping[tuple[object, ...], str]:
    """What a reader of a verdict should know, by its place: the cure, or what the gate remarks though it passed."""
    tables = [table.figures for table in page.tables]
    said = {verdict.place: verdict.remedy or _as_sentence(remark_of(verdict, tables)) for verdict in page.verdicts}
    return {place: text for place, text in said.items() if text}


def _as_sentence(remark: str) -> str:
    return f"{remark[0].upper()}{remark[1:]}." if remark else ""


def texts_apart(verdict: Verdict, spoken: Language) -> tuple[str, str]:
    """Measured and required as text; in full where six digits would show two numbers as one."""
    if verdict.required is None:
        return spoken.number(verdict.measured, SHOWN_DIGITS), "–"
    measured, required = (spoken.number(number, SHOWN_DIGITS) for number in (verdict.measured, verdict.required))
    if measured == required and verdict.measured != verdict.required:
        measured, required = spoken.exact(verdict.measured), spoken.exact(verdict.required)
    if verdict.asked is not None:
        asked = spoken.number(verdict.asked, SHOWN_DIGITS)
        return measured, spoken.say("%(asked)s asked for, %(allowed)s accepted", asked=asked, allowed=required)
    said = AT_LEAST if verdict.comparison is Comparison.AT_LEAST else AT_MOST
    return measured, spoken.say(said, amount=required)

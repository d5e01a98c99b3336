"""The page an approver reads: what would be published and why it is safe, or why it was refused. One HTML file that fetches nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from headgate.projection.baseline import Baseline, against_single
from headgate.risk.disclosure.patterns import Pattern
from policies.gates.disclosure_key import MAX
from policies.gates.every_gate import GATES
from policies.gates.figures import TableFigures
from policies.gates.verdict import Verdict
from policies.judging.exposure import Exposure
from policies.judging.verdicts import sentence_of
from policies.sealed.promise import Promise, SensitiveAttribute
from tasks.reporting.measured_tables import MeasuredRelease, Outcome
from tasks.reporting.page import figure_text, framed, page_template
from tasks.reporting.release_charts import draw_errors, draw_losses, draw_plan, draw_table

HAS, HAS_NOT = "1", "0"  # the cells of a bit of a set
# One line for every figure that a page shows, by the name it is shown under.
GLOSSARY = {
    "rows": "People in the table, one row each.",
    "groups": "Sets of rows that share the same published quasi-identifiers.",
    "mean group": "Rows in a group on average.",
    "discernibility": "Sum of squared group sizes, plus the number of all rows for every suppressed row; smaller is finer.",
    **{figure.title: figure.meaning for gate in GATES for figure in gate.figures if figure.title},
    "loss of a record": "What its disclosed cells cost, divided by the number of people in the dictionary who match it.",
    "candidates": "The people in the dictionary who match a record; the smallest number is the k that matters against whoever holds it.",
    "fit nobody": "Share of records that nobody in the dictionary is consistent with.",
    "information loss (NCP)": "How wide the published quasi-identifiers are, as a share of their whole range.",
    "query error": "Relative error of random count queries answered from the published table instead of the source.",
    "less threat than one table, 1 − Γβ": "The plan compared with the naïve one: everything in one table.",
    "closer than one table, 1 − t′/t": "How much closer the least typical group is to the whole table than with everything in one table.",
    "association lost, Γα": "Share of the dependence between sensitive attributes that is lost because they are in different tables.",
    "threat of joining, Γβ": "How much attributes in the same table tell about each other; 0 if all are apart, 1 if all are together.",
    "suppressed": "Rows that are in no published table, because no group could take them.",
}

CAPTIONS = {
    "plan": "The search for the plan. Each point is one way to divide the sensitive attributes among tables.",
    "trade_off": "What could be had if every table passed: the plans of codip*, and the least exposed that lose as little.",
    "group_sizes": "Group sizes. No bar may be left of the line.",
    "group_risks": "Proximity risk, group by group. No bar may be right of the line.",
    "closeness": "Closeness of each sensitive attribute.",
    "loss": "Information lost by each quasi-identifier.",
    "query_errors": "Relative error of random count queries.",
}


@dataclass(frozen=True)
class Sample:
    """Some published rows of one table, as they are in its file; None is a missing cell."""

    table: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


@dataclass(frozen=True, eq=False)
class ReportContent:
    """All that a page says. A refused release has the same page, with what was measured before it ended."""

    measured: MeasuredRelease
    product: str
    samples: tuple[Sample, ...] = ()
    patterns: Mapping[tuple[str, str], tuple[Pattern, ...]] = field(default_factory=dict)  # by table and dictionary
    approvals_required: int | None = None
    publish_to: str = ""


@dataclass(frozen=True)
class ShownFigure:
    name: str
    text: str


@dataclass(frozen=True)
class DeclaredColumn:
    """How the policy treats one published column: what an approver has to judge, and no gate can."""

    name: str
    role: str
    kind: str
    remark: str


def render_report(content: ReportContent) -> str:
    """The whole page as text. Everything in it is escaped; the only markup let through is that of our own charts."""
    release = content.measured
    figures = {table.name: tuple(_figures(table.figures)) for table in release.tables}
    shown = {figure.name.partition(":")[0] for group in figures.values() for figure in group}
    return page_template("report.html.j2").render(
        content=content,
        release=release,
        headline=_headline(release),
        declared=tuple(_declared(release.promise)) if release.promise else (),
        verdicts=[(verdict, *_texts_apart(verdict)) for verdict in sorted(release.verdicts, key=lambda verdict: verdict.passed)],
        figures=figures,
        samples={sample.table: sample for sample in content.samples},
        table_pictures={table.name: framed(draw_table(table, release.promise, "svg"), CAPTIONS) for table in release.tables},
        plan_picture=framed(draw_plan(release, "svg"), CAPTIONS),
        utility_pictures=framed(draw_errors(release, "svg") | draw_losses(release, "svg"), CAPTIONS),
        plan_steps=tuple(_plan_steps(release)),
        against_one=_against_one(release),
        disclosures=tuple(_disclosures(content)),
        sides=_sides(release.outcomes),
        meanings=_meanings(release),
        remarked=any(verdict.remedy for verdict in release.verdicts),
        glossary={name: meaning for name, meaning in GLOSSARY.items() if name in shown | _shown_elsewhere(release)},
    )


def _declared(promise: Promise) -> Iterator[DeclaredColumn]:
    for quasi in promise.quasi:
        yield DeclaredColumn(quasi.name, "quasi-identifier", quasi.kind, "generalized")
    sets: dict[str, list[SensitiveAttribute]] = {}
    for attribute in promise.sensitive:
        if attribute.origin is None:
            values = ", ".join("a missing cell" if value is None else value for value in attribute.nonsensitive)
            remark = f"published as it is; not protected: {values}" if values else "published as it is; every value is protected"
            yield DeclaredColumn(attribute.name, "sensitive", attribute.kind, remark)
        else:
            sets.setdefault(attribute.origin, []).append(attribute)
    for origin, bits in sets.items():
        values = ", ".join(bit.name.removeprefix(f"{origin}=") for bit in bits if HAS in bit.nonsensitive)
        absent = "having a value or not" if all(HAS_NOT not in bit.nonsensitive for bit in bits) else "having a value"
        not_protected = f"; not protected: {values}" if values else ""
        yield DeclaredColumn(origin, "sensitive", "set", f"a column for each of {len(bits)} values; {absent} is protected{not_protected}")
    for name in promise.insensitive:
        yield DeclaredColumn(name, "insensitive", "", "published as it is; no gate looks at it")


def _meanings(release: MeasuredRelease) -> list[tuple[str, str]]:
    """What each gate that was judged means."""
    judged = {verdict.gate for verdict in release.verdicts}
    return [(gate.name, gate.meaning) for gate in GATES if gate.name in judged]


def _headline(release: MeasuredRelease) -> str:
    if release.passed:
        return f"All {len(release.verdicts)} gates passed" if len(release.verdicts) > 1 else "The gate passed"
    if release.refusal:
        return f"Refused: {release.refusal}"
    failed = [outcome for outcome in release.outcomes if not outcome.success]
    reasons = [sentence_of(verdict) for verdict in release.refused_by]
    reasons += [f"The expectation {outcome.expectation} was not met." for outcome in failed]
    if not reasons:
        return "Refused: nothing was judged"
    more = [f"And {len(reasons) - 3} more."] if len(reasons) > 3 else []
    return f"Refused: {' '.join([*reasons[:3], *more])}"


def _texts_apart(verdict: Verdict) -> tuple[str, str]:
    """Measured and required as text; in full where six digits would show two numbers as one."""
    if verdict.required is None:
        return figure_text(verdict.measured), "–"
    measured, required = figure_text(verdict.measured), figure_text(verdict.required)
    if measured == required and verdict.measured != verdict.required:
        measured, required = repr(verdict.measured), repr(verdict.required)
    return measured, f"{verdict.comparison} {required}"


def _figures(figures: TableFigures) -> Iterator[ShownFigure]:
    """The figures of one table in reading order; those that were not measured are left out."""
    yield ShownFigure("rows", figure_text(figures.rows))
    yield ShownFigure("groups", figure_text(figures.groups))
    yield ShownFigure("mean group", figure_text(figures.mean_group))
    for figure in (figure for gate in GATES for figure in gate.figures if figure.title):
        for of, value in figures.each(figure.name).items():
            yield ShownFigure(f"{figure.title}: {of}" if of else figure.title, figure_text(value))
    yield ShownFigure("information loss (NCP)", figure_text(figures.ncp))
    yield ShownFigure("discernibility", figure_text(figures.discernibility))
    if figures.query_error_mean is not None:
        yield ShownFigure("query error: mean", figure_text(figures.query_error_mean))
    if figures.query_error_median is not None:
        yield ShownFigure("query error: median", figure_text(figures.query_error_median))


def _against_one(release: MeasuredRelease) -> Baseline | None:
    """The plan beside the naïve one, everything in one table."""
    plan = release.plan
    closeness = [distance for table in release.tables for distance in table.figures.each("closeness").values()]
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


def _disclosures(content: ReportContent) -> Iterator[list[Against]]:
    """By dictionary, the table that is worst off first. What could not be measured is the worst."""
    figures = {table.name: table.figures for table in content.measured.tables}
    exposures = [exposure for exposure in content.measured.exposures if exposure.table in figures]
    for name in dict.fromkeys(exposure.dictionary for exposure in exposures):
        against = [exposure for exposure in exposures if exposure.dictionary == name]
        lines = [Against(figures[exposure.table], exposure, content.patterns.get((exposure.table, name), ())) for exposure in against]
        yield sorted(lines, key=lambda line: math.inf if (largest := line.figure(MAX)) is None else largest, reverse=True)


def _plan_steps(release: MeasuredRelease) -> Iterator[dict[str, Any]]:
    plan = release.plan
    if plan is None:
        return
    for place, step in enumerate(plan.steps):
        joined = " + ".join(", ".join(plan.columns[number] for number in part) for part in step.merged) if step.merged else ""
        chosen = tuple(tuple(plan.columns[number] for number in table) for table in step.tables) == plan.tables
        yield {"number": place, "joined": joined, "tables": len(step.tables), "step": step, "chosen": chosen}


def _sides(outcomes: tuple[Outcome, ...]) -> tuple[tuple[str, tuple[Outcome, ...]], ...]:
    named = (("in", "On the way in: the source"), ("out", "On the way out: the published tables"))
    sides = ((title, tuple(outcome for outcome in outcomes if outcome.side == side)) for side, title in named)
    return tuple(
        (title, sorted_failures_first)
        for title, chosen in sides
        if (sorted_failures_first := tuple(sorted(chosen, key=lambda o: o.success)))
    )


def _shown_elsewhere(release: MeasuredRelease) -> set[str]:
    plan = {"association lost, Γα", "threat of joining, Γβ"} if release.plan else set()
    against_one = _against_one(release)
    if against_one is not None:
        plan |= {"less threat than one table, 1 − Γβ"}
    if against_one is not None and against_one.closeness is not None:
        plan |= {"closer than one table, 1 − t′/t"}
    utility = {"query error", "information loss (NCP)"} if release.utility else set()
    disclosure = {"loss of a record", "candidates", "fit nobody"} if release.exposures else set()
    return plan | utility | disclosure | {"suppressed"}

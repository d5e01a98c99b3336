"""The page an approver reads: what would be published and why it is safe, or why it was refused. One HTML file that fetches nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from headgate.core.scale import Scale
from headgate.projection.baseline import Baseline, against_single
from headgate.risk.disclosure.patterns import Pattern
from policies.changes.release_changes import Changes
from policies.gates.attack import ATTACK
from policies.gates.disclosure_key import MAX
from policies.gates.every_gate import GATES
from policies.gates.figures import TableFigures, worst_attack
from policies.gates.gate import Per
from policies.gates.verdict import Comparison, Verdict
from policies.judging.alike_in_words import alike_in
from policies.judging.exposure import Exposure
from policies.judging.series_in_words import TITLE as TOGETHER
from policies.judging.series_in_words import series_in_words
from policies.judging.verdicts import remark_of, sentence_of
from policies.schema.about import TITLES
from policies.sealed.promise import NOBODY_CHECKED, Promise, SensitiveAttribute
from tasks.reporting.data_dictionary import sentence_of_numbers
from tasks.reporting.measured_tables import MeasuredRelease, MeasuredTable, Outcome
from tasks.reporting.page import figure_text, framed, page_template
from tasks.reporting.release_charts import draw_errors, draw_losses, draw_plan, draw_table
from tasks.reporting.shown_part import MOST_BARS, MOST_CELLS, MOST_LINES, MOST_TABLES, foremost

HAS, HAS_NOT = "1", "0"  # the cells of a bit of a set
# One line for every figure that a page shows, by the name it is shown under.
GLOSSARY = {
    "rows": "People in the table, one row each, as far as the source has one row per person.",
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
    "closer than one table, 1 − t′/t": "How much closer the least typical group comes to the whole table, compared with everything in one "
    "table.",
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

DIRECTION = {True: "better", False: "worse", None: ""}
WORST_SHOWN = 5  # comparisons of versions; the others are folded
REQUIRED = {True: "stricter", False: "less strict", None: "the same"}


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
    runner: str = ""  # principal
    policy_file: str = ""  # its name, without the folder
    left_out: tuple[str, ...] = ()  # columns of the source that no table holds
    changes: Changes | str | None = None  # since the version that was published last; a sentence where it could not be compared


@dataclass(frozen=True)
class ShownFigure:
    name: str
    text: str
    of_attribute: bool = False


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
    judged = _judged(release.verdicts)
    drawn, declared = _drawn(release), tuple(_declared(release.promise)) if release.promise else ()
    tables = [table.figures for table in release.tables]
    remarks = {verdict.place: verdict.remedy or _as_sentence(remark_of(verdict, tables)) for verdict in judged}
    shown = {figure.name.partition(":")[0] for group in figures.values() for figure in group}
    return page_template("report.html.j2").render(
        content=content,
        release=release,
        headline=_headline(release),
        series=None if release.series is None else series_in_words(release.series, release.verdicts, release.versions),
        series_title=TOGETHER,
        worst_shown=WORST_SHOWN,
        most_lines=MOST_LINES,
        most_bars=MOST_BARS,
        worst_attack=worst_attack(release.attack_gains),
        attack_gated=any(verdict.gate == ATTACK for verdict in release.verdicts),
        nobody_checked=NOBODY_CHECKED,
        about=[(title, release.about[name]) for name, title in TITLES.items() if name in release.about],
        declared=_alike_together(declared),
        published_columns=len(declared),
        verdicts=[(verdict, *_texts_apart(verdict), remarks[verdict.place]) for verdict in judged],
        alike={table.name: alike_in(release.promise, table.figures.sensitive) for table in release.tables} if release.promise else {},
        closest=[(verdict, *_texts_apart(verdict)) for verdict in _closest(release.verdicts)],
        figures=figures,
        samples={sample.table: _cut(sample) for sample in content.samples},
        unlisted=len(release.verdicts) - len(judged),
        table_pictures={table.name: framed(draw_table(table, release.promise, "svg"), CAPTIONS) for table in drawn},
        plan_picture=framed(draw_plan(release, "svg"), CAPTIONS),
        utility_pictures=framed(draw_errors(release, "svg") | draw_losses(release, "svg"), CAPTIONS),
        plan_steps=tuple(_plan_steps(release)),
        against_one=_against_one(release),
        disclosures=tuple(_disclosures(content)),
        sides=_sides(release.outcomes),
        meanings=_meanings(release),
        changes=content.changes if isinstance(content.changes, Changes) else None,
        direction=DIRECTION,
        required=REQUIRED,
        uncompared=content.changes if isinstance(content.changes, str) else "",
        remarked=any(remarks.values()),
        glossary={name: meaning for name, meaning in GLOSSARY.items() if name in shown | _shown_elsewhere(release)},
    )


def _judged(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """What refuses first, and all of it; of the others those nearest to their bounds, where there are very many."""
    refused, passed = ([verdict for verdict in verdicts if verdict.passed is good] for good in (False, True))
    return [*refused, *foremost(passed, max(0, MOST_LINES - len(refused)), lambda verdict: -_room(verdict))]


def _drawn(release: MeasuredRelease) -> list[MeasuredTable]:
    """Of very many tables, those with a verdict that is nearest to its bound have pictures."""
    room: dict[str, float] = {}
    for verdict in release.verdicts:
        if verdict.table:
            room[verdict.table] = min(room.get(verdict.table, math.inf), _room(verdict))
    return foremost(release.tables, MOST_TABLES, lambda table: -room.get(table.name, math.inf))


def _cut(sample: Sample) -> Sample:
    """Of very many columns the first, which are the quasi-identifiers."""
    left = len(sample.columns) - MOST_CELLS
    if left <= 0:
        return sample
    columns = (*sample.columns[:MOST_CELLS], f"and {left:,} more columns")
    return Sample(sample.table, columns, tuple((*row[:MOST_CELLS], "…") for row in sample.rows))


def _alike_together(declared: tuple[DeclaredColumn, ...]) -> tuple[DeclaredColumn, ...]:
    """Where there are very many columns, those of which the policy says the same stand in one line."""
    if len(declared) <= MOST_LINES:
        return declared
    lines: dict[tuple[str, str, str], list[str]] = {}
    for column in declared:
        lines.setdefault((column.role, column.kind, column.remark), []).append(column.name)
    return tuple(DeclaredColumn(", ".join(names), *said) for said, names in lines.items())


def _as_sentence(remark: str) -> str:
    return f"{remark[0].upper()}{remark[1:]}." if remark else ""


def _declared(promise: Promise) -> Iterator[DeclaredColumn]:
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


def _closest(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Of each bound of each gate the verdict that is nearest to it, or furthest beyond."""
    closest: dict[str, Verdict] = {}
    for verdict in verdicts:
        before = closest.setdefault(verdict.key, verdict)
        if _room(verdict) < _room(before):
            closest[verdict.key] = verdict
    return list(closest.values())


def _room(verdict: Verdict) -> float:
    """How much of what is required is left, as a share; negative where it refuses."""
    if verdict.measured is None or verdict.required is None:
        return -math.inf
    room = (verdict.measured - verdict.required) * (1 if verdict.comparison is Comparison.AT_LEAST else -1)
    return room / (abs(verdict.required) or 1)


def _texts_apart(verdict: Verdict) -> tuple[str, str]:
    """Measured and required as text; in full where six digits would show two numbers as one."""
    if verdict.required is None:
        return figure_text(verdict.measured), "–"
    measured, required = figure_text(verdict.measured), figure_text(verdict.required)
    if measured == required and verdict.measured != verdict.required:
        measured, required = repr(verdict.measured), repr(verdict.required)
    return measured, f"{verdict.comparison} {required}" if verdict.asked is None else f"asked {verdict.asked:g}, allowed from {required}"


def _figures(figures: TableFigures) -> Iterator[ShownFigure]:
    """The figures of one table in reading order; those that were not measured are left out."""
    yield ShownFigure("rows", figure_text(figures.rows))
    yield ShownFigure("groups", figure_text(figures.groups))
    yield ShownFigure("mean group", figure_text(figures.mean_group))
    for figure in (figure for gate in GATES for figure in gate.figures if figure.title):
        each = list(figures.each(figure.name).items())
        way = -1 if figure.worst is Comparison.AT_LEAST else 1
        for of, value in foremost(each, MOST_BARS, partial(_worse, way)):
            yield ShownFigure(f"{figure.title}: {of}" if of else figure.title, figure_text(value), figure.per is Per.ATTRIBUTE)
    yield ShownFigure("information loss (NCP)", figure_text(figures.ncp))
    yield ShownFigure("discernibility", figure_text(figures.discernibility))
    if figures.query_error_mean is not None:
        yield ShownFigure("query error: mean", figure_text(figures.query_error_mean))
    if figures.query_error_low is not None and figures.query_error_high is not None:
        ends = (figure_text(end) for end in (figures.query_error_low, figures.query_error_high))
        yield ShownFigure("query error: 95 % interval of the mean", " to ".join(ends))
    if figures.query_error_median is not None:
        yield ShownFigure("query error: median", figure_text(figures.query_error_median))


def _worse(way: int, measured: tuple[str, float]) -> float:
    return way * measured[1]


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
    return tuple((title, tuple(sorted(chosen, key=lambda o: o.success))) for title, chosen in sides if chosen)


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

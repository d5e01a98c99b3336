"""What is required of a release, as its approvers read it: grouped by their questions, each a sentence with a bar and a margin."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from policies.gates.every_gate import GATES, gate_named
from policies.gates.reader_words import Question, Unit
from policies.gates.verdict import Comparison, Verdict
from policies.judging.verdicts import sentence_of
from tasks.reporting.candidate_page.page_content import CandidatePage
from tasks.reporting.language import Language, message
from tasks.reporting.measured_tables import LAST_TRIED
from tasks.reporting.shown_part import MOST_LINES, foremost

QUESTIONS = {
    Question.RECOGNIZED: message("Who could be recognized"),
    Question.LEARNED: message("What could be learned about somebody"),
    Question.TOGETHER: message("What several tables or versions tell together"),
    Question.COST: message("What it costs"),
}
AT_LEAST, AT_MOST = message("at least %(amount)s"), message("at most %(amount)s")
COUNTED = (Unit.PEOPLE, Unit.HOUSEHOLDS, Unit.VALUES)  # what is required of them stands beside what was measured, with its noun
TRIED = "in the last plan that was tried"
MOST_KNOWN = 6  # columns that a sentence names
WIDTH = 100  # of a bar
BEYOND = 1.25  # how far a bar reaches beyond the larger of its two figures


@dataclass(frozen=True)
class Bar:
    """Lengths out of WIDTH. What is allowed lies left of the mark, or right of it where at least so much is required."""

    measured: float
    required: float
    at_least: bool


@dataclass(frozen=True)
class Place:
    """One verdict. `where`: its table, its attribute, or both."""

    where: str
    measured: str
    required: str
    passed: bool
    remark: str


@dataclass(frozen=True)
class RequirementLine:
    """Verdicts that ask for the same: figures are those of the one that is nearest to what is required, or furthest beyond."""

    sentence: str
    passed: bool
    measured: str
    required: str
    margin: str
    bar: Bar | None
    gate: str
    meaning: str
    where: str
    places: tuple[Place, ...]
    unlisted: int
    cure: str


@dataclass(frozen=True)
class RequirementGroup:
    title: str
    lines: tuple[RequirementLine, ...]
    number: int
    passed: int


def requirement_groups(page: CandidatePage, language: Language, remarks: Mapping[tuple[object, ...], str]) -> tuple[RequirementGroup, ...]:
    """In the order of the questions; `remarks` by the place of a verdict. What refuses stands first in its group."""
    groups = []
    for question, title in QUESTIONS.items():
        verdicts = [verdict for verdict in page.verdicts if gate_named(verdict.gate).asks(verdict.bound) is question]
        lines = sorted((_line(alike, page, language, remarks) for alike in _alike(verdicts)), key=lambda line: line.passed)
        if lines:
            passed = sum(verdict.passed for verdict in verdicts)
            groups.append(RequirementGroup(language.say(title), tuple(lines), len(verdicts), passed))
    return tuple(groups)


def _alike(verdicts: Sequence[Verdict]) -> Iterator[list[Verdict]]:
    """In the order of the gates: those of one bound that ask for the same, whatever they are about."""
    alike: dict[tuple[object, ...], list[Verdict]] = {}
    for verdict in verdicts:
        of_all = verdict.attribute is None
        alike.setdefault((verdict.gate, verdict.bound, verdict.dictionary, verdict.required, of_all), []).append(verdict)
    order = [gate.name for gate in GATES]
    yield from sorted(alike.values(), key=lambda each: order.index(each[0].gate))


def _line(alike: list[Verdict], page: CandidatePage, language: Language, remarks: Mapping[tuple[object, ...], str]) -> RequirementLine:
    nearest = min(alike, key=room)
    gate = gate_named(nearest.gate)
    unit = gate.counts(nearest.bound)
    shown = foremost(sorted(alike, key=lambda verdict: verdict.passed), MOST_LINES, lambda verdict: -room(verdict))
    return RequirementLine(
        sentence=said_of(nearest, alike, page, language),
        passed=all(verdict.passed for verdict in alike),
        measured=amount(nearest.measured, unit, language),
        required=limit(nearest, unit, language),
        margin=margin(nearest, unit, language),
        bar=bar_of(nearest, unit),
        gate=nearest.key,
        meaning=language.say(gate.meaning),
        where=where_of(nearest, language) if len(alike) > 1 or nearest.attribute else "",
        places=tuple(
            Place(
                where=where_of(verdict, language),
                measured=language.exact(verdict.measured),
                required=exact_limit(verdict, language),
                passed=verdict.passed,
                remark=remarks.get(verdict.place, ""),
            )
            for verdict in shown
        ),
        unlisted=len(alike) - len(shown),
        cure=" ".join(dict.fromkeys(verdict.remedy for verdict in alike if not verdict.passed and verdict.remedy)),
    )


def said_of(verdict: Verdict, alike: Sequence[Verdict], page: CandidatePage, language: Language) -> str:
    """What is promised; where it is not kept, what was found."""
    gate = gate_named(verdict.gate)
    plain = (gate.plain_of_one if verdict.attribute else "") or gate.plain.get(verdict.bound)
    if not verdict.passed:
        return refusal_of(verdict, language)
    if plain is None or verdict.required is None:
        return language.say(gate.meaning)
    unit = gate.counts(verdict.bound)
    required = amount(verdict.required, unit, language)
    if unit is Unit.SHARE and gate.asks(verdict.bound) is Question.RECOGNIZED and 0 < verdict.required < 0.5:
        required = f"{required} ({language.one_in(verdict.required)})"
    return language.say(
        plain,
        required=required,
        known=known_of(page.known, language),
        attributes=known_of(list(dict.fromkeys(each.attribute for each in alike if each.attribute)), language),
        dictionary=verdict.dictionary or "",
    )


def refusal_of(verdict: Verdict, language: Language) -> str:
    """What was found. Where no plan passed, the table is one of the last that was tried."""
    tried = TRIED if verdict.table == LAST_TRIED else ""
    return language.reword(f"{sentence_of(verdict, tried).rstrip('.')}.")


def known_of(names: Sequence[str], language: Language) -> str:
    if not names:
        return language.say("what others may know")
    if len(names) <= MOST_KNOWN:
        return language.listed(names)
    more = language.count("%(number)s more column", "%(number)s more columns", len(names) - MOST_KNOWN + 1)
    return language.listed([*names[: MOST_KNOWN - 1], more])


def where_of(verdict: Verdict, language: Language) -> str:
    table = verdict.table or language.say("the whole release")
    return f"{verdict.attribute} · {table}" if verdict.attribute else table


def amount(number: float | None, unit: Unit, language: Language) -> str:
    """A figure with its unit."""
    if number is None:
        return language.say("not measured")
    match unit:
        case Unit.SHARE:
            return language.share(number)
        case Unit.POINTS:
            points = float(f"{100 * number:.12g}")
            return language.ngettext("%(number)s percentage point", "%(number)s percentage points", points) % {
                "number": language.number(points)
            }
        case Unit.PEOPLE:
            return language.count("%(number)s person", "%(number)s people", number)
        case Unit.HOUSEHOLDS:
            return language.count("%(number)s household", "%(number)s households", number)
        case Unit.VALUES:
            return language.count("%(number)s different value", "%(number)s different values", number)
        case Unit.ONE_IN:
            return language.say("1 in %(number)s", number=language.number(number))
        case Unit.NUMBER:
            return language.number(number)


def limit(verdict: Verdict, unit: Unit, language: Language) -> str:
    if verdict.required is None:
        return "–"
    unit = Unit.NUMBER if unit in COUNTED else unit
    if verdict.asked is not None:
        allowed = amount(verdict.required, unit, language)
        return language.say("%(asked)s asked for, %(allowed)s accepted", asked=amount(verdict.asked, unit, language), allowed=allowed)
    least = (verdict.comparison is Comparison.AT_LEAST) is not (unit is Unit.ONE_IN)  # 1 in 3 is less than 1 in 2
    return language.say(AT_LEAST if least else AT_MOST, amount=amount(verdict.required, unit, language))


def exact_limit(verdict: Verdict, language: Language) -> str:
    if verdict.required is None:
        return "–"
    if verdict.asked is not None:
        asked, allowed = language.exact(verdict.asked), language.exact(verdict.required)
        return language.say("%(asked)s asked for, %(allowed)s accepted", asked=asked, allowed=allowed)
    said = AT_LEAST if verdict.comparison is Comparison.AT_LEAST else AT_MOST
    return language.say(said, amount=language.exact(verdict.required))


def room(verdict: Verdict) -> float:
    """How much of what is required is left, as a share; negative where it refuses."""
    if verdict.measured is None or verdict.required is None:
        return -math.inf
    left = (verdict.measured - verdict.required) * (1 if verdict.comparison is Comparison.AT_LEAST else -1)
    return left / (abs(verdict.required) or 1)


def margin(verdict: Verdict, unit: Unit, language: Language) -> str:
    """How far it is from what is required."""
    if verdict.measured is None or verdict.required is None:
        return ""
    apart = abs(verdict.measured - verdict.required)
    if apart <= 1e-9 * max(1.0, abs(verdict.required)):
        return language.say("exactly at the limit")
    distance = amount(apart, Unit.POINTS if unit in (Unit.SHARE, Unit.POINTS) else Unit.NUMBER, language)
    if not verdict.passed:
        return language.say("misses the limit by %(distance)s", distance=distance)
    return language.say("%(distance)s from the limit", distance=distance)


def bar_of(verdict: Verdict, unit: Unit) -> Bar | None:
    if verdict.measured is None or verdict.required is None:
        return None
    largest = max(abs(verdict.measured), abs(verdict.required))
    whole = (largest or 1.0) * BEYOND
    if unit is Unit.SHARE and largest <= 1:
        whole = min(whole, 1.0)
    measured, required = (round(WIDTH * max(0.0, number) / whole, 1) for number in (verdict.measured, verdict.required))
    return Bar(measured, required, verdict.comparison is Comparison.AT_LEAST)

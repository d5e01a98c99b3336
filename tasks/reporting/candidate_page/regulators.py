"""The figures of a release under the names that regulators give them: `regulators.yaml` says which figure answers which clause."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources

from pydantic import TypeAdapter

from policies.gates.attack import ATTACK
from policies.gates.every_gate import GATES, gate_named
from policies.gates.reader_words import Unit
from policies.gates.verdict import Comparison
from policies.words.frozen import Frozen
from tasks.reporting.candidate_page.page_content import CandidatePage
from tasks.reporting.candidate_page.requirement_lines import amount, limit, room
from tasks.reporting.language import Language

FILE = "regulators.yaml"


class Clause(Frozen):
    """`read`: whether its own words were read at the text's source. `words` say it in ours."""

    term: str
    article: str
    read: bool
    words: str
    figures: tuple[str, ...]
    note: str = ""


class RegulatorsText(Frozen):
    name: str
    source: str
    clauses: tuple[Clause, ...]


class Regulators(Frozen):
    version: int
    texts: tuple[RegulatorsText, ...]


@dataclass(frozen=True)
class Answering:
    """One figure under a clause. `passed` is None where nothing is required of it."""

    gate: str
    measured: str
    required: str
    passed: bool | None


@dataclass(frozen=True)
class ShownClause:
    clause: Clause
    figures: tuple[Answering, ...]


@cache
def regulators() -> Regulators:
    from ruamel.yaml import YAML

    text = resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8")
    return TypeAdapter(Regulators).validate_python(YAML(typ="safe", pure=True).load(text))


def shown_clauses(text: RegulatorsText, page: CandidatePage, language: Language) -> tuple[ShownClause, ...]:
    """Every clause with all figures that the release has of it."""
    return tuple(
        ShownClause(clause, tuple(found for key in clause.figures for found in _answering(key, page, language))) for clause in text.clauses
    )


def _answering(key: str, page: CandidatePage, language: Language) -> Iterator[Answering]:
    """What is required, and the nearest to it; else what was measured and nobody required."""
    name, _, bound = key.partition(".")
    gate = gate_named(name)
    unit = gate.counts(bound or None)
    verdicts = [verdict for verdict in page.verdicts if verdict.gate == name and (verdict.bound or "") == bound]
    if verdicts:
        nearest = min(verdicts, key=room)
        passed = all(verdict.passed for verdict in verdicts)
        yield Answering(key, amount(nearest.measured, unit, language), limit(nearest, unit, language), passed)
        return
    measured = _measured(name, bound, page)
    if measured is not None:
        yield Answering(key, amount(measured, unit, language), language.say("nothing is required"), None)


def _measured(name: str, bound: str, page: CandidatePage) -> float | None:
    """The worst of all tables, of a figure that is measured whether it is required or not."""
    if name == ATTACK:
        gains = [gain.largest_gain for gain in page.attack_gains if gain.attack == bound and gain.largest_gain is not None]
        return max(gains, default=None)
    gate, wanted = gate_named(name), f"{name}_{bound}" if bound else name
    if wanted not in {figure.name for figure in gate.figures} or gate.counts(bound or None) is Unit.VALUES:
        return None
    known = [value for table in page.tables for value in table.figures.each(wanted).values()]
    worst = min if gate.compared(bound or None) is Comparison.AT_LEAST else max
    return worst(known) if known else None


def gates_named() -> set[str]:
    """Every key that a clause may name."""
    return {gate.name if bound is None else f"{gate.name}.{bound}" for gate in GATES for bound in gate.bounds}

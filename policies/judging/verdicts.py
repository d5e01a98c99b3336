"""Figures against promises: one verdict for each gate, table and bound. What could not be measured has not passed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from headgate.core.errors import Defect, InputRejected, RequirementNotMet
from policies.gates.every_gate import GATES, gate_named
from policies.gates.figures import ReleaseFigures, TableFigures
from policies.gates.verdict import Verdict
from policies.sealed.promise import Promise


def judge(promise: Promise, figures: Iterable[TableFigures]) -> tuple[Verdict, ...]:
    """Every requirement of the promise on every table of a release. One that no table was judged by has not passed."""
    tables = tuple(figures)
    published = [name for table in tables for name in table.sensitive]
    if len(set(published)) != len(published):
        raise InputRejected(
            "A sensitive column is published in two tables.", "Put each in one table: joined, they would tell more than either."
        )
    verdicts = tuple(verdict for table in tables for verdict in judge_table(promise, table))
    judged = {(verdict.gate, verdict.attribute, verdict.dictionary, verdict.bound) for verdict in verdicts}
    for gate in GATES:
        for requirement in promise.of(gate.name) if gate.of_tables else ():
            if requirement.place not in judged:
                raise Defect(f"No table was judged by {requirement.name}, which is required.", "Publish nothing; report this defect.")
    return verdicts


def judge_table(promise: Promise, figures: TableFigures) -> tuple[Verdict, ...]:
    """Every requirement that concerns one table, which may hold only some of the release's attributes."""
    return tuple(verdict for gate in GATES if gate.of_tables for verdict in gate.judge(promise.of(gate.name), figures))


def judge_whole(promise: Promise, release: ReleaseFigures) -> tuple[Verdict, ...]:
    """The bounds on the release as a whole: on what it may lose, on what attackers may gain, and on what it tells together with the
    versions before. What was not measured has not passed."""
    return tuple(gate.judge_release(requirement, release) for gate in GATES if not gate.of_tables for requirement in promise.of(gate.name))


def require_passed(verdicts: Iterable[Verdict]) -> None:
    """Raises for the first gate that has not passed. A release without verdicts has passed nothing."""
    judged = tuple(verdicts)
    if not judged:
        raise RequirementNotMet("No gate was judged.", "Judge every table before anything is sealed.", "gates")
    for verdict in judged:
        if not verdict.passed:
            raise refusal_of((verdict,))


def refusal_of(refused: Sequence[Verdict], where: str = "") -> RequirementNotMet:
    """The refusal for the first of these verdicts; its cure lists the others. `where` replaces the verdict's table."""
    first, *others = refused
    more = f" Also refused: {'; '.join(verdict.brief for verdict in others)}." if others else ""
    sentence = sentence_of(first, where)
    return RequirementNotMet(sentence, f"{first.remedy}{more}", first.gate, first.measured, first.required)


def remark_of(verdict: Verdict, tables: Sequence[TableFigures]) -> str:
    """What a reader of the verdict should know though it passed; empty where there is nothing."""
    figures = next((table for table in tables if table.name == verdict.table), None)
    return "" if figures is None else gate_named(verdict.gate).remark(verdict, figures)


def sentence_of(verdict: Verdict, where: str = "") -> str:
    """What was measured and what is required, in the words of the gate."""
    return gate_named(verdict.gate).refusal(verdict, where)

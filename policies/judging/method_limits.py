"""What the gates let a method look at while it makes groups, and what a search for a plan may take for granted."""

from __future__ import annotations

from collections.abc import Sequence

from headgate.core.columns import Table
from headgate.core.distance import Distance
from headgate.grouping.conditions import Condition
from headgate.grouping.limits import NeighbourhoodLimit
from policies.gates.every_gate import GATES, gate_named
from policies.judging.measure import composite_of
from policies.sealed.promise import Promise


def limits_of(promise: Promise, table: Table, names: Sequence[str], distance: Distance | None = None) -> tuple[NeighbourhoodLimit, ...]:
    """Limits on one projected table, which every method keeps: on all its sensitive columns together, then on each. `distance` is the
    callable's, where the promise names one."""
    columns, compared = table.select(names), distance or composite_of(promise)
    required = [(gate, promise.of(gate.name)) for gate in GATES]
    whole = (limit for gate, requirement in required for limit in gate.table_limits(requirement, columns, compared))
    single = (limit for column in columns for gate, requirement in required for limit in gate.column_limits(requirement, column, compared))
    return (*whole, *single)


def conditions_of(promise: Promise, names: Sequence[str]) -> tuple[Condition, ...]:
    """For methods that look at them while they work; where others made the groups, these gates only judge."""
    return tuple(condition for gate in GATES for condition in gate.conditions(promise.of(gate.name), names))


def monotone(promise: Promise) -> bool:
    """Can a merged table never pass where one of its parts failed? True for k, closeness and what is promised of single attributes."""
    return all(gate_named(requirement.gate).monotone(requirement) for requirement in promise.requirements)


def least_k(promise: Promise) -> int:
    """The smallest group size that every other gate leaves."""
    return max((gate_named(requirement.gate).least_k(requirement) for requirement in promise.requirements), default=1)

"""A projection plan and how it is checked: the tables, what the search tried, and one verdict a table however often it comes up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Column
from headgate.core.errors import InputRejected, RequirementNotMet
from headgate.core.tolerance import at_most
from headgate.projection.information import Associations, Plan, associations, figures_of


@dataclass(frozen=True)
class TableVerdict:
    """Can this table be anonymized and does it pass its gates? `reason` holds no data value."""

    passed: bool
    reason: str = ""


class TableAnswer(Protocol):
    @property
    def passed(self) -> bool: ...
    @property
    def reason(self) -> str: ...


CheckTable = Callable[[tuple[str, ...]], "TableAnswer | bool"]


@runtime_checkable
class Foreseeing(Protocol):
    """A check that learns which tables come next, in order, as long as all of them pass. It may try several at once."""

    def expect(self, tables: Iterator[tuple[str, ...]]) -> None: ...


@dataclass(frozen=True)
class SearchStep:
    """One plan that was tried. Attributes by number, since values of a set may have become names."""

    tables: Plan
    merged: tuple[tuple[int, ...], tuple[int, ...]] | None
    average_information: float | None
    association_loss: float
    information_exposure: float
    passed: bool
    reason: str = ""


@dataclass(frozen=True)
class Projection:
    """The chosen plan: `tables` by name, `numbers` by position in `columns`. `bound`: no plan that passes within the required
    association loss exposes less; None if the method does not know."""

    method: str
    tables: tuple[tuple[str, ...], ...]
    numbers: Plan
    columns: tuple[str, ...]
    association_loss: float
    information_exposure: float
    steps: tuple[SearchStep, ...]
    bound: float | None = None


class CheckPlan:
    """The verdicts of tables. Each table is checked once, because a merge leaves all other tables unchanged."""

    def __init__(self, columns: Sequence[Column], check: CheckTable | None) -> None:
        if len({column.name for column in columns}) != len(columns):
            raise InputRejected("Two sensitive attributes have the same name.", "Rename one of them.")
        self.names = tuple(column.name for column in columns)
        self._columns, self._check = columns, check
        self._verdicts: dict[frozenset[str], TableVerdict] = {}
        self.later: Iterator[tuple[int, ...]] = iter(())  # tables of the plans that follow, where they are known

    @cached_property
    def associations(self) -> Associations:
        """Of all pairs of attributes, once somebody asks for them: there may be millions."""
        return associations(self._columns)

    def table(self, attributes: Sequence[int]) -> TableVerdict:
        names = tuple(self.names[i] for i in attributes)
        key = frozenset(names)
        if key not in self._verdicts:
            self._verdicts[key] = _verdict(True if self._check is None else self._check(names))
        return self._verdicts[key]

    def plan(
        self,
        tables: Plan,
        association_loss: float | None,
        join_threat: float | None,
        merged: tuple[tuple[int, ...], tuple[int, ...]] | None = None,
    ) -> SearchStep:
        """Γα and Γβ first (they cost nothing), then each table until one fails. None: that threshold is not looked at."""
        loss, exposure = self._figures(tables)
        average = None if merged is None else self.associations.average_information([*merged[0], *merged[1]])
        step = SearchStep(tables, merged, average, loss, exposure, False)
        if association_loss is not None and not at_most(loss, association_loss):
            return replace(step, reason=f"association loss {loss:.4f} exceeds {association_loss:g}")
        if join_threat is not None and not at_most(exposure, join_threat):
            return replace(step, reason=f"information exposure {exposure:.4f} exceeds {join_threat:g}")
        if isinstance(self._check, Foreseeing):
            self._check.expect(tuple(self.names[i] for i in table) for table in chain(tables, self.later))
        for number, table in enumerate(tables):
            verdict = self.table(table)
            if not verdict.passed:
                return replace(step, reason=f"table {number + 1}: {verdict.reason}")
        return replace(step, passed=True)

    def _figures(self, tables: Plan) -> tuple[float, float]:
        return self.associations.figures(tables) if "associations" in vars(self) else figures_of(self._columns, tables)

    def refused(self, tables: Plan) -> Plan:
        """The tables that were checked and did not pass."""
        known = {table: self._verdicts.get(frozenset(self.names[i] for i in table)) for table in tables}
        return tuple(table for table, verdict in known.items() if verdict is not None and not verdict.passed)

    def refused_tables(self) -> NDArray[np.bool_]:
        """For each table, a set of attributes as bits: was it checked, and refused?"""
        refused = np.zeros(1 << len(self.names), dtype=np.bool_)
        for table, verdict in self._verdicts.items():
            refused[sum(1 << self.names.index(name) for name in table)] = not verdict.passed
        return refused

    def projection(self, method: str, step: SearchStep, steps: Sequence[SearchStep], bound: float | None = None) -> Projection:
        tables = tuple(tuple(self.names[i] for i in table) for table in step.tables)
        return Projection(method, tables, step.tables, self.names, step.association_loss, step.information_exposure, tuple(steps), bound)


def _verdict(answer: TableAnswer | bool) -> TableVerdict:
    """Anything but a plain yes or no, or an answer that says whether it passed, is an error: nothing passes by being truthy."""
    if isinstance(answer, bool | np.bool_):
        return TableVerdict(bool(answer), "" if answer else "refused by the check")
    passed = getattr(answer, "passed", None)
    if not isinstance(passed, bool | np.bool_):
        raise InputRejected(
            "The check of a table returned neither a bool nor a verdict.", "Return a bool, or something with `passed` and `reason`."
        )
    return TableVerdict(bool(passed), str(getattr(answer, "reason", "")))


class NoPlan(RequirementNotMet):
    """No plan passes; `steps` says what was tried."""

    def __init__(self, sentence: str, measured: float | None, required: float | None, remedy: str, steps: Sequence[SearchStep]) -> None:
        super().__init__(sentence, remedy, "plan", measured, required)
        self.steps = tuple(steps)
        self.args = (sentence, measured, required, remedy, self.steps)  # what it is made of again, where it is handed to another process


NOTHING_PASSES = "No plan passes."


def loses_too_much(loss: float, most: float) -> str:
    return f"The plan loses {loss:.6g} of the association between sensitive attributes; at most {most:.6g} is allowed."


def exposes_too_much(exposure: float, most: float) -> str:
    return f"Joining the tables of the plan exposes {exposure:.6g} of the information between attributes; at most {most:.6g} is allowed."


def check_threshold(value: float, key: str) -> float:
    if not 0.0 <= value <= 1.0:
        raise InputRejected(f"{key} = {value} is not between 0 and 1.", "Give a share.")
    return value

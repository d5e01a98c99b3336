"""CODIP* (paper "codip", Figure 4): start with every attribute in its own table and merge the most strongly associated tables.

Two readings differ from the print (DEFINITIONS §6): the loop also ends with one table (as printed it never does at β = 1), and where
a principle is not monotone in the attributes a plan that fails does not end the search: the last plan that passes stands."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

import numpy as np

from headgate.core.columns import Column
from headgate.core.tolerance import at_most
from headgate.projection.every_plan import MOST_EXACT, EveryPlan
from headgate.projection.information import NOTHING, Associations, Plan
from headgate.projection.plan import NOTHING_PASSES, CheckPlan, CheckTable, NoPlan, Projection, SearchStep, check_threshold, loses_too_much
from headgate.projection.rounding import rounded_up

METHOD = "codip*"


def codip_star(
    columns: Sequence[Column], association_loss: float, join_threat: float, check: CheckTable | None = None, monotone: bool = False
) -> Projection:
    """`check` anonymizes and gates one table, given the names of its attributes. `monotone`: a table that fails fails with more attributes
    too (k, closeness, l per attribute), so the first failing plan ends the search; composite (ε, δ) is not."""
    alpha, beta = check_threshold(association_loss, "association_loss"), check_threshold(join_threat, "join_threat")
    checker = CheckPlan(columns, check)
    checker.later = _merged_tables(checker.associations, beta)
    merging = Merging(checker.associations)  # steps 2–3
    step = checker.plan(tuple(merging.tables), None, beta)  # step 4
    steps = [step]
    last = step if step.passed else None
    while len(merging.tables) > 1 and (step.passed or not monotone):  # steps 6–13
        merged = merging.merge()  # steps 7, 10–11
        step = checker.plan(tuple(merging.tables), None, beta, merged)  # step 12
        steps.append(step)
        if not at_most(step.information_exposure, beta):
            break
        if step.passed:
            last = step
    if last is None or not at_most(last.association_loss, alpha):
        further = by_other_merges(checker, alpha, beta, monotone)
        if further is not None:
            return checker.projection(METHOD, further, [*steps, further])
    if last is None:
        raise NoPlan(NOTHING_PASSES, 0.0, 1.0, _remedy(steps) + _hint(checker, alpha, beta), steps)
    if not at_most(last.association_loss, alpha):  # step 14
        sentence = loses_too_much(last.association_loss, alpha)
        cure = _relax(checker, last, steps, alpha, beta, monotone) + _hint(checker, alpha, beta)
        raise NoPlan(sentence, last.association_loss, alpha, cure, steps)
    return checker.projection(METHOD, last, steps)


def by_other_merges(checker: CheckPlan, association_loss: float, join_threat: float, monotone: bool) -> SearchStep | None:
    """(ext) Where the merges of the paper end without a plan: the same without the merges that lead nowhere, the next strongest instead. A
    merge leads nowhere if the tables then expose too much when joined, or if the merged table is refused and both of its parts are not."""
    merging, figures = Merging(checker.associations), checker.associations
    refused: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
    if monotone and not all(checker.table(table).passed for table in merging.tables):
        return None
    while True:
        tables = tuple(merging.tables)
        if at_most(figures.association_loss(tables), association_loss) and at_most(figures.information_exposure(tables), join_threat):
            step = checker.plan(tables, association_loss, join_threat)
            if step.passed:
                return step
        pair = merging.strongest_pair(refused)
        while pair is not None and not _leads_on(checker, merging, pair, join_threat):
            refused.add((merging.tables[pair[0]], merging.tables[pair[1]]))
            pair = merging.strongest_pair(refused)
        if pair is None:
            return None
        merging.merge(pair)


def _leads_on(checker: CheckPlan, merging: Merging, pair: tuple[int, int], join_threat: float) -> bool:
    one, two = merging.tables[pair[0]], merging.tables[pair[1]]
    union = tuple(sorted((*one, *two)))
    others = [table for table in merging.tables if table not in (one, two)]
    if not at_most(checker.associations.information_exposure((*others, union)), join_threat):
        return False
    return checker.table(union).passed or not (checker.table(one).passed and checker.table(two).passed)


def _hint(checker: CheckPlan, alpha: float, beta: float) -> str:
    """What `optimal` could still find: it looks at plans that no merge led to."""
    if len(checker.names) > MOST_EXACT:
        return " `method: optimal` searches among other plans."
    every = EveryPlan(checker.associations)
    if every.next(every.within(alpha, beta), 0, checker.refused_tables()) < len(every.within(alpha, beta)):
        return " `method: optimal` tries every other plan that satisfies both thresholds."
    return ""


class Merging:
    """The tables, in order, with the sums of mutual information inside each and between each two. A merge adds two rows of sums, so the
    next AvgI of every pair of tables costs one division each."""

    def __init__(self, figures: Associations) -> None:
        size = len(figures.names)
        self.tables: list[tuple[int, ...]] = [(i,) for i in range(size)]
        self._between = figures.information.copy()
        self._inside = np.zeros(size)
        self._sizes = np.ones(size, dtype=np.int64)

    def strongest_pair(self, without: Container[tuple[tuple[int, ...], tuple[int, ...]]] = ()) -> tuple[int, int] | None:
        """The two tables with the largest AvgI over all pairs of their union, none of those that are to be left out; ties go to those whose
        first attributes come first. None if there is no pair."""
        sizes = self._sizes[:, None] + self._sizes[None, :]
        sums = self._between + self._inside[:, None] + self._inside[None, :]
        allowed = np.triu(np.ones(sums.shape, dtype=bool), 1)
        if without:
            for i, j in zip(*np.nonzero(allowed), strict=True):
                allowed[i, j] = (self.tables[i], self.tables[j]) not in without
        if not allowed.any():
            return None
        average = np.where(allowed, sums / (sizes * (sizes - 1) / 2), -1.0)
        first, second = divmod(int(np.argmax(average >= average.max() - NOTHING)), len(self.tables))
        return first, second

    def merge(self, pair: tuple[int, int] | None = None) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Of two tables, the strongest pair unless others are named, that of lower number takes the other in. Tables stay ordered by their
        first attributes."""
        strongest = pair or self.strongest_pair()
        if strongest is None:
            raise ValueError("one table is left")
        first, second = strongest
        merged = self.tables[first], self.tables[second]
        self.tables[first] = tuple(sorted((*merged[0], *merged[1])))
        self._inside[first] += self._inside[second] + self._between[first, second]
        self._sizes[first] += self._sizes[second]
        self._between[first] += self._between[second]
        self._between[:, first] = self._between[first]
        self._between[first, first] = 0.0
        del self.tables[second]
        self._inside, self._sizes = np.delete(self._inside, second), np.delete(self._sizes, second)
        self._between = np.delete(np.delete(self._between, second, 0), second, 1)
        return merged


def _merged_tables(figures: Associations, join_threat: float) -> Iterator[tuple[int, ...]]:
    """The tables that merges make, as far as β allows. The sequence of merges does not depend on which tables pass."""
    merging = Merging(figures)
    while len(merging.tables) > 1:
        first, second = merging.merge()
        if not at_most(figures.information_exposure(tuple(merging.tables)), join_threat):
            return
        yield tuple(sorted((*first, *second)))


def _remedy(steps: Sequence[SearchStep]) -> str:
    first = steps[0].reason.rstrip(".")
    return f"No plan passes. With one table per attribute: {first}. Relax the settings of that table, or run `headgate advise`."


def _relax(checker: CheckPlan, last: SearchStep, steps: Sequence[SearchStep], alpha: float, beta: float, monotone: bool) -> str:
    """Which threshold would let a plan pass, and by how much. Each figure that is named is enough by itself."""
    cures = [f"raise association_loss to {rounded_up(last.association_loss)} or more"]
    refused = steps[-1]
    if not refused.passed and not at_most(refused.information_exposure, beta):
        further = first_kept(checker, alpha, monotone)
        if further is not None:
            cures.append(f"raise join_threat to {rounded_up(further.information_exposure)} or more, so that more tables may be merged")
    failing = next((step for step in steps if not step.passed and at_most(step.association_loss, alpha)), None)
    if failing is not None and failing is not refused:
        cures.append(f"relax what refused a plan with association loss {failing.association_loss:.4f} ({failing.reason})")
    elif not refused.passed and at_most(refused.information_exposure, beta):
        cures.append(f"relax what refused the next merge ({refused.reason})")
    return "To publish: " + "; or ".join(cures) + "."


def first_kept(checker: CheckPlan, association_loss: float, monotone: bool = False) -> SearchStep | None:
    """The least exposed plan on the way of the merges that keeps enough association and passes, whatever it exposes; None if there is
    none."""
    merging = Merging(checker.associations)
    while True:
        tables = tuple(merging.tables)
        kept = at_most(checker.associations.association_loss(tables), association_loss)
        if kept or monotone:  # elsewhere it does not matter whether it passes, and asking may take long
            step = checker.plan(tables, None, None)
            if kept and step.passed:
                return step
            if monotone and not step.passed:
                return None
        if len(tables) == 1:
            return None
        merging.merge()


def path_around(figures: Associations, association_loss: float) -> list[Plan]:
    """The first merge that satisfies the association loss: its plan, the plan before it, and the plan of separate tables."""
    merging = Merging(figures)
    first = before = tuple(merging.tables)
    while len(merging.tables) > 1 and not at_most(figures.association_loss(tuple(merging.tables)), association_loss):
        before = tuple(merging.tables)
        merging.merge()
    return list(dict.fromkeys([tuple(merging.tables), before, first]))

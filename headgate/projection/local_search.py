"""Plans of many attributes, made better step by step: an attribute moves, two change places, two tables become one."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np
from numpy.typing import NDArray

from headgate.projection.information import NOTHING, Associations, Plan

PENALTY = 100.0  # for a unit of Γα too much; Γβ is never above 1, so what is far outside is never worth it
KICKS = 20  # random moves of a few attributes from the best plan on, each followed by a descent
KICKED = 3  # attributes
SEED = 1

Refused = AbstractSet[frozenset[int]]


class LocalSearch:
    """Steepest descent on Γβ with Γα ≤ α. The same figures give the same plans: kicks are drawn from a fixed seed."""

    def __init__(self, figures: Associations, association_loss: float) -> None:
        self.size = len(figures.names)
        self.alpha = association_loss
        total, exposable = figures.total_information, figures.total_exposable
        self._kept = figures.information / total if total >= NOTHING else np.zeros_like(figures.information)
        self._exposed = figures.exposable / (exposable * self.size) if exposable >= NOTHING else np.zeros_like(figures.exposable)
        self._lossless = total < NOTHING

    def best(self, starts: Sequence[Plan], refused: Refused = frozenset(), kicks: int = KICKS) -> Plan | None:
        """The least exposed plan that was come across with Γα ≤ α and no refused table."""
        ends = [plan for start in starts if (plan := self._descend(self._numbers(start), refused)) is not None]
        best = min(ends, key=self._cost_of, default=None)
        draw = np.random.default_rng(SEED)
        for _ in range(kicks if best is not None and self.size > 2 else 0):
            kicked = best.copy() if best is not None else np.zeros(self.size, dtype=np.int64)
            chosen = draw.choice(self.size, min(KICKED, self.size), replace=False)
            kicked[chosen] = draw.integers(0, kicked.max() + 2, len(chosen))
            end = self._descend(np.unique(kicked, return_inverse=True)[1], refused)
            if end is not None and best is not None and self._cost_of(end) < self._cost_of(best) - NOTHING:
                best = end
        return None if best is None else _plan(best)

    def _numbers(self, plan: Plan) -> NDArray[np.int64]:
        table_of = np.zeros(self.size, dtype=np.int64)
        for number, table in enumerate(plan):
            table_of[list(table)] = number
        return table_of

    def _cost_of(self, table_of: NDArray[np.int64]) -> float:
        together = np.triu(table_of[:, None] == table_of[None, :], 1)
        sizes = np.bincount(table_of)[table_of]
        exposure = float((self._exposed * together * sizes[:, None]).sum())
        return exposure + PENALTY * self._excess(float((self._kept * together).sum()))

    def _excess(self, kept: float) -> float:
        return 0.0 if self._lossless else max(0.0, 1.0 - kept - self.alpha - NOTHING)

    def _descend(self, table_of: NDArray[np.int64], refused: Refused) -> NDArray[np.int64] | None:
        """While the plan holds refused tables, the least costly step that changes one of them; then what costs less. Steps that make a
        refused table are never taken, so there are fewer of them after each of the first kind, and it ends."""
        while True:
            broken = {number for number in set(table_of.tolist()) if refused and _members(table_of, number) in refused}
            limit = np.inf if broken else self._cost_of(table_of) - NOTHING
            following = self._step(table_of, refused, broken, limit)
            if following is None:
                outside = bool(broken) or self._excess(float((self._kept * np.triu(table_of[:, None] == table_of[None, :], 1)).sum())) > 0.0
                return None if outside else table_of
            if not broken and self._cost_of(following) >= self._cost_of(table_of):
                return table_of  # what looked like a gain was rounding
            table_of = following

    def _step(self, table_of: NDArray[np.int64], refused: Refused, broken: AbstractSet[int], limit: float) -> NDArray[np.int64] | None:
        """The least costly step below `limit`, or None."""
        costs, tables = self._costs(table_of)
        while True:
            place = int(np.argmin(costs))
            if not costs[place] < limit:
                return None
            costs[place] = np.inf
            following, changed = self._taken(table_of, place, tables)
            if broken and not broken & changed:
                continue
            if refused and any(_members(following, number) in refused for number in changed):
                continue
            return np.unique(following, return_inverse=True)[1]

    def _costs(self, table_of: NDArray[np.int64]) -> tuple[NDArray[np.float64], int]:
        """The costs of all moves (attribute, table), exchanges (attribute, attribute) and merges (table, table), one after the other.
        The last table is a new one."""
        tables, everyone = int(table_of.max()) + 2, np.arange(self.size)
        member = np.zeros((self.size, tables))
        member[everyone, table_of] = 1.0
        sizes = member.sum(axis=0)
        kept, exposed = self._kept @ member, self._exposed @ member
        inside, outside = (kept * member).sum() / 2, (exposed * member).sum(axis=0) / 2
        shares = outside * sizes
        mine, own = table_of, sizes[table_of]
        here_kept, here_exposed = kept[everyone, mine], exposed[everyone, mine]
        leaving = (outside[mine] - here_exposed) * (own - 1) - shares[mine]
        entering = (outside[None, :] + exposed) * (sizes[None, :] + 1) - shares[None, :]
        move = self._cost(shares.sum() + leaving[:, None] + entering, inside + kept - here_kept[:, None])
        move[everyone, mine] = np.inf

        there_kept, there_exposed = kept[:, mine], exposed[:, mine]  # of i with the table of j
        change = (there_exposed - here_exposed[None, :] - self._exposed) * own[None, :]  # the table of j, when i takes j's place
        gain = there_kept - here_kept[None, :] - self._kept
        exchange = self._cost(shares.sum() + change + change.T, inside + gain + gain.T)
        exchange[(mine[:, None] == mine[None, :]) | (everyone[:, None] >= everyone[None, :])] = np.inf

        both_kept, both_exposed = member.T @ kept, member.T @ exposed
        joined = (outside[:, None] + outside[None, :] + both_exposed) * (sizes[:, None] + sizes[None, :])
        merge = self._cost(shares.sum() + joined - shares[:, None] - shares[None, :], inside + both_kept)
        merge[np.tril(np.ones(merge.shape, dtype=bool))] = np.inf
        merge[:, -1] = np.inf
        return np.concatenate([move.ravel(), exchange.ravel(), merge.ravel()]), tables

    def _cost(self, exposure: NDArray[np.float64], kept: NDArray[np.float64]) -> NDArray[np.float64]:
        excess = 0.0 if self._lossless else np.maximum(0.0, 1.0 - kept - self.alpha - NOTHING)
        return np.asarray(exposure + PENALTY * excess)

    def _taken(self, table_of: NDArray[np.int64], place: int, tables: int) -> tuple[NDArray[np.int64], set[int]]:
        """The tables after a step, and the numbers of those that it changed."""
        following = table_of.copy()
        moves, exchanges = self.size * tables, self.size * self.size
        if place < moves:
            attribute, table = divmod(place, tables)
            following[attribute] = table
            return following, {int(table_of[attribute]), table}
        if place < moves + exchanges:
            left, right = divmod(place - moves, self.size)
            following[left], following[right] = table_of[right], table_of[left]
            return following, {int(table_of[left]), int(table_of[right])}
        first, second = divmod(place - moves - exchanges, tables)
        following[following == second] = first
        return following, {first, second}


def _plan(table_of: NDArray[np.int64]) -> Plan:
    return tuple(sorted(tuple(np.flatnonzero(table_of == number).tolist()) for number in np.unique(table_of)))


def _members(table_of: NDArray[np.int64], number: int) -> frozenset[int]:
    return frozenset(np.flatnonzero(table_of == number).tolist())

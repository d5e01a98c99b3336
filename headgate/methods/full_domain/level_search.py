"""Full-domain generalization: which nodes of the lattice are valid, which of them are minimal, and which costs least.

A node's groups that fail a condition are suppressed as a whole; it is valid if the rows suppressed are at most the share allowed and a
group is left. Conditions that prune (promises) tag the lattice: what fails them fails at every finer node, what keeps
them keeps them at every coarser one. Where others are asked for too, every node that keeps the prunable part is counted.

With closeness and suppression the distribution is that of the released rows (DEFINITIONS §6): the groups that keep everything else are
compared with their own rows together, those too far away are suppressed, and so on with what remains until none is. What was suppressed
does not come back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes, Table
from headgate.core.errors import InputRejected, RequirementNotMet
from headgate.core.published_form.levels import levels_of
from headgate.grouping.watch import TOTAL, Watch
from headgate.methods.full_domain.level_recount import broken_promises
from headgate.methods.full_domain.level_settings import LevelSettings
from headgate.methods.full_domain.node_counts import Counting
from headgate.methods.full_domain.objective import NCP, OBJECTIVES, SAME, Objective
from headgate.methods.full_domain.tagging import classify
from headgate.methods.settings import check_settings


@dataclass(frozen=True, eq=False)
class FullDomainResult:
    """`groups` has one number per row, −1 for suppressed rows. If no node is valid, `reached` is false and every row is −1."""

    reached: bool
    levels: dict[str, int]
    groups: Codes
    suppressed: int
    loss: float  # the objective at the optimum
    ncp: float  # over all rows, a suppressed one counting 1
    valid_nodes: int
    checked_nodes: int  # whose groups were counted
    nodes: int
    minimal: tuple[tuple[int, ...], ...]  # valid nodes without a finer valid one
    optimum: tuple[int, ...]
    count: int  # groups
    smallest: int
    valid: NDArray[np.bool_] = field(repr=False)  # one flag per node, one axis per quasi-identifier

    def require(self, table: str = "") -> FullDomainResult:
        """Returns this result if a node is valid; otherwise raises the refusal, with its cure."""
        if self.reached:
            return self
        cure = "Lower k or the other thresholds, allow more suppression, or add levels to the hierarchies."
        place = f" in {table}" if table else ""
        raise RequirementNotMet(f"No node of the lattice is valid{place}.", cure, "levels", 0.0, 1.0)


def full_domain(table: Table, sensitive: Sequence[str], settings: LevelSettings, watch: Watch | None = None) -> FullDomainResult:
    """The optimum over all valid nodes; of several that with the fewest steps up, then the first in the order of levels.

    The same table gives the same answer."""
    _check(table, sensitive, settings)
    watched = watch or Watch()
    return watched.run(lambda: _search(table, settings, watched))


def _search(table: Table, settings: LevelSettings, watch: Watch) -> FullDomainResult:
    columns = table.select(table.quasi)
    levels = tuple(levels_of(column) for column in columns)
    counts = [column.counts() for column in columns]
    objective = Objective.of(settings.objective, levels, counts)
    counting = Counting(table, levels, settings, objective, watch)
    if settings.every_node or counting.all_prunes:
        valid = classify(counting, watch)
        best, cost = _optimum(counting, valid)
    else:
        valid, best, cost = _cheapest(counting, watch)
    names = [column.name for column in columns]
    if best is None:
        none = np.full(table.rows, -1, dtype=np.int32)
        nodes = int(valid.size)
        return FullDomainResult(False, {}, none, 0, float("nan"), float("nan"), 0, counting.checked, nodes, (), (), 0, 0, valid)
    groups, ncp = counting.publish(best, Objective.of(NCP, levels, counts))
    sizes = np.bincount(groups[groups >= 0])
    suppressed = int((groups < 0).sum())
    level = dict(zip(names, best, strict=True))
    broken = broken_promises(table, groups, level, settings)
    if broken:
        raise RequirementNotMet(f"The recount shows groups that break {broken[0]}.", "Report this defect with the policy.", "levels")
    return FullDomainResult(
        reached=True,
        levels=level,
        groups=groups,
        suppressed=suppressed,
        loss=cost,
        ncp=ncp,
        valid_nodes=int(valid.sum()),
        checked_nodes=counting.checked,
        nodes=int(valid.size),
        minimal=_minimal(valid),
        optimum=best,
        count=len(sizes),
        smallest=int(sizes.min()),
        valid=valid,
    )


def _optimum(counting: Counting, valid: NDArray[np.bool_]) -> tuple[tuple[int, ...] | None, float]:
    """Nodes in the order of their bounds, until no bound is below the best cost."""
    least = counting.bound
    candidates = np.argwhere(valid)
    order = np.argsort(least[valid], kind="stable")
    costs: list[tuple[float, tuple[int, ...]]] = []
    best = np.inf
    for place in order:
        node = tuple(int(step) for step in candidates[place])
        if least[node] > best + SAME * max(1.0, abs(best)):
            continue
        cost = counting.cost(node)
        costs.append((cost, node))
        best = min(best, cost)
    return _first_of(costs, best)


def _cheapest(counting: Counting, watch: Watch) -> tuple[NDArray[np.bool_], tuple[int, ...] | None, float]:
    """The optimum by looking at nodes from the least bound up, but for those finer than one that fails what prunes; and which nodes among
    those looked at are valid."""
    least = counting.bound
    fails, valid = np.zeros(least.shape, dtype=bool), np.zeros(least.shape, dtype=bool)
    watch.state[TOTAL] = least.size
    best = np.inf
    costs: list[tuple[float, tuple[int, ...]]] = []
    for place in np.argsort(least, axis=None, kind="stable"):
        node = tuple(int(step) for step in np.unravel_index(place, least.shape))
        if fails[node] or least[node] > best + SAME * max(1.0, abs(best)):
            continue
        counted = counting.count(node)
        if not counted.prunable:
            fails[tuple(slice(0, level + 1) for level in node)] = True
        elif counted.valid:
            valid[node] = True
            costs.append((counted.cost, node))
            best = min(best, counted.cost)
    return valid, *_first_of(costs, best)


def _first_of(costs: Sequence[tuple[float, tuple[int, ...]]], best: float) -> tuple[tuple[int, ...] | None, float]:
    """Of the nodes that cost no more than the best, the one with the fewest steps up; on a tie, the first in the order of levels."""
    near = [(sum(node), node, cost) for cost, node in costs if cost <= best + SAME * max(1.0, abs(best))]
    return min(near)[1:] if near else (None, float("nan"))


def _minimal(valid: NDArray[np.bool_]) -> tuple[tuple[int, ...], ...]:
    """Valid nodes none of whose direct finer nodes has a valid one at or below it."""
    reached = valid
    below = np.zeros_like(valid)
    for axis in range(valid.ndim):
        reached = np.logical_or.accumulate(reached, axis=axis)
    for axis in range(valid.ndim):
        coarser, finer = [slice(None)] * valid.ndim, [slice(None)] * valid.ndim
        coarser[axis], finer[axis] = slice(1, None), slice(None, -1)
        below[tuple(coarser)] |= reached[tuple(finer)]
    return tuple(tuple(int(level) for level in node) for node in np.argwhere(valid & ~below))


def _check(table: Table, sensitive: Sequence[str], settings: LevelSettings) -> None:
    check_settings(table, settings.k, settings.limits)
    if not 0 <= settings.suppression <= 1:
        raise InputRejected("The share of rows to suppress is not between 0 and 1.", "Give a decimal between 0 and 1, such as 0.05.")
    if settings.objective not in OBJECTIVES:
        raise InputRejected("The objective is unknown.", f"Use one of {', '.join(OBJECTIVES)}.")
    for condition in settings.conditions:
        if condition.column not in (*sensitive, table.household) or condition.column not in table.columns:
            raise InputRejected(f"A condition is on '{condition.column}', which is not sensitive here.", "Name sensitive attributes.")

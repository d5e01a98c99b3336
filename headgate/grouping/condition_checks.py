"""Does a group hold every condition and neighbourhood limit? Compiled, on how often each value occurs in it.

A group without any sensitive value of an attribute has nothing to protect there (DEFINITIONS §5), but for closeness, which compares all
values. Real figures get half of the tolerance that the check at the end gives, so that rounding lets nothing through that it refuses.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import dividing, inner, loop, making
from headgate.grouping.condition_distances import Scratch, distance_from_table
from headgate.grouping.condition_rules import DISTINCT, ENTROPY, FLAT, TREE, Rules
from headgate.grouping.nearness import EQUAL, RANGE, Nearness, similar
from headgate.grouping.sorting import sorted_order
from headgate.grouping.watch import STOP

HALF_TOLERANCE = 5e-10
EXACT = 2_048  # different values in a block beyond which cuts are guessed; what is guessed is counted in full before it stands
SAMPLED = 128


@loop
def scratch_for(rules: Rules, limits: Nearness, state: NDArray[np.int64], exact: int) -> Scratch:
    room = nodes = 1
    for attribute in rules.attributes:
        room = max(room, attribute.values_end - attribute.first_value)
    for l in range(len(limits.of)):  # noqa: E741
        room = max(room, limits.of[l].values)
    for rule in rules.conditions:
        if rule.principle == TREE:
            nodes = max(nodes, rule.shares_end - rule.shares)
    return Scratch(np.zeros(room, np.int64), np.zeros(room, np.int64), np.zeros(nodes), state, exact)


@loop
def holds(rules: Rules, limits: Nearness, rows: NDArray[np.int64], weight: NDArray[np.int64], scratch: Scratch) -> bool:
    """The group of these rows, each standing for `weight` equal ones. Cheap questions first."""
    size = np.int64(0)
    for w in weight:
        size += w
    for i in range(len(rules.attributes)):
        different = _tally(rules.value, i, rows, weight, scratch)
        kept = _rules_hold(rules, rules.attributes[i], scratch, different, size)
        _forget(scratch, different)
        if not kept:
            return False
    for l in range(len(limits.of)):  # noqa: E741
        if limits.allowed[l, size] >= size:
            continue
        different = _tally(limits.value, l, rows, weight, scratch)
        kept = _neighbourhoods_hold(limits, l, scratch, different, limits.allowed[l, size])
        _forget(scratch, different)
        if not kept:
            return False
    return True


@inner
def _tally(value: NDArray[np.int32], slot: int, rows: NDArray[np.int64], weight: NDArray[np.int64], scratch: Scratch) -> int:
    """How many different values there are; scratch.values lists them."""
    different = 0
    for i in range(len(rows)):
        v = value[rows[i], slot]
        if scratch.tally[v] == 0:
            scratch.values[different] = v
            different += 1
        scratch.tally[v] += weight[i]
    return different


@inner
def _forget(scratch: Scratch, different: int) -> None:
    for i in range(different):
        scratch.tally[scratch.values[i]] = 0


@inner
def _rules_hold(rules: Rules, attribute: Any, scratch: Scratch, different: int, size: int) -> bool:
    sensitive = rules.sensitive[attribute.first_value : attribute.values_end]
    largest = np.int64(0)
    for i in range(different):
        v = scratch.values[i]
        if sensitive[v]:
            largest = max(largest, scratch.tally[v])
    for c in range(attribute.rules, attribute.rules_end):
        rule = rules.conditions[c]
        numbers, shares = rules.numbers[rule.numbers : rule.numbers_end], rules.shares[rule.shares : rule.shares_end]
        if rule.principle >= FLAT:
            far = distance_from_table(rule, numbers, shares, len(sensitive) - 1, scratch, different, size)
            if far > rule.bound + HALF_TOLERANCE * max(1.0, rule.bound):
                return False
        elif largest > 0 and not _diverse(rule, numbers, scratch, different, size, largest):
            return False
    return True


@dividing
def _diverse(rule: Any, numbers: NDArray[np.int64], scratch: Scratch, different: int, size: int, largest: int) -> bool:
    """`largest`: rows of the most frequent sensitive value."""
    if rule.principle == DISTINCT:
        return bool(different >= rule.level)
    if rule.principle == ENTROPY:
        total = 0.0
        for i in range(different):
            count = scratch.tally[scratch.values[i]]
            total += count * np.log(count)
        # e^H with H = ln s − Σ n·ln n / s
        return bool(size * np.exp(-total / size) >= rule.bound - HALF_TOLERANCE * rule.bound)
    return bool(_rest(scratch, different, size, largest, rule.level) > numbers[largest])


@making
def _rest(scratch: Scratch, different: int, size: int, largest: int, level: int) -> int:
    """What remains when the most frequent sensitive value and the l − 2 most frequent of the others are ruled out."""
    counts = scratch.tally[scratch.values[:different]]
    falling = counts[sorted_order(-counts)]
    left, others, passed = np.int64(size - largest), 0, False
    for count in falling:
        if count == largest and not passed:
            passed = True
            continue
        if others == level - 2:
            break
        left -= count
        others += 1
    return left  # type: ignore[return-value]


@inner
def _neighbourhoods_hold(limits: Nearness, l: int, scratch: Scratch, different: int, cap: int) -> bool:  # noqa: E741
    """At most `cap` rows are similar to any centre."""
    start = limits.of[l].start
    for i in range(different):
        v = scratch.values[i]
        if scratch.tally[v] > cap and limits.own[start + v].centre:
            return False
    if limits.of[l].form == EQUAL:
        return True
    if limits.of[l].form == RANGE:
        return bool(_ranges_hold(limits, start, scratch, different, cap))
    step = 1 if different <= scratch.exact else different // SAMPLED
    for i in range(0, different, step):
        v = scratch.values[i]
        if scratch.state[STOP] != 0:
            return False
        if not limits.own[start + v].centre:
            continue
        if _rows_near(limits, l, v, scratch.values[:different], scratch.tally, cap) > cap:
            return False
    return True


@inner
def _rows_near(limits: Nearness, l: int, v: int, values: NDArray[np.int64], tally: NDArray[np.int64], cap: int) -> int:  # noqa: E741
    """Rows similar to a value; no further than needed to see that they are more than `cap`."""
    near = np.int64(0)
    for other in values:
        if similar(limits, l, v, other):
            near += tally[other]
            if near > cap:
                break
    return near  # type: ignore[return-value]


@making
def _ranges_hold(limits: Nearness, start: int, scratch: Scratch, different: int, cap: int) -> bool:
    """Similar values are adjacent, so two ends that only move forward find every range."""
    values = scratch.values[:different]
    rising = values[sorted_order(values)]
    low, high, near = 0, 0, np.int64(0)
    for v in rising:
        while high < different and rising[high] <= limits.own[start + v].last:
            near += scratch.tally[rising[high]]
            high += 1
        while rising[low] < limits.own[start + v].first:
            near -= scratch.tally[rising[low]]
            low += 1
        if near > cap and limits.own[start + v].centre:
            return False
    return True

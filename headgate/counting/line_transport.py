"""Earth mover's distances from each class to the whole table, on a line of equally spaced points (for `closeness`).

If no cell is missing, a search between the values of a class is enough. Missing is at distance 1 from every point, so with missing cells
the transport is partial: the surplus costs 1 per unit, and the rest is matched at the lowest cost. `_partial` does this along the whole
line, `_dearest` from the few values of a small class.
"""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from headgate.core.compiling import dividing, inner, making

FEW = 2  # a class with fewer than √(points/2) values is faster by its own values than along the whole line


@dividing
def over_full_line(
    starts: NDArray[np.int64],
    codes: NDArray[np.int64],
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    below: NDArray[np.int64],
    rows: int,
) -> NDArray[np.float64]:
    """The distances if no cell is missing. `below` holds the number of the table's rows up to each point. Between two neighbouring
    values of a class, the class's cumulated share is constant and the table's ascends, so the two cross at most once. A binary search
    finds the crossing, and sums of `below` give the rest. The number of steps depends on the values of the class, not on the points of
    the line."""
    points = len(below)
    out = np.zeros(len(sizes))
    if points < 2:
        return out
    area = np.zeros(points + 1, np.int64)  # of `below`, before each point
    for i in range(points):
        area[i + 1] = area[i] + below[i]
    for group in range(len(sizes)):
        size, here, first = sizes[group], 0, 0
        for i in range(starts[group], starts[group + 1] + 1):
            last = codes[i] if i < starts[group + 1] else points - 1
            low, high = first, last  # the first point of the run where the table has more below than the class
            while low < high:
                middle = (low + high) // 2
                if below[middle] * size > here * rows:
                    high = middle
                else:
                    low = middle + 1
            share = here / size
            out[group] += (low - first) * share - (area[low] - area[first]) / rows
            out[group] += (area[last] - area[low]) / rows - (last - low) * share
            if i < starts[group + 1]:
                here += counts[i]
                first = last
        out[group] = max(out[group] / (points - 1), 0.0)
    return out


@dividing
def over_line(
    starts: NDArray[np.int64],
    codes: NDArray[np.int64],
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    table: NDArray[np.float64],
    table_missing: float,
) -> NDArray[np.float64]:
    """The distances on a line of length 1 with equally spaced points, and a missing point at distance 1 from all of them."""
    points = len(table)
    below, moment = np.zeros(points + 1), np.zeros(points + 1)  # the table's share, and share times place, before each point
    for i in range(points):
        below[i + 1] = below[i] + table[i]
        moment[i + 1] = moment[i] + i * table[i]
    out, share = np.zeros(len(sizes)), np.zeros(points)
    for group in range(len(sizes)):
        first, missing = starts[group], 0.0
        if first < starts[group + 1] and codes[first] < 0:
            missing = counts[first] / sizes[group]
            first += 1
        surplus = missing - table_missing
        out[group] = abs(surplus)
        if points < 2 or first == starts[group + 1]:
            continue
        at, shares = codes[first : starts[group + 1]], counts[first : starts[group + 1]] / sizes[group]
        if FEW * len(at) ** 2 < points:
            cost = _dearest(at, shares, below, moment, surplus < 0.0)
        else:
            share[at] = shares
            cost = _partial(table, share, -surplus) if surplus < 0.0 else _partial(share, table, surplus)
            share[at] = 0.0
        out[group] += cost / (points - 1)
    return out


@making
def _partial(small: NDArray[np.float64], large: NDArray[np.float64], surplus: float) -> float:
    """The smallest Σ|cumulated difference| between `small` and the remainder of `large` if `surplus` of `large` may stay unmatched.

    Let R(i) be the amount of large[0..i] that stays unmatched. Minimize Σ|R(i) − (L(i) − S(i))| subject to 0 ≤ R(i) − R(i−1) ≤ large[i],
    R(−1) = 0 and R(last) = surplus. The cost is convex and piecewise linear in R. Two heaps keep its breakpoints (slope trick); the
    bound large[i] on a step shifts the right ones. An empty left heap stands for the wall at R ≥ 0. The wall at L(i) never binds, since
    L(i) − S(i) ≤ L(i)."""
    left, right = [0.0 for _ in range(0)], [0.0 for _ in range(0)]  # left holds negated breakpoints; right without its shift
    least, shift, wanted = 0.0, 0.0, 0.0
    for i in range(len(small)):
        shift += large[i]
        if i == len(small) - 1:
            break
        wanted += large[i] - small[i]
        low = -left[0] if len(left) > 0 else 0.0
        if wanted < 0.0:
            least += low - wanted
            heapq.heappush(right, low - shift)
            if len(left) > 0:
                heapq.heappop(left)
            continue
        high = right[0] + shift if len(right) > 0 else np.inf
        if wanted < low:
            least += low - wanted
            heapq.heappush(right, low - shift)
            heapq.heappop(left)
            heapq.heappush(left, -wanted)
            heapq.heappush(left, -wanted)
        elif wanted > high:
            least += wanted - high
            heapq.heappop(right)
            heapq.heappush(left, -high)
            heapq.heappush(right, wanted - shift)
            heapq.heappush(right, wanted - shift)
        else:
            heapq.heappush(left, -wanted)
            heapq.heappush(right, wanted - shift)
    for i in range(len(left)):
        least += max(0.0, -left[i] - surplus)
    for i in range(len(right)):
        least += max(0.0, surplus - (right[i] + shift))
    return least


@making
def _dearest(
    at: NDArray[np.int64], shares: NDArray[np.float64], below: NDArray[np.float64], moment: NDArray[np.float64], table_short: bool
) -> float:
    """The dual of the partial transport: the largest Σ f·(p − q) over all f ≥ 0 that change by at most 1 per step. If the table has less on
    the line than the class, p and q are exchanged. The unmatched part lies where f is 0.

    Only the values of f at the class's own values are free. Between two of them, f is as low as possible (or as high, if exchanged), so
    sums of the table's shares give the rest. What remains is a chain of neighbours whose objective is L♮-concave (Murota, Discrete
    Convex Analysis, 2003): the optimal f is whole at these values, and f is optimal as soon as moving no subset by one step up or down
    improves it. Moves by powers of two come first. The best of all 3ⁿ moves is computed along the chain."""
    points, many = len(below) - 1, len(at)
    height, came = np.zeros(many, np.int64), np.zeros((many, 3), np.int8)
    own = below[at + 1] - below[at] - shares if table_short else shares - (below[at + 1] - below[at])
    value, step = 0.0, 1
    while 2 * step < points:
        step *= 2
    while step > 0:
        plain = _value_of(at, own, height, below, moment, table_short)
        value = max(value, plain)
        score = _best_moves(at, own, height, step, below, moment, table_short, came)
        best = int(np.argmax(score))
        if score[best] <= plain + 1e-12 * points:
            step //= 2
            continue
        for i in range(many - 1, -1, -1):
            height[i] += (best - 1) * step
            best = came[i, best]
    return float(value)


@inner
def _value_of(
    at: NDArray[np.int64],
    own: NDArray[np.float64],
    height: NDArray[np.int64],
    below: NDArray[np.float64],
    moment: NDArray[np.float64],
    table_short: bool,
) -> float:
    """Σ f·(p − q) if f has these heights at the class's own values; `own` is p − q there."""
    total = 0.0
    for i in range(len(at)):
        total += own[i] * height[i]
        if i > 0:
            total += _between(at[i - 1], at[i], height[i - 1], height[i], below, moment, table_short)
    total += _end(at[0], height[0], below, moment, table_short, True)
    return float(total + _end(at[-1], height[-1], below, moment, table_short, False))


@making
def _best_moves(
    at: NDArray[np.int64],
    own: NDArray[np.float64],
    height: NDArray[np.int64],
    step: int,
    below: NDArray[np.float64],
    moment: NDArray[np.float64],
    table_short: bool,
    came: NDArray[np.int8],
) -> NDArray[np.float64]:
    """The largest value if every height moves by −1, 0 or 1 steps, for each move of the last height; `came` records the move before
    each."""
    score, following = np.zeros(3), np.zeros(3)
    for i in range(len(at)):
        for to in range(3):
            y = height[i] + (to - 1) * step
            following[to] = -np.inf
            if y < 0:
                continue
            if i == 0:
                following[to] = _end(at[i], y, below, moment, table_short, True)
            else:
                for origin in range(3):
                    x = height[i - 1] + (origin - 1) * step
                    if score[origin] > -np.inf and abs(x - y) <= at[i] - at[i - 1]:
                        reached = score[origin] + _between(at[i - 1], at[i], x, y, below, moment, table_short)
                        if reached > following[to]:
                            following[to] = reached
                            came[i, to] = origin
            following[to] += own[i] * y
            if i == len(at) - 1:
                following[to] += _end(at[i], y, below, moment, table_short, False)
        score[:] = following
    return score


@inner
def _between(a: int, b: int, x: int, y: int, below: NDArray[np.float64], moment: NDArray[np.float64], table_short: bool) -> float:
    """The contribution of the table's shares strictly between two places at which f is x and y."""
    if table_short:  # as high as it may be: a roof
        top = min(max((a + b + y - x) // 2, a), b - 1)
        left = (x - a) * (below[top + 1] - below[a + 1]) + moment[top + 1] - moment[a + 1]
        return float(left + (y + b) * (below[b] - below[top + 1]) - moment[b] + moment[top + 1])
    if x + y <= b - a:  # down to 0 on both sides
        low, high = min(a + x, b - 1), max(b - y, a + 1)
    else:  # a valley
        low = min(max((a + b + x - y) // 2, a), b - 1)
        high = low + 1
    left = (x + a) * (below[low + 1] - below[a + 1]) - moment[low + 1] + moment[a + 1]
    return float(-left - (y - b) * (below[b] - below[high]) - moment[b] + moment[high])


@inner
def _end(a: int, y: int, below: NDArray[np.float64], moment: NDArray[np.float64], table_short: bool, before: bool) -> float:
    """The contribution of the table's shares before the first place or after the last one."""
    points = len(below) - 1
    if table_short:
        if before:
            return float((y + a) * below[a] - moment[a])
        return float((y - a) * (below[points] - below[a + 1]) + moment[points] - moment[a + 1])
    if before:
        low = max(a - y, 0)
        return float(-(y - a) * (below[a] - below[low]) - moment[a] + moment[low])
    high = min(a + y + 1, points)
    return float(-(y + a) * (below[high] - below[a + 1]) + moment[high] - moment[a + 1])

"""`faithful`: XColor as the paper has it (Algorithms 1 and 2): an equitable initial coloring, then exchanges that lower the number of
monochromatic edges until no row has too many similar ones in its class.

Beyond the paper, several limits can hold at once: a row violates if it does under any of them, a class is movable if it is under
all, and the potential is the sum of their monochromatic edges. With one limit this is the paper's algorithm, and Lemma 2 holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Codes
from headgate.core.compiling import dividing, inner, loop, making
from headgate.core.errors import InputRejected
from headgate.grouping.abstract_graph import occurring, weight_near
from headgate.grouping.axes import Axes
from headgate.grouping.limits import NeighbourhoodLimit
from headgate.grouping.nearness import Nearness, compile_limits
from headgate.grouping.watch import STOP, TOTAL, Watch
from headgate.methods.xcolor.classes import Classes, seat, violates
from headgate.methods.xcolor.cycles import exchange_triples
from headgate.methods.xcolor.exchanges import EXCHANGES, VIOLATIONS, exchange_pairs, measure_all, prepare


@dataclass(frozen=True, eq=False)
class Coloring:
    groups: Codes
    exchanges: int
    violations: int  # rows with too many similar ones in their class; 0 is success
    potential: int  # monochromatic edges left, over all limits


def color(axes: Axes, limits: Sequence[NeighbourhoodLimit], rows: int, k: int, watch: Watch | None = None, cycles: bool = True) -> Coloring:
    """A relaxed equitable coloring with m = ⌊n/k⌋ classes (Definition 11).

    `watch` hears how many of the first violations are gone. `cycles`: where exchanges of two leave violations, also three are exchanged."""
    if rows < k:
        raise InputRejected(f"{rows:,} rows cannot make a group of k = {k}.", "Lower k or release more rows.")
    classes = rows // k
    watched = watch if watch is not None else Watch()
    state = watched.state

    def work() -> Coloring:
        compiled = compile_limits(limits, rows)
        groups = initialize(row_degrees(limits, rows), classes)
        return _exchanged(axes, compiled, groups, classes, state, cycles)

    return watch.run(work) if watch is not None else work()


def row_degrees(limits: Sequence[NeighbourhoodLimit], rows: int) -> NDArray[np.int64]:
    """𝒟(v) of every row in the abstract graphs, summed over the limits. The graphs themselves are never built."""
    total = np.zeros(rows, dtype=np.int64)
    for limit in limits:
        present = occurring(limit)
        near = np.zeros(len(limit.distinct), dtype=np.int64)
        near[present.number] = weight_near(limit, present, present.count)
        total += near[limit.value] - 1
    return total


def _exchanged(axes: Axes, compiled: Nearness, groups: Codes, count: int, state: NDArray[np.int64], cycles: bool) -> Coloring:
    classes = seat(compiled, groups, count)
    first = int(_violations(compiled, classes))
    exchanges = 0
    if first and not state[STOP]:
        state[TOTAL] = first
        exchange = prepare(axes, compiled, classes)
        measure_all(exchange)
        exchange_pairs(exchange, state, first)
        if cycles and exchange.search.tally[VIOLATIONS]:
            exchange_triples(exchange, state, first)
        exchanges, first = int(exchange.search.tally[EXCHANGES]), int(exchange.search.tally[VIOLATIONS])
    potential = (int(classes.inside.sum()) - classes.inside.size) // 2
    return Coloring(classes.group.astype(np.int32), exchanges, first, potential)


@dividing
def initialize(degree: NDArray[np.int64], classes: int) -> NDArray[np.int32]:
    """Algorithm 1: rows by falling degree, each to the class with the least sum of degrees that is not full; ties to the first.

    The remainder is spread evenly: as printed, classes of k and k+1 cannot hold n rows when n mod k exceeds m (n = 19, k = 10)."""
    rows = len(degree)
    groups = np.empty(rows, dtype=np.int32)
    load, height = np.zeros(classes, dtype=np.int64), np.zeros(classes, dtype=np.int64)
    heap = np.arange(classes)  # of the classes that are not full, the one with the least sum first
    waiting = classes
    base = rows // classes
    falling = _falling(degree)  # line 1
    for i in range(rows):
        if i == base * classes:
            heap = np.argsort(load, kind="mergesort")
            waiting = classes
        chosen = heap[0]  # lines 4 and 7
        row = falling[i]
        groups[row] = chosen
        load[chosen] += degree[row]
        height[chosen] += 1
        if height[chosen] == (base if i < base * classes else base + 1):  # lines 3 and 6
            waiting -= 1
            heap[0] = heap[waiting]
        _sink(heap, waiting, load)
    return groups


@making
def _falling(degree: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows by falling degree, equal ones in their order: a counting sort."""
    rows = len(degree)
    most = degree.max()
    begin = np.zeros(most + 2, dtype=np.int64)
    for row in range(rows):
        begin[most - degree[row] + 1] += 1
    begin = np.cumsum(begin)
    falling = np.empty(rows, dtype=np.int64)
    for row in range(rows):
        falling[begin[most - degree[row]]] = row
        begin[most - degree[row]] += 1
    return falling


@inner
def _sink(heap: NDArray[np.int64], size: int, load: NDArray[np.int64]) -> None:
    """Lets the first entry sink to its place, by load, equal loads by number."""
    if size == 0:
        return
    moving, place = heap[0], 0
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size:
            left, right = heap[child], heap[child + 1]
            if load[right] < load[left] or (load[right] == load[left] and right < left):
                child += 1
        least = heap[child]
        if load[moving] < load[least] or (load[moving] == load[least] and moving < least):
            break
        heap[place] = least
        place = child
    heap[place] = moving


@loop
def _violations(limits: Nearness, classes: Classes) -> int:
    count = 0
    for row in range(len(classes.group)):
        count += violates(limits, classes, row)
    return count

"""Loss against time on the 72,043 census adults of docs/xcolor.md: `blocks`, published algorithms, and libraries from the package index.

Every loss is counted by us from the numbers of the groups alone, a suppressed row counting 1. Seconds are the processor's, of the grouping
itself: without reading, encoding, importing and compiling.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.census import adults
from benchmarks.peers.cells import Cells, cells_of
from benchmarks.peers.hilbert_cut import along_the_curve, cut
from benchmarks.peers.k_member import k_member
from benchmarks.peers.libraries import LIBRARIES, grouped_by
from benchmarks.peers.recounted import loss_of
from benchmarks.xcolor import QUASI, SENSITIVE, SEVEN, encoded
from headgate.core.columns import Table
from headgate.grouping.items import items_of
from headgate.grouping.limits import dissimilarity
from headgate.methods.anonymize import anonymize
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.method import Method
from headgate.methods.mondrian.mondrian_method import Mondrian
from headgate.methods.settings import Settings

KS = (5, 10, 20)
EPSILON, DELTAS = "0.1", ("0.5", "0.6", "0.7")
TABLES = {"5": (QUASI, SENSITIVE), "7": (SEVEN, ("education", "occupation"))}
BLOCKS, STRICT, HILBERT, K_MEMBER = "blocks", "strict Mondrian", "Hilbert + cut", "greedy k-member"
REPEAT = 3

Groups = NDArray[np.int32]


def limited(delta: str) -> str:
    return f"{BLOCKS}, δ {delta}"


def own(method: Method, table: Table, k: int, delta: str | None = None) -> Groups:
    """Groups that keep what they should; there is no figure of others."""
    limits = () if delta is None else (dissimilarity(table.select(table.sensitive), EPSILON, delta),)
    return anonymize(method, table, table.sensitive, Settings(k, limits), 0).require().groups


def timed(make: Callable[[], Groups], repeat: int = 1) -> tuple[float, float, Groups]:
    """The best of several: seconds by the clock, those of the processor, and the groups."""
    took = []
    for _ in range(repeat):
        start, busy = time.perf_counter(), time.process_time()
        groups = make()
        took.append((time.process_time() - busy, time.perf_counter() - start))
    busy, seconds = min(took)
    return seconds, busy, groups


def grouped(name: str, table: Table, cells: Cells, k: int) -> tuple[float, float, Groups]:
    match name:
        case "strict Mondrian":
            return timed(lambda: own(Mondrian(), table, k), REPEAT)
        case "greedy k-member":
            return timed(lambda: k_member(cells, k), REPEAT)
        case "Hilbert + cut":
            curve = along_the_curve(cells)
            seconds, busy, groups = timed(lambda: cut(cells, curve.cells, k), REPEAT)
            return seconds + curve.seconds, busy + curve.busy_seconds, groups
        case _ if name in LIBRARIES:
            made = grouped_by(name, adults(), table.quasi, k)
            return made.seconds, made.busy_seconds, made.groups
        case _:
            return timed(lambda: own(Blocks(), table, k, None if name == BLOCKS else name.partition("δ ")[2]), REPEAT)


def names(quick: bool) -> tuple[str, ...]:
    libraries = tuple(LIBRARIES)[:1] if quick else tuple(LIBRARIES)
    return (BLOCKS, *map(limited, DELTAS), STRICT, K_MEMBER, HILBERT, *libraries)


def losses(quick: bool) -> Iterator[dict[str, Any]]:
    frame = adults()
    for quasi, (identifiers, sensitive) in TABLES.items():
        table = encoded(frame, identifiers, sensitive)
        cells, itemized = cells_of(table), items_of(table, ())
        small = table.take(np.arange(500))
        for name in names(quick):
            if name not in LIBRARIES:
                grouped(name, small, cells_of(small), 5)  # loads the compiled loops
            for k in KS[1:2] if quick else KS:
                seconds, busy, groups = grouped(name, table, cells, k)
                suppressed = int((groups < 0).sum())
                line = {"quasi": quasi, "k": k, "method": name, "loss": loss_of(itemized, groups, k), "suppressed": suppressed}
                yield line | {"seconds": seconds, "busy_seconds": busy}

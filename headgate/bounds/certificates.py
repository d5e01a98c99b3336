"""Proofs that no partition can keep a limit (DEFINITIONS §4): necessary conditions, sound but not complete.

A group of s rows holds at most f(s) rows similar to a centre in it. So a clique of c mutually similar centres needs groups whose f sum
to c, and enough rows outside the clique to fill these groups; with one row for a clique: a centre needs enough dissimilar rows. Groups
that are published alike count as one class too, which only takes partitions away: proofs about groups stay proofs. Where the
quasi-identifiers can be published in a few ways only, there are only as few classes, and these hold fewer similar rows (ext).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.bounds.capacity import Capacity, EquitableCapacity, capacity, equitable_capacity
from headgate.bounds.cliques import Cliques, cliques_of
from headgate.core.columns import Column
from headgate.grouping.limits import NeighbourhoodLimit

SHOWN = 20  # values that a certificate names

EVERY, FAITHFUL = "every partition", "faithful"


class Reason(StrEnum):
    CLIQUE = "too many similar rows"
    DISSIMILAR = "too few dissimilar rows"


@dataclass(frozen=True)
class Certificate:
    """Why a limit cannot be kept. `values` are data: for the steward's own terminal only, so they are left out of the text form.

    `rows` similar rows where at most `bound` fit (CLIQUE; beside the `outside` rows that are not similar to all of them, if these are what
    is short), or `rows` dissimilar ones where at least `bound` are needed (DISSIMILAR). `ways`: in how many ways the quasi-identifiers can
    be published, if the proof rests on it."""

    reason: Reason
    limit: str
    columns: tuple[str, ...]
    rows: int
    bound: int
    share: float  # of the table's rows that are concerned
    refutes: str  # EVERY | FAITHFUL
    to_suppress: int | None  # no partition of fewer suppressed rows can exist
    values: tuple[Any, ...] = field(repr=False, default=())
    outside: int | None = None
    ways: int | None = None
    cure: str = ""  # of the limit

    def sentence(self) -> str:
        """In words, without a data value."""
        names = ", ".join(self.columns)
        few = (
            ""
            if self.ways is None
            else f", as no more than {self.ways} class{'es' if self.ways > 1 else ''} can be told apart by what is published"
        )
        if self.reason is Reason.CLIQUE:
            beside = "" if self.outside is None else f" beside {self.outside} others"
            capacity = f"groups can hold {self.bound} of them{beside} ({self.limit})"
            return f"{self.rows} rows ({self.share:.1%}) have similar values of {names}; {capacity}{few}."
        return f"Some row has {self.rows} dissimilar rows by {names}; it needs {self.bound} ({self.limit}){few}."


def refute(
    limits: Sequence[NeighbourhoodLimit],
    k: int,
    columns: Sequence[Column] = (),
    known: Sequence[Cliques] = (),
    ways: int | None = None,
) -> Certificate | None:
    """The first proof that some limit cannot be kept by any partition into groups of at least k; else one that refutes `faithful`.

    `known`: the cliques of each limit, if they have been looked for (under whatever δ). `ways` as `ways_to_publish` counts them."""
    lesser: Certificate | None = None
    for i, limit in enumerate(limits):
        if limit.rows < k:
            continue
        cliques = known[i] if known else cliques_of(limit)
        proof = refute_every(limit, k, cliques, columns, ways)
        if proof is not None:
            return proof
        lesser = lesser or refute_faithful(limit, k, cliques, columns)
    return lesser


def refute_every(
    limit: NeighbourhoodLimit, k: int, cliques: Cliques, columns: Sequence[Column] = (), ways: int | None = None
) -> Certificate | None:
    """A proof against all partitions, of those found the one by which most rows would have to be suppressed."""
    room = capacity(limit.allowed, limit.rows, k)
    proof = _strongest(limit, room, cliques, columns, None)
    if proof is not None or ways is None:
        return proof
    if ways == 1:
        return _as_one_class(limit, k, cliques, columns)
    if limit.delta is None or limit.delta == 0 or ways >= limit.rows // k:
        return None
    return _strongest(limit, room.in_classes(ways, limit.delta), cliques, columns, ways)


def refute_faithful(limit: NeighbourhoodLimit, k: int, cliques: Cliques, columns: Sequence[Column] = ()) -> Certificate | None:
    """A proof against partitions into ⌊n/k⌋ groups of sizes that differ by one at most."""
    room = equitable_capacity(limit.allowed, limit.rows, k)
    return _lonely(limit, room.least, cliques, columns, FAITHFUL, None) or _crowded(limit, room, cliques, columns, FAITHFUL, None)


def _strongest(
    limit: NeighbourhoodLimit, room: Capacity, cliques: Cliques, columns: Sequence[Column], ways: int | None
) -> Certificate | None:
    crowded = _crowded(limit, room, cliques, columns, EVERY, ways)
    lonely = _lonely(limit, room.least, cliques, columns, EVERY, room.k)
    if crowded is None or lonely is None:
        return crowded or lonely
    more = (crowded.to_suppress or 0) - (lonely.to_suppress or 0)
    return crowded if more > 0 or (more == 0 and crowded.outside is None) else lonely


def _crowded(
    limit: NeighbourhoodLimit,
    room: Capacity | EquitableCapacity,
    cliques: Cliques,
    columns: Sequence[Column],
    refutes: str,
    ways: int | None,
) -> Certificate | None:
    """The clique that exceeds most what groups can hold of it."""
    capacity = room.beside(cliques.outside)
    over = cliques.rows - np.minimum(capacity, room.most)
    if len(over) == 0 or over.max() <= 0:
        return None
    worst = int(np.argmax(cliques.rows - capacity)) if (cliques.rows > capacity).any() else int(np.argmax(over))
    rows, outside = int(cliques.rows[worst]), int(cliques.outside[worst])
    alone = rows > room.most
    return Certificate(
        Reason.CLIQUE,
        limit.name,
        limit.columns,
        rows,
        room.most if alone else int(capacity[worst]),
        rows / limit.rows,
        refutes,
        room.fewest_suppressed(rows, outside) if isinstance(room, Capacity) else None,
        _decoded(limit, cliques.values(worst), columns),
        None if alone else outside,
        ways,
        limit.cure,
    )


def _lonely(
    limit: NeighbourhoodLimit, needed: int, cliques: Cliques, columns: Sequence[Column], refutes: str, k: int | None
) -> Certificate | None:
    """A centre of a group of s has at least s − f(s) dissimilar rows beside it; for (ε, δ) at least ⌈δ(k−1)⌉. All that have not must go."""
    if cliques.near is None:
        return None
    different = limit.rows - cliques.near
    short = np.flatnonzero(cliques.centre & (different < needed))
    if len(short) == 0:
        return None
    concerned = int(cliques.count[short].sum())
    gone = None if k is None else concerned if limit.rows - concerned >= k else limit.rows
    share, least = concerned / limit.rows, int(different[short].min())
    values = _decoded(limit, cliques.number[short], columns)
    return Certificate(Reason.DISSIMILAR, limit.name, limit.columns, least, needed, share, refutes, gone, values, cure=limit.cure)


def _as_one_class(limit: NeighbourhoodLimit, k: int, cliques: Cliques, columns: Sequence[Column]) -> Certificate | None:
    """All rows are published alike, so the whole table is one class: no centre may have more than f(n) rows similar to it."""
    if cliques.near is None:
        return None
    most = int(limit.allowed[limit.rows])
    crowded = np.flatnonzero(cliques.centre & (cliques.near > most))
    if len(crowded) == 0:
        return None
    worst = int(crowded[np.argmax(cliques.near[crowded])])
    similar, own = int(cliques.near[worst]), int(cliques.count[worst])
    sizes = np.arange(k, limit.rows + 1)
    enough = sizes[(limit.allowed[sizes] > 0) & (sizes - limit.allowed[sizes] <= limit.rows - similar)]
    gone = min([own] + [limit.rows - int(size) for size in enough[-1:]])
    values = _decoded(limit, cliques.number[[worst]], columns)
    name, share = limit.name, similar / limit.rows
    gone = gone if limit.rows - gone >= k else limit.rows
    return Certificate(Reason.CLIQUE, name, limit.columns, similar, most, share, EVERY, gone, values, None, 1, limit.cure)


def _decoded(limit: NeighbourhoodLimit, values: NDArray[np.int64], columns: Sequence[Column]) -> tuple[Any, ...]:
    """The values as the steward knows them; the first few."""
    known = {column.name: column for column in columns}
    if not all(name in known for name in limit.columns):
        return ()
    decoded: list[Any] = []
    for value in values[:SHOWN].tolist():
        row = int(np.argmax(limit.value == value))
        codes = {name: int(known[name].codes[row]) for name in limit.columns}
        cells = tuple(None if code < 0 else known[name].values[code] for name, code in codes.items())
        decoded.append(cells[0] if len(cells) == 1 else cells)
    return tuple(decoded)

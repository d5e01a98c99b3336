"""Proofs that no partition can satisfy a limit (DEFINITIONS §4). Every proof is correct, but some impossible limits have none.

A group of s rows holds at most f(s) rows similar to a centre in it. So a clique of c mutually similar centres needs groups whose f(s) add
up to c, and enough rows outside the clique to fill these groups. A clique of one row gives the simplest proof: a centre needs enough
dissimilar rows. Groups that are published alike also count as one class. This only rules out more partitions, so a proof about groups
remains a proof. If the quasi-identifiers can be published in only a few ways, there are only that many classes, and they hold fewer similar
rows (ext).
"""

from __future__ import annotations

import math
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
    """Why a limit cannot be satisfied. `values` are data. Only the steward's own terminal shows them, so the text form omits them.

    With reason CLIQUE, there are `rows` similar rows, and groups have room for at most `bound` (beside `outside` dissimilar rows, if the
    proof is that these are too few). With reason DISSIMILAR, a row has `rows` dissimilar rows and needs at least `bound`. `ways` is the
    number of ways in which the quasi-identifiers can be published, if the proof depends on it."""

    reason: Reason
    limit: str
    columns: tuple[str, ...]
    rows: int
    bound: int
    share: float  # `rows` as a share of the table
    refutes: str  # EVERY | FAITHFUL
    to_suppress: int | None  # every partition must suppress at least this many rows
    values: tuple[Any, ...] = field(repr=False, default=())
    outside: int | None = None
    ways: int | None = None
    cure: str = ""  # of the limit
    largest_delta: float | None = None  # where the limit is (ε, δ): no partition reaches more
    least_share: float | None = None  # where it bounds the share of one value: in no partition is it less everywhere

    def sentence(self) -> str:
        """The proof in words, without a data value."""
        names = ", ".join(self.columns)
        few = (
            ""
            if self.ways is None
            else f", because the published quasi-identifiers form at most {self.ways} class{'es' if self.ways > 1 else ''}"
        )
        if self.reason is Reason.CLIQUE:
            beside = "" if self.outside is None else f" beside {self.outside} others"
            capacity = f"groups can hold {self.bound} of them{beside} ({self.limit})"
            return f"{self.rows:,} rows ({self.share:.1%}) have similar values of {names}; {capacity}{few}."
        return f"Some row has {self.rows:,} dissimilar rows by {names}; it needs {self.bound} ({self.limit}){few}."

    def at_best(self) -> str:
        """What can be had, without a data value; rounded so that more cannot be."""
        if self.largest_delta is not None:
            return f" No δ above {math.ceil(1e4 * self.largest_delta) / 1e4:g} can be reached."
        if self.least_share is not None:
            return f" No {self.limit} below {math.floor(1e4 * self.least_share) / 1e4:g} can be reached."
        return ""


def refute(
    limits: Sequence[NeighbourhoodLimit],
    k: int,
    columns: Sequence[Column] = (),
    known: Sequence[Cliques] = (),
    ways: int | None = None,
) -> Certificate | None:
    """The first proof that no partition into groups of at least k satisfies some limit; otherwise a proof that `faithful` cannot.

    `known` holds the cliques of each limit if they have been searched already (under any δ). `ways_to_publish` counts `ways`."""
    lesser: Certificate | None = None
    for i, limit in enumerate(limits):
        if limit.rows < k or limit.stricter:
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
    """A proof against all partitions; of several proofs, the one that requires the most rows to be suppressed."""
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
    """A proof against all partitions into ⌊n/k⌋ groups whose sizes differ by at most one."""
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
    """A proof from the clique that exceeds the room in groups by the most rows."""
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
        *_at_best(limit, rows, room.k if isinstance(room, Capacity) else None),
    )


def _at_best(limit: NeighbourhoodLimit, similar: int, k: int | None) -> tuple[float | None, float | None]:
    """The largest δ and the least share. Let r of the s rows of a group be among the c similar ones of all n; some group has r/s ≥ c/n. By
    (ε, δ), r ≤ 1 + (1 − δ)(s − 1) in each of at most n/k groups, so c/n ≤ 1/k + (1 − δ)(1 − 1/k)."""
    share = similar / limit.rows
    if limit.delta is not None and k is not None and k > 1:
        return min(1.0, (1.0 - share) * k / (k - 1)), None
    return None, share if limit.share is not None else None


def _lonely(
    limit: NeighbourhoodLimit, needed: int, cliques: Cliques, columns: Sequence[Column], refutes: str, k: int | None
) -> Certificate | None:
    """A proof from centres with too few dissimilar rows: a group of s needs s − f(s), for (ε, δ) at least ⌈δ(k−1)⌉. All others must go."""
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
    """A proof for a table whose rows are all published alike, as one class: no centre may have more than f(n) similar rows."""
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
    """The first few values, decoded as the steward knows them."""
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

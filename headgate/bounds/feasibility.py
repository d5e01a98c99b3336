"""What is known before any work: whether a partition is guaranteed, whether it is impossible, and how far the table is from each.

The guarantee is Lemma 2 of the paper, with floors. It speaks of groups by number; groups that come out published alike are measured as
one class as well, and about that nothing is guaranteed. Inequality 4 is Lemma 2 without its floors: guidance only (DEFINITIONS §4).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from headgate.bounds.certificates import Certificate, refute_every, refute_faithful
from headgate.bounds.cliques import Cliques, cliques_of
from headgate.core.columns import Column
from headgate.core.errors import InputRejected
from headgate.core.kinds.kind_rules import FLAT, TREE
from headgate.grouping.limits import NeighbourhoodLimit

LARGEST_UNIT = 2**31  # in which weights of edges are counted, exactly where all limits' t + 1 divide it, else rounded up


class Outlook(StrEnum):
    GUARANTEED = "guaranteed"
    OPEN = "open"
    REFUTED = "refuted"


@dataclass(frozen=True)
class LimitFeasibility:
    """One limit. `largest_degree` is Θ, None where counting it would take too long, and then so are all figures that rest on it.

    `binding_degree` leaves out edges between rows of which neither is a centre, as these bind nobody; where all is sensitive it is Θ.
    Lemma 2 guarantees the limit if `binding_degree` ≤ `lemma_2_bound` = m(t+1)/2. A limit that no group of k or more can violate does
    not bind."""

    limit: str
    columns: tuple[str, ...]
    distinct: int
    binds: bool
    largest_degree: int | None
    binding_degree: int | None
    lemma_2_bound: Fraction
    inequality_4_bound: Fraction | None  # n/2·(1 − (1 − 1/k)·δ), for (ε, δ) only
    bottleneck: float | None  # 1 − 2Θ/n: what (1 − 1/k)·δ may be by Inequality 4
    certificate: Certificate | None = field(repr=False)  # against every partition
    against_faithful: Certificate | None = field(repr=False)  # against equitable sizes only

    @property
    def guaranteed(self) -> bool:
        return not self.binds or (self.binding_degree is not None and self.binding_degree <= self.lemma_2_bound)

    @property
    def lemma_2_slack(self) -> float | None:
        """Neighbours that Lemma 2 would still let a row have; negative where it guarantees nothing."""
        return None if self.binding_degree is None else float(self.lemma_2_bound - self.binding_degree)

    @property
    def inequality_4_slack(self) -> float | None:
        if self.largest_degree is None or self.inequality_4_bound is None:
            return None
        return float(self.inequality_4_bound - self.largest_degree)


@dataclass(frozen=True)
class Feasibility:
    """`guaranteed`: a partition into ⌊n/k⌋ groups that keeps all limits together exists."""

    rows: int
    k: int
    limits: tuple[LimitFeasibility, ...]
    guaranteed: bool
    ways: int | None  # in which the quasi-identifiers can be published at most; None: enough not to matter, or not asked

    @property
    def outlook(self) -> Outlook:
        if self.certificate is not None:
            return Outlook.REFUTED
        return Outlook.GUARANTEED if self.guaranteed else Outlook.OPEN

    @property
    def certificate(self) -> Certificate | None:
        """The proof against every partition by which most rows would have to be suppressed."""
        proofs = [limit.certificate for limit in self.limits if limit.certificate is not None]
        return max(proofs, key=lambda proof: proof.to_suppress or 0, default=None)

    @property
    def against_faithful(self) -> Certificate | None:
        """A proof that no equitable coloring exists: one against every partition, else one that rests on the equal sizes."""
        return self.certificate or next((limit.against_faithful for limit in self.limits if limit.against_faithful is not None), None)

    @property
    def to_suppress(self) -> int:
        """A lower bound on the rows that any release must leave out."""
        return 0 if self.certificate is None else self.certificate.to_suppress or 0

    def sentence(self) -> str:
        """In words, without a data value."""
        if self.certificate is not None:
            return f"No partition exists. {self.certificate.sentence()}"
        if self.guaranteed:
            return f"Groups of at least {self.k} rows that satisfy all limits exist (Lemma 2)."
        if self.against_faithful is not None:
            return f"Groups of equal size cannot satisfy all limits; other groups may. {self.against_faithful.sentence()}"
        return "Neither guaranteed nor refuted: only trying will tell."


def feasibility(
    limits: Sequence[NeighbourhoodLimit],
    k: int,
    columns: Sequence[Column] = (),
    quasi: Sequence[Column] = (),
    known: Sequence[Cliques] = (),
) -> Feasibility:
    """Of limits over the same rows. `columns` name the values that certificates show; with `quasi`, few ways to publish count too.

    `known`: the cliques of each limit, where they have been looked for already, under whatever δ and k."""
    rows = max((*(limit.rows for limit in limits[:1]), *(len(column) for column in (*quasi, *columns))), default=0)
    if k < 1:
        raise InputRejected(f"k = {k} is not a valid group size.", "Give k ≥ 1.")
    if rows < k:
        raise InputRejected(f"{rows} rows cannot make a group of k = {k}.", "Lower k or release more rows.")
    ways = ways_to_publish(quasi, rows // k) if quasi else None
    cliques = list(known) or [cliques_of(limit) for limit in limits]
    alone = tuple(_of_limit(limit, k, own, columns, ways) for limit, own in zip(limits, cliques, strict=True))
    return Feasibility(rows, k, alone, _guaranteed(limits, k, cliques, alone), ways)


def _guaranteed(limits: Sequence[NeighbourhoodLimit], k: int, cliques: Sequence[Cliques], alone: Sequence[LimitFeasibility]) -> bool:
    """All limits together: those that bind, if there are several, are not guaranteed by being so one by one."""
    if not all(limit.guaranteed for limit in alone):
        return False
    binding = [i for i, limit in enumerate(alone) if limit.binds]
    return len(binding) < 2 or _together([limits[i] for i in binding], k, [cliques[i] for i in binding])


def ways_to_publish(quasi: Sequence[Column], most: int) -> int | None:
    """An upper bound on the different forms in which groups can be published, None from `most` on: then they do not limit groups.

    A stretch of d values has d(d+1)/2 forms, a tree over d leaves at most 2d − 1 nodes that are lowest over some of them, and a set of
    values is not empty; missing cells add themselves, and a mixture with others."""
    ways = 1
    for column in quasi:
        counts = column.counts()
        given, missing = int((counts[:-1] > 0).sum()), int(counts[-1] > 0)
        shape = column.kind.rules.shape(column)
        if shape == FLAT:
            ways *= 2 ** min(given + missing, 64) - 1
        else:
            stretches = given * (given + 1) // 2
            forms = max(0, min(2 * given - 1, stretches)) if shape == TREE else stretches
            ways *= forms + missing * (1 + (given > 0))
        if ways >= most:
            return None
    return ways


def binding_degrees(cliques: Cliques) -> NDArray[np.int64] | None:
    """For each value that occurs: a row's neighbours, for a row that is not a centre, only the centres among them."""
    if cliques.near is None or cliques.near_centres is None:
        return None
    return np.where(cliques.centre, cliques.near - 1, cliques.near_centres)


def _of_limit(limit: NeighbourhoodLimit, k: int, cliques: Cliques, columns: Sequence[Column], ways: int | None) -> LimitFeasibility:
    rows, room = limit.rows, int(limit.allowed[k])
    degrees = binding_degrees(cliques)
    theta = None if cliques.near is None else int(cliques.near.max(initial=1)) - 1
    against = refute_every(limit, k, cliques, columns, ways)
    return LimitFeasibility(
        limit=limit.name,
        columns=limit.columns,
        distinct=len(cliques.number),
        largest_degree=theta,
        binding_degree=None if degrees is None else int(degrees.max(initial=0)),
        binds=_binds(limit, k, cliques),
        # where a group of k may hold no centre at all nothing is guaranteed, not even for degree 0
        lemma_2_bound=Fraction((rows // k) * room, 2) if room > 0 else Fraction(-1),
        inequality_4_bound=None if limit.delta is None else Fraction(rows, 2) * (1 - (1 - Fraction(1, k)) * limit.delta),
        bottleneck=None if theta is None or limit.delta is None else 1.0 - 2.0 * theta / rows,
        certificate=against,
        against_faithful=refute_faithful(limit, k, cliques, columns) if against is None else None,
    )


def _binds(limit: NeighbourhoodLimit, k: int, cliques: Cliques) -> bool:
    """Could any group of k or more violate it? Not if no row is a centre, if no centre has that many similar rows, or if groups may consist
    of similar rows only."""
    if not cliques.centre.any() or bool((limit.allowed[k:] >= np.arange(k, limit.rows + 1)).all()):
        return False
    return cliques.near is None or int(cliques.near[cliques.centre].max()) > int(limit.allowed[k])


def _together(limits: Sequence[NeighbourhoodLimit], k: int, cliques: Sequence[Cliques]) -> bool:
    """Lemma 2 for several limits (ext): in the graph whose edges weigh 1/(t+1), each limit with its own t, a row that violates any limit
    has weight 1 or more in its class, and a class where it has less is movable for it: the paper's proof goes through with t + 1 = 1.
    So Σ deg/(t+1) ≤ m/2 for every row is enough."""
    rooms = [int(limit.allowed[k]) for limit in limits]
    if min(rooms) == 0:
        return False
    unit = min(math.lcm(*rooms), LARGEST_UNIT)
    total = np.zeros(limits[0].rows, dtype=np.int64)
    for limit, room, limit_cliques in zip(limits, rooms, cliques, strict=True):
        degrees = binding_degrees(limit_cliques)
        if degrees is None:
            return False
        weights = np.zeros(len(limit.distinct), dtype=np.int64)
        weights[limit_cliques.number] = -(-degrees * unit // room)
        total += weights[limit.value]
    return int(total.max(initial=0)) * 2 <= (limits[0].rows // k) * unit

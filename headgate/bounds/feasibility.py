"""What can be said before grouping starts: whether a partition is guaranteed or impossible, and how far the table is from either.

The guarantee is Lemma 2 of the paper, with floors. It covers groups by number. Groups that are published alike are also measured as one
class, and the guarantee does not cover that. Inequality 4 is Lemma 2 without its floors, and only guidance (DEFINITIONS §4).
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
    """What can be said about one limit. `largest_degree` is Θ. If counting it would take too long, it and all figures that depend on it are
    None.

    `binding_degree` ignores edges between two rows that are no centres, because the limit does not protect these rows. If every value is
    sensitive, it equals Θ. Lemma 2 guarantees the limit if `binding_degree` ≤ `lemma_2_bound` = m(t+1)/2. A limit `binds` if some group
    of k or more rows could violate it."""

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
        """How many more neighbours a row may have before Lemma 2 guarantees nothing; negative if it guarantees nothing now."""
        return None if self.binding_degree is None else float(self.lemma_2_bound - self.binding_degree)

    @property
    def inequality_4_slack(self) -> float | None:
        if self.largest_degree is None or self.inequality_4_bound is None:
            return None
        return float(self.inequality_4_bound - self.largest_degree)


@dataclass(frozen=True)
class Feasibility:
    """What can be said about all limits together. `guaranteed`: some partition into ⌊n/k⌋ groups satisfies all of them."""

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
        """The proof against every partition that requires the most rows to be suppressed."""
        proofs = [limit.certificate for limit in self.limits if limit.certificate is not None]
        return max(proofs, key=lambda proof: proof.to_suppress or 0, default=None)

    @property
    def against_faithful(self) -> Certificate | None:
        """A proof that no equitable coloring exists: a proof against every partition, otherwise one that depends on the equal sizes."""
        return self.certificate or next((limit.against_faithful for limit in self.limits if limit.against_faithful is not None), None)

    @property
    def to_suppress(self) -> int:
        """A lower bound on the number of rows that any release must suppress."""
        return 0 if self.certificate is None else self.certificate.to_suppress or 0

    def sentence(self) -> str:
        """The answer in words, without a data value."""
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
    """What can be said about limits over the same rows. `columns` decode the values that certificates show. If `quasi` is given, the number
    of ways to publish the quasi-identifiers is used too.

    `known` holds the cliques of each limit if they have been searched already, under any δ and k."""
    rows = max((*(limit.rows for limit in limits[:1]), *(len(column) for column in (*quasi, *columns))), default=0)
    if k < 1:
        raise InputRejected(f"k = {k} is not a valid group size.", "Give k ≥ 1.")
    if rows < k:
        raise InputRejected(f"{rows:,} rows cannot make a group of k = {k}.", "Lower k or release more rows.")
    ways = ways_to_publish(quasi, rows // k) if quasi else None
    cliques = list(known) or [cliques_of(limit) for limit in limits]
    alone = tuple(_of_limit(limit, k, own, columns, ways) for limit, own in zip(limits, cliques, strict=True))
    return Feasibility(rows, k, alone, _guaranteed(limits, k, cliques, alone), ways)


def _guaranteed(limits: Sequence[NeighbourhoodLimit], k: int, cliques: Sequence[Cliques], alone: Sequence[LimitFeasibility]) -> bool:
    """Whether all limits together are guaranteed. If several limits bind, a guarantee for each of them is not enough."""
    if not all(limit.guaranteed for limit in alone):
        return False
    binding = [i for i, limit in enumerate(alone) if limit.binds]
    return len(binding) < 2 or _together([limits[i] for i in binding], k, [cliques[i] for i in binding])


def ways_to_publish(quasi: Sequence[Column], most: int) -> int | None:
    """An upper bound on the number of different forms in which groups can be published. It is None from `most` on, since then it does not
    limit the groups.

    An order of d values has d(d+1)/2 intervals. A tree over d leaves has at most 2d − 1 nodes that are the lowest above some leaves. A
    set of values is any non-empty subset. Missing cells add two forms: all cells missing, and missing cells mixed with others."""
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
    """The number of neighbours of each value that occurs. For a row that is not a centre, only neighbours that are centres count."""
    if cliques.near is None or cliques.near_centres is None:
        return None
    return np.where(cliques.centre, cliques.near - 1, cliques.near_centres)


def _of_limit(limit: NeighbourhoodLimit, k: int, cliques: Cliques, columns: Sequence[Column], ways: int | None) -> LimitFeasibility:
    rows, room = limit.rows, int(limit.allowed[k])
    degrees = binding_degrees(cliques)
    theta = None if cliques.near is None else int(cliques.near.max(initial=1)) - 1
    against = None if limit.stricter else refute_every(limit, k, cliques, columns, ways)
    return LimitFeasibility(
        limit=limit.name,
        columns=limit.columns,
        distinct=len(cliques.number),
        largest_degree=theta,
        binding_degree=None if degrees is None else int(degrees.max(initial=0)),
        binds=_binds(limit, k, cliques),
        # if a group of k may hold no centre at all, nothing is guaranteed, not even for degree 0
        lemma_2_bound=Fraction((rows // k) * room, 2) if room > 0 else Fraction(-1),
        inequality_4_bound=None if limit.delta is None else Fraction(rows, 2) * (1 - (1 - Fraction(1, k)) * limit.delta),
        bottleneck=None if theta is None or limit.delta is None else 1.0 - 2.0 * theta / rows,
        certificate=against,
        against_faithful=None if against is not None or limit.stricter else refute_faithful(limit, k, cliques, columns),
    )


def _binds(limit: NeighbourhoodLimit, k: int, cliques: Cliques) -> bool:
    """Whether some group of k or more rows could violate the limit. None can if no row is a centre, if no centre has that many similar
    rows, or if a group may consist of similar rows only."""
    if not cliques.centre.any() or bool((limit.allowed[k:] >= np.arange(k, limit.rows + 1)).all()):
        return False
    return cliques.near is None or int(cliques.near[cliques.centre].max()) > int(limit.allowed[k])


def _together(limits: Sequence[NeighbourhoodLimit], k: int, cliques: Sequence[Cliques]) -> bool:
    """Lemma 2 for several limits (ext). Let each edge weigh 1/(t+1), with the t of its own limit. A row that violates some limit then has a
    weight of at least 1 in its class, and can move to any class in which its weight is below 1. So the paper's proof holds with t + 1 = 1,
    and Σ deg/(t+1) ≤ m/2 for every row is sufficient."""
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

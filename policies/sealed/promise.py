"""What one release promises of its published tables: all that is needed to measure every claim again from the files alone.

Decimals are kept as the text a person wrote, because floors of their products are computed exactly.
"""

from __future__ import annotations

from typing import Literal

from policies.words.frozen import Frozen


class SensitiveAttribute(Frozen):
    """How one published sensitive column is read and compared. `origin` names the set a bitmap column comes from."""

    name: str
    kind: str
    domain: tuple[float, float] | None = None
    levels: tuple[str, ...] = ()
    declared: tuple[str, ...] = ()
    hierarchy: tuple[tuple[str, ...], ...] = ()
    nonsensitive: tuple[str | None, ...] = ()
    weight: float = 1.0
    metric: str | None = None
    components: tuple[str, ...] = ()
    separator: str = "|"
    origin: str | None = None


class QuasiIdentifier(Frozen):
    """How one published quasi-identifier column is read. `values` in domain order where the kind is not numeric."""

    name: str
    kind: str
    domain: tuple[float, float] | None = None
    values: tuple[str, ...] = ()
    hierarchy: tuple[tuple[str, ...], ...] = ()


class Dissimilarity(Frozen):
    """(ε, δ) as decimal text."""

    epsilon: str
    delta: str


class DeltaL(Frozen):
    interval: str
    l: str  # noqa: E741 - the literature's name


class Reidentification(Frozen):
    max: str | None = None
    mean: str | None = None


class Promise(Frozen):
    """Gates on the published form. Absent ones were not required."""

    k: int
    dissimilarity: Dissimilarity | None = None
    each: dict[str, Dissimilarity] = {}
    combine: Literal["lp", "min"] = "lp"
    power: float = 1.0
    callable: str | None = None
    linkability: str
    delta_l: dict[str, DeltaL] = {}
    closeness: dict[str, str] = {}
    distinct_l: dict[str, str] = {}
    reidentification: Reidentification = Reidentification()
    quasi: tuple[QuasiIdentifier, ...]
    sensitive: tuple[SensitiveAttribute, ...]
    insensitive: tuple[str, ...] = ()

"""What one release promises of its published tables: all that is needed to measure every claim again from the files alone.

Decimals are kept as the text a person wrote, because floors of their products are computed exactly.
"""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from headgate.core.columns import Kind
from policies.gates.verdict import Requirement
from policies.words.frozen import Frozen


class SensitiveAttribute(Frozen):
    """How one published sensitive column is read and compared. `origin` names the set a bitmap column comes from."""

    name: str
    kind: Kind
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
    kind: Kind
    domain: tuple[float, float] | None = None
    values: tuple[str, ...] = ()
    hierarchy: tuple[tuple[str, ...], ...] = ()


class Promise(Frozen):
    """What is required of the published form, and how its columns are read. `combine`, `power` and `callable` say how sensitive attributes
    compose into Δ."""

    requirements: tuple[Requirement, ...]
    combine: Literal["lp", "min"] = "lp"
    power: float = 1.0
    callable: str | None = None
    quasi: tuple[QuasiIdentifier, ...]
    sensitive: tuple[SensitiveAttribute, ...]
    insensitive: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _each_once(self) -> Promise:
        if len({requirement.place for requirement in self.requirements}) != len(self.requirements):
            raise ValueError("a bound is promised twice")
        return self

    def of(self, gate: str) -> tuple[Requirement, ...]:
        return tuple(requirement for requirement in self.requirements if requirement.gate == gate)

    def required(self, gate: str, attribute: str | None = None, bound: str | None = None) -> Requirement | None:
        """None where nothing is required there."""
        return next((promised for promised in self.of(gate) if (promised.attribute, promised.bound) == (attribute, bound)), None)

    @property
    def k(self) -> int:
        """The smallest group that a method may make."""
        return max((int(requirement.required) for requirement in self.of("k")), default=1)

    def requiring(self, *others: Requirement) -> Promise:
        """The same promise with these requirements, in the place of what was required there."""
        placed = {requirement.place: requirement for requirement in (*self.requirements, *others)}
        return self.model_copy(update={"requirements": tuple(placed.values())})

    def without(self, gate: str, attribute: str | None = None) -> Promise:
        """The same promise, of that gate only what it requires of other attributes."""
        kept = tuple(requirement for requirement in self.requirements if (requirement.gate, requirement.attribute) != (gate, attribute))
        return self.model_copy(update={"requirements": kept})

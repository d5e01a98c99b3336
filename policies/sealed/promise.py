"""What one release promises of its published tables: all that is needed to measure every claim again from the files alone.

Decimals are kept as the text a person wrote, because floors of their products are computed exactly.
"""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from headgate.core.columns import GROUP, Kind
from headgate.core.number_form import NumberForm
from headgate.core.scale import Scale
from headgate.core.tolerance import exact
from policies.gates.verdict import Requirement
from policies.words.frozen import Frozen

NOBODY_CHECKED = "Nobody checked that a row is a person: the policy names no identifier, so k and every share count rows."


class PublishedAs(Frozen):
    """How its numbers were rounded and coded. `declared` is the policy's `publish_as` as it was written; `bottom` and `top` are the numbers
    that bounds stand for, where a published row may hold them."""

    declared: dict[str, str]
    bottom: float | None = None
    top: float | None = None

    @property
    def form(self) -> NumberForm:
        step = self.declared.get("round")
        bottom, top = (None if end is None else exact(end) for end in (self.bottom, self.top))
        return NumberForm(None if step is None else exact(step), bottom, top)


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
    published_as: PublishedAs | None = None
    scale: Scale = Scale.LINEAR


class QuasiIdentifier(Frozen):
    """How one published quasi-identifier column is read. `values` in domain order where the kind is not numeric."""

    name: str
    kind: Kind
    domain: tuple[float, float] | None = None
    values: tuple[str, ...] = ()
    hierarchy: tuple[tuple[str, ...], ...] = ()
    bounds: tuple[str, str] | None = None  # the published columns with the low and high ends of its cells


class CombinedRows(Frozen):
    """How several rows of a person became one: by which identifier, in which order, and by which rule of each attribute that has one."""

    per: str
    order: tuple[str, ...] = ()
    rules: dict[str, str]
    source_rows: int

    @property
    def sentence(self) -> str:
        named = ", ".join(f"{name} ({rule})" for name, rule in self.rules.items())
        order = f", in the order of {' and '.join(self.order)}" if self.order else ""
        others = "everything else is the same in all rows of a person"
        rules = f"{named}{order}; {others}" if named else others
        return f"The {self.source_rows:,} rows of the source were combined into one row per person ({self.per}): {rules}."


class SamplingWeight(Frozen):
    """The insensitive column that says how many people of the population each row stands for, and how its numbers were rounded."""

    name: str
    published_as: PublishedAs | None = None

    @property
    def half_step(self) -> float:
        """The published number may be larger by so much than the one that was rounded."""
        step = None if self.published_as is None else self.published_as.form.step
        return 0.0 if step is None else float(step) / 2


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
    weight: SamplingWeight | None = None
    people_checked: bool = False  # every row has an identifier of its own, so that a row is a person
    combined: CombinedRows | None = None  # where the source has several rows per person
    unique_accepted: tuple[str, ...] = ()  # columns by whose values single people may be found: the policy says so

    @model_validator(mode="after")
    def _each_once(self) -> Promise:
        if len({requirement.place for requirement in self.requirements}) != len(self.requirements):
            raise ValueError("a bound is promised twice")
        ends = [name for attribute in self.quasi for name in attribute.bounds or ()]
        parts = [name for attribute in self.sensitive for name in (attribute.components or (attribute.name,))]
        names = [*ends, *(attribute.name for attribute in self.quasi), *parts, *self.insensitive, GROUP]
        if ends and len(set(names)) != len(names):
            raise ValueError("two published columns have one name")
        return self

    @model_validator(mode="after")
    def _weight_is_published(self) -> Promise:
        """Whoever checks the individual risk needs it."""
        if self.weight is None and self.of("individual_risk"):
            raise ValueError("an individual risk is promised without weights")
        if self.weight is not None and self.weight.name not in self.insensitive:
            raise ValueError("the weights are in no table")
        return self

    def without_values(self) -> Promise:
        """For whoever may know what is required of which columns, and nothing that occurs in them: how many levels there are, not which."""
        quasi = tuple(each.model_copy(update={"values": (), "hierarchy": ()}) for each in self.quasi)
        sensitive = (
            each.model_copy(
                update={
                    "declared": (),
                    "levels": ("",) * len(each.levels),
                    "hierarchy": tuple(("",) * len(path) for path in each.hierarchy[:1]),
                }
            )
            for each in self.sensitive
        )
        return self.model_copy(update={"quasi": quasi, "sensitive": tuple(sensitive)})

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

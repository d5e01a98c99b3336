"""The data dictionary: of every published column its role, kind, domain and levels, and of a quasi-identifier how its cells are written."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from headgate.core.cells import format_number
from headgate.core.columns import BIT, GROUP, Kind
from headgate.core.scale import Scale
from policies.schema.policy import Policy
from policies.schema.publish_as import is_share
from policies.schema.rows_key import Rule
from policies.sealed.promise import Promise, PublishedAs, QuasiIdentifier, SamplingWeight, SensitiveAttribute
from policies.words.frozen import Frozen
from tasks.formats.variables import variable_names

ESCAPES = "Empty is missing; in a set, an empty first member is. The signs | { } [ \\ inside a value follow a backslash."


class Constraints(Frozen):
    required: bool | None = None
    minimum: float | int | str | None = None
    maximum: float | int | str | None = None
    enum: tuple[str | int, ...] | None = None


class FieldDescription(Frozen):
    """A column, in the words of Table Schema and, below, in ours. `variable`: its name in the files of SPSS and Stata, if it is another."""

    name: str
    type: str
    description: str
    constraints: Constraints | None = None
    role: str
    kind: str | None = None
    domain: tuple[str, str] | None = None
    levels: tuple[str, ...] | None = None
    hierarchy_levels: int | None = None
    origin: str | None = None
    combined_by: str | None = None
    published_as: PublishedAs | None = None
    scale: Scale | None = None
    variable: str | None = None


def data_dictionary(
    policy: Policy, promise: Promise, sensitive_columns: Sequence[str], insensitive_columns: Sequence[str]
) -> tuple[FieldDescription, ...]:
    """Of one table, in the order of its columns."""
    sensitive = {attribute.name: attribute for attribute in promise.sensitive}
    fields = [
        field
        for identifier in promise.quasi
        for field in (_combined(policy, identifier.name, _quasi(identifier)), *_ends_of_cells(identifier))
    ]
    for name in sensitive_columns:
        fields += [_combined(policy, sensitive[name].origin or name, field) for field in _sensitive(sensitive[name])]
    weight = promise.weight
    fields += [
        _combined(policy, name, _weight(weight, policy) if weight and weight.name == name else _insensitive(policy, name))
        for name in insensitive_columns
    ]
    group = "Rows of one group cannot be told apart by their quasi-identifiers. The number is random."
    fields.append(FieldDescription(name=GROUP, type="integer", description=group, constraints=Constraints(required=True), role="group"))
    return _with_variables(fields) if policy.publish.labelled else tuple(fields)


def _with_variables(fields: Sequence[FieldDescription]) -> tuple[FieldDescription, ...]:
    names = variable_names(field.name for field in fields)
    return tuple(field if names[field.name] == field.name else field.model_copy(update={"variable": names[field.name]}) for field in fields)


def _combined(policy: Policy, name: str, field: FieldDescription) -> FieldDescription:
    """With how its cells were made: from the source's, and from several rows of a person."""
    attribute = policy.attributes.get(name)
    read = "" if attribute is None else attribute.said
    field = field.model_copy(update={"description": f"{field.description} {read}"}) if read else field
    if policy.rows is None:
        return field
    rule = policy.rows.rules.get(name)
    as_read = field.description if rule not in (Rule.SUM, Rule.COUNT) else field.description.replace("As in the source.", "").strip()
    said = f"{as_read} {policy.rows.said_of(name)}".strip()
    return field.model_copy(update={"description": said, "combined_by": None if rule is None else str(rule)})


def _quasi(identifier: QuasiIdentifier) -> FieldDescription:
    kind = Kind(identifier.kind)
    notation = kind.rules.notation
    if identifier.hierarchy:
        spans = ", where [low..high] is every number between" if kind.numeric else ""
        notation = f"a value or a node of the hierarchy{spans}, or * for everything"
    return FieldDescription(
        name=identifier.name,
        type="string",
        description=f"Generalized: {notation}. {ESCAPES}",
        role="quasi",
        kind=kind,
        domain=_ends(kind, identifier.domain),
        levels=identifier.values or None,
        hierarchy_levels=len(identifier.hierarchy[0]) if identifier.hierarchy else None,
    )


def _ends_of_cells(identifier: QuasiIdentifier) -> list[FieldDescription]:
    """As columns of their own, where the policy publishes them."""
    kind, said = Kind(identifier.kind), zip(identifier.bounds or (), ("least", "greatest"), strict=False)
    return [
        FieldDescription(
            name=name,
            type=kind.rules.storage,
            description=f"The {which} value that the cell of '{identifier.name}' covers.",
            role="quasi",
            kind=kind,
            origin=identifier.name,
        )
        for name, which in said
    ]


def _ends(kind: Kind, domain: tuple[float, float] | None) -> tuple[str, str] | None:
    if domain is None or not kind.numeric:
        return None
    low, high = (kind.rules.cell_text(end) for end in domain)
    return low, high


def _sensitive(attribute: SensitiveAttribute) -> list[FieldDescription]:
    kind = Kind(attribute.kind)
    if kind.rules.components:
        of = f"One component of '{attribute.name}'."
        return [FieldDescription(name=name, type="number", description=of, role="sensitive", kind=kind) for name in attribute.components]
    if attribute.origin is not None:
        value = attribute.name.removeprefix(attribute.origin + BIT)
        return [
            FieldDescription(
                name=attribute.name,
                type="integer",
                description=f"1 if '{attribute.origin}' holds '{value}', else 0.",
                constraints=Constraints(enum=(0, 1)),
                role="sensitive",
                kind=kind,
                origin=attribute.origin,
            )
        ]
    listed = attribute.levels or attribute.declared or tuple(row[0] for row in attribute.hierarchy)
    return [
        _plain(
            attribute.name,
            "sensitive",
            kind,
            _ends(kind, attribute.domain),
            listed,
            len(attribute.hierarchy[0]) if attribute.hierarchy else None,
            attribute.published_as,
            attribute.scale,
        )
    ]


def _insensitive(policy: Policy, name: str) -> FieldDescription:
    attribute = policy.attributes[name]
    kind = attribute.kind or Kind.CATEGORY
    ends = None if attribute.domain is None else tuple(str(end) for end in attribute.domain)
    listed = attribute.listed_values or () if kind.rules.single else ()
    return _plain(name, "insensitive", kind, (ends[0], ends[1]) if ends else None, listed, None)


def _weight(weight: SamplingWeight, policy: Policy) -> FieldDescription:
    how = "" if weight.published_as is None else f" {sentence_of_numbers(weight.published_as)}"
    kind = policy.attributes[weight.name].kind or Kind.NUMBER
    return FieldDescription(
        name=weight.name,
        type=kind.rules.storage,
        description=f"How many people of the population the row stands for: a total is the sum of the weights of its rows.{how}",
        constraints=Constraints(required=True),
        role="weight",
        kind=kind,
        published_as=weight.published_as,
    )


def _plain(
    name: str,
    role: str,
    kind: Kind,
    ends: tuple[str, str] | None,
    listed: tuple[str, ...],
    levels: int | None,
    published_as: PublishedAs | None = None,
    scale: Scale = Scale.LINEAR,
) -> FieldDescription:
    bounds: dict[str, Any] = {}
    if ends is not None:
        read = {"integer": int, "number": float}.get(kind.rules.storage, str)
        low, high = (read(end) for end in ends)
        bounds = {"minimum": low, "maximum": high}
    if listed:
        bounds["enum"] = listed
    how = sentence_of_numbers(published_as) if published_as is not None else "As in the source."
    return FieldDescription(
        name=name,
        type=kind.rules.storage,
        description=how if role == "sensitive" else "As in the source; tells nothing about the person by itself.",
        constraints=Constraints(**bounds) if bounds else None,
        role=role,
        kind=kind,
        domain=ends,
        levels=listed if "levels" in kind.rules.keys else None,
        hierarchy_levels=levels,
        published_as=published_as,
        scale=None if scale is Scale.LINEAR else scale,
    )


def sentence_of_numbers(published: PublishedAs) -> str:
    """How the numbers were rounded and coded."""
    step = published.declared.get("round")
    parts = [f"Rounded to multiples of {step}, half to even." if step is not None else "Not rounded."]
    for key, end, word in (("bottom", published.bottom, "less"), ("top", published.top, "more")):
        if end is not None:
            declared = published.declared[key]
            share = f" (by the share {declared})" if is_share(Decimal(declared)) else ""
            parts.append(f"{format_number(end)} stands for {format_number(end)} or {word}{share}.")
    return " ".join(parts)

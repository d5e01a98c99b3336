"""From a policy to what the science works with: one ColumnSpec per attribute, the promise of a release, and back from a promise."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from headgate.core.calendar_parts import YEAR_BANDS
from headgate.core.columns import GROUP, Column, Kind, Role, Table
from headgate.core.computed_hierarchies import mask_hierarchy, widths_hierarchy
from headgate.core.encode import ColumnSpec
from headgate.core.errors import InputRejected, PolicyInvalid
from headgate.core.hierarchy import Hierarchy
from headgate.core.published_form.bounds import bound_names
from headgate.core.published_form.domain_column import domain_column
from headgate.core.scale import Scale
from headgate.core.spelling import value_text
from policies.gates.every_gate import GATES
from policies.gates.per_attribute import published_columns
from policies.gates.uniqueness import UNIQUENESS
from policies.schema.attribute import Attribute, Mask, Widths
from policies.schema.policy import Policy
from policies.sealed.numbers import published_as
from policies.sealed.promise import CombinedRows, Promise, QuasiIdentifier, SamplingWeight, SensitiveAttribute

EPOCH = datetime.date(1970, 1, 1)
HierarchyRows = Sequence[Sequence[str]]


def needs_values(policy: Policy) -> tuple[str, ...]:
    """Attributes whose hierarchy is built from the values present: `column_specs` wants their distinct cells."""
    return tuple(
        name
        for name, attribute in policy.attributes.items()
        if isinstance(attribute.hierarchy, Widths | Mask) and not (attribute.kind and attribute.kind.rules.calendar)
    )


def column_specs(
    policy: Policy,
    hierarchies: Mapping[str, HierarchyRows] | None = None,
    codes: Mapping[str, Sequence[str]] | None = None,
    present: Mapping[str, Iterable[Any]] | None = None,
) -> dict[str, ColumnSpec]:
    """One spec per attribute, in the order of the file. The caller has read the hierarchies, the code lists and, for the names of
    `needs_values`, the distinct cells."""
    specs = {}
    for name, attribute in policy.attributes.items():
        if attribute.kind is None:
            specs[name] = ColumnSpec(name, Kind.CATEGORY, attribute.role)  # identifiers and dropped columns are never encoded
            continue
        declared = _declared(name, attribute, codes or {})
        hierarchy = _hierarchy(name, attribute, hierarchies or {}, present or {})
        accepted = declared or (tuple(hierarchy.leaves) if hierarchy is not None and attribute.kind.rules.levels_above else ())
        specs[name] = ColumnSpec(
            name,
            attribute.kind,
            attribute.role,
            domain=_domain(attribute),
            levels=attribute.level_names or (),
            declared=declared,
            hierarchy=hierarchy,
            separator=attribute.separator or "|",
            nonsensitive=_nonsensitive(name, attribute, accepted),
            absent_sensitive=attribute.absent == "sensitive",
            weight=1.0 if attribute.weight is None else float(attribute.weight),
            metric=(attribute.distance or "total-variation") if attribute.kind.rules.components else None,
            components=attribute.columns or (),
            year_bands=_year_bands(attribute),
            scale=attribute.scale or Scale.LINEAR,
        )
    return specs


def _year_bands(attribute: Attribute) -> tuple[int, ...]:
    calendar = attribute.kind is not None and attribute.kind.rules.calendar
    return attribute.hierarchy.widths if calendar and isinstance(attribute.hierarchy, Widths) else YEAR_BANDS


def _declared(name: str, attribute: Attribute, codes: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    if attribute.level_names is not None:
        return ()
    if attribute.listed_values is not None:
        return attribute.listed_values
    if attribute.values is None and attribute.values_from is None:
        return ()
    values = tuple(str(code).strip() for code in codes.get(name, ()))
    if not values or "" in values:
        raise InputRejected(f"The code list of '{name}' {'has a blank line' if values else 'is empty'}.", "Write one value per line.")
    if len(set(values)) != len(values):
        raise InputRejected(f"The code list of '{name}' lists a value twice.", "Keep each value once.")
    return values


def _hierarchy(
    name: str, attribute: Attribute, hierarchies: Mapping[str, HierarchyRows], present: Mapping[str, Iterable[Any]]
) -> Hierarchy | None:
    described = attribute.hierarchy
    if described is None or (attribute.kind is not None and attribute.kind.rules.calendar):
        return None
    if isinstance(described, str):
        if name not in hierarchies:
            raise InputRejected(f"The hierarchy file of '{name}' was not read.", "Give the file that the policy names.")
        return Hierarchy.from_rows(hierarchies[name], name, file=described)
    if name not in present:
        raise InputRejected(f"The hierarchy of '{name}' is built from its values, which were not given.", "Give its distinct cells.")
    rule = described.model_dump()
    if isinstance(described, Widths):
        return Hierarchy.from_rows(widths_hierarchy(present[name], described.widths, name), name, described=rule)
    return Hierarchy.from_rows(mask_hierarchy(present[name], described.mask, name), name, described=rule)


def _domain(attribute: Attribute) -> tuple[float, float] | None:
    if attribute.domain is None:
        return None
    low, high = (_days(end) if isinstance(end, str) else float(end) for end in attribute.domain)
    return float(low), float(high)


def _days(day: str) -> int:
    return (datetime.date.fromisoformat(day) - EPOCH).days


def _nonsensitive(name: str, attribute: Attribute, accepted: tuple[str, ...]) -> frozenset[str | None]:
    """As the encoder writes values: 0.50 is 0.5, a day is its number."""
    unknown = [value for value in attribute.nonsensitive if value is not None and accepted and value not in accepted]
    if unknown:
        raise PolicyInvalid(
            f"attributes.{name}.nonsensitive: found '{unknown[0]}'; accepted: a value of its code list or a leaf of its hierarchy.",
            "Correct the spelling in the policy, or add the value to the file.",
        )
    if attribute.kind is None or not attribute.kind.numeric:
        return frozenset(attribute.nonsensitive)
    read = _days if attribute.kind.rules.storage == "date" else float
    return frozenset(None if value is None else value_text(read(value)) for value in attribute.nonsensitive)


def given_tables(policy: Policy, table: Table) -> tuple[tuple[str, ...], ...]:
    """The tables of `method: given` by published columns; a set is replaced by all its bitmap columns."""
    tables = tuple(tuple(column for name in names for column in published_columns(table, name)) for names in policy.projection.tables or ())
    placed = [column for columns in tables for column in columns]
    if len(set(placed)) != len(placed):
        raise PolicyInvalid("projection.tables names a sensitive column twice.", "Put each in one table.")
    left = [column for column in table.sensitive if column not in set(placed)]
    if left:
        raise PolicyInvalid(
            f"projection.tables leaves {len(left)} of {len(table.sensitive)} sensitive columns out.", "Put each in one table."
        )
    return tables


def insensitive_tables(policy: Policy, tables: int) -> tuple[tuple[str, ...], ...]:
    """The insensitive attributes and the weight of each projected table: in the one the policy names, or else in the first."""
    wanted = {name: policy.attributes[name].table or 1 for name in policy.unprotected}
    beyond = [name for name, number in wanted.items() if number > tables]
    if beyond:
        raise PolicyInvalid(
            f"attributes.{beyond[0]}.table: found {wanted[beyond[0]]}; the plan has {tables} tables.", "Name a table of the plan."
        )
    return tuple(tuple(name for name, number in wanted.items() if number == place) for place in range(1, tables + 1))


def promise_of(policy: Policy, table: Table, source_rows: int = 0) -> Promise:
    """What the release promises of its published columns. `table` is encoded, and its sets are bitmap columns already. `source_rows`: how
    many rows it was made of, where the policy combines them."""
    distance = policy.anonymize.distance
    accepted = tuple(name for name, attribute in policy.attributes.items() if attribute.unique is not None)
    bounds = bounds_of(policy, table)
    required = (requirement for gate in GATES for requirement in gate.requirements(getattr(policy, gate.section), table))
    return Promise(
        requirements=tuple(each for each in required if each.gate != UNIQUENESS or each.attribute not in accepted),
        combine=distance.combine or "lp",
        power=float(distance.p or 1),
        callable=distance.callable,
        quasi=tuple(_quasi(policy, column, bounds.get(column.name)) for column in table.select(table.quasi)),
        sensitive=tuple(_sensitive(policy, column) for column in table.select(table.sensitive)),
        insensitive=table.insensitive,
        weight=None if table.weight is None else _weight(policy, table[table.weight]),
        people_checked=bool(policy.named(Role.IDENTIFIER)),
        combined=_combined(policy, source_rows),
        unique_accepted=accepted,
    )


def _combined(policy: Policy, source_rows: int) -> CombinedRows | None:
    rows = policy.rows
    if rows is None:
        return None
    return CombinedRows(
        per=rows.per, order=rows.order or (), rules={name: str(rule) for name, rule in rows.rules.items()}, source_rows=source_rows
    )


def bounds_of(policy: Policy, table: Table) -> dict[str, tuple[str, str]]:
    """The columns with the ends of generalized cells, where the policy publishes them: under names that no column of the source and no
    other published column has."""
    if not policy.publish.bounds:
        return {}
    columns = (*table.quasi, *table.sensitive, *table.insensitive)
    taken = {GROUP, *policy.attributes, *policy.source_columns, *(part for column in table.select(columns) for part in column.parts)}
    return bound_names([column.name for column in table.select(table.quasi) if column.kind.ordered], taken)


def _weight(policy: Policy, column: Column) -> SamplingWeight:
    return SamplingWeight(name=column.name, published_as=published_as(policy.attributes[column.name].as_published, column))


def _rows(hierarchy: Hierarchy | None) -> tuple[tuple[str, ...], ...]:
    return () if hierarchy is None else tuple(tuple(str(label) for label in row) for row in hierarchy.labels)


def _quasi(policy: Policy, column: Column, bounds: tuple[str, str] | None) -> QuasiIdentifier:
    values = () if column.kind.numeric or column.hierarchy is not None else tuple(str(value) for value in column.values)
    rows = _without_values(policy.attributes[column.name], _rows(column.hierarchy))
    return QuasiIdentifier(name=column.name, kind=column.kind, domain=column.domain, values=values, hierarchy=rows, bounds=bounds)


def _without_values(attribute: Attribute, rows: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """A hierarchy made from the values present would say in the manifest what the cells hide: its leaves are renamed there. Reading a
    published cell needs its nodes and how many leaves each has; of an interval not even that."""
    if isinstance(attribute.hierarchy, Widths):
        return tuple((node.strip("[]").split("..")[0], node, *above) for _, node, *above in dict.fromkeys(("", *row[1:]) for row in rows))
    if isinstance(attribute.hierarchy, Mask):
        return tuple((f"{node} {number}", node, *above) for number, (_, node, *above) in enumerate(rows))
    return rows


def _sensitive(policy: Policy, column: Column) -> SensitiveAttribute:
    if column.kind is Kind.SET:
        raise InputRejected(f"'{column.name}' is a set, and sets are published as bitmap columns.", "Make the bitmap first.")
    attribute = policy.attributes[column.origin or column.name]
    harmless: list[str | None] = [
        value_text(value) for value, secret in zip(column.values, column.sensitive[:-1], strict=True) if not secret
    ]
    bit = column.origin is not None
    declared = (
        tuple(value_text(value) for value in column.values)
        if bit or attribute.values is not None or attribute.values_from is not None
        else ()
    )
    return SensitiveAttribute(
        name=column.name,
        kind=column.kind,
        domain=column.domain if column.kind.numeric else None,
        levels=tuple(str(value) for value in column.values) if "levels" in column.kind.rules.keys else (),
        declared=declared,
        hierarchy=_rows(column.hierarchy),
        nonsensitive=tuple(harmless if column.sensitive[-1] else [*harmless, None]),
        weight=column.weight,
        metric=column.metric,
        components=(attribute.columns or ()) if column.kind.rules.components else (),
        origin=column.origin,
        published_as=published_as(attribute.publish_as, column),
        scale=column.scale,
    )


def specs_of(promise: Promise) -> dict[str, ColumnSpec]:
    """How the sensitive columns of a published file are read again."""
    return {
        attribute.name: ColumnSpec(
            attribute.name,
            attribute.kind,
            Role.SENSITIVE,
            domain=attribute.domain,
            levels=attribute.levels,
            declared=attribute.declared,
            hierarchy=Hierarchy.from_rows(attribute.hierarchy, attribute.name) if attribute.hierarchy else None,
            separator=attribute.separator,
            nonsensitive=frozenset(attribute.nonsensitive),
            weight=attribute.weight,
            metric=attribute.metric,
            components=attribute.components,
            origin=attribute.origin,
            scale=attribute.scale,
        )
        for attribute in promise.sensitive
    }


def domains_of(promise: Promise) -> dict[str, Column]:
    """The quasi-identifiers' domains as columns without rows: what reading generalized cells needs."""
    return {quasi.name: domain_column(quasi.name, quasi.kind, quasi.domain, quasi.values, quasi.hierarchy) for quasi in promise.quasi}

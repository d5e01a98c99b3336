"""Domains and lists of values say who is in the source: a city that one person has tells of that person, even where their row is
suppressed. So what is published holds what the policy declares, or what published rows hold."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import MISSING, Column, Table
from headgate.core.number_form import NumberForm
from policies.schema.attribute import Attribute
from policies.schema.policy import Policy
from policies.schema.publish_as import is_share


def published_values(policy: Policy, table: Table) -> Table:
    """`table` holds the rows that are published. Its columns then know no value but those that are declared and those of its cells."""
    columns = dict(table.columns)
    for column in table.select((*table.quasi, *table.sensitive)):
        attribute = policy.attributes[column.origin or column.name]
        if not _declares_values(attribute, column):
            columns[column.name] = _only(column, np.flatnonzero(column.counts()[:-1]).astype(np.int32), attribute)
    return replace(table, columns=columns)


def _declares_values(attribute: Attribute, column: Column) -> bool:
    """Levels, code lists and files of hierarchies are declared; a bit has its two values; of a vector no value is published but in rows."""
    listed = attribute.level_names, attribute.values, attribute.values_from
    return (
        column.origin is not None
        or column.kind.rules.components
        or isinstance(attribute.hierarchy, str)
        or any(declared is not None for declared in listed)
    )


def _only(column: Column, used: NDArray[np.int32], attribute: Attribute) -> Column:
    place = np.full(len(column.values) + 1, MISSING, dtype=np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    values, hierarchy, domain = column.values[used], column.hierarchy, column.domain
    if hierarchy is not None:
        hierarchy = replace(hierarchy, labels=hierarchy.labels[used], nodes=hierarchy.nodes[used])
    if column.kind.numeric and attribute.domain is None:
        domain = (float(values[0]), float(values[-1])) if len(values) else (0.0, 0.0)
    flags = np.append(column.sensitive[used], column.sensitive[-1])
    form = _bounds_held(column.number_form, values, attribute)
    if form is not None and attribute.domain is not None:
        low, high = form.of([float(end) for end in attribute.domain])
        domain = (float(low), float(high))
    codes = column.codes if len(used) == len(column.values) else place[column.codes]
    return replace(column, codes=codes, values=values, hierarchy=hierarchy, domain=domain, sensitive=flags, number_form=form)


def _bounds_held(form: NumberForm | None, values: NDArray[Any], attribute: Attribute) -> NumberForm | None:
    """Without a bound that a share became and that no published row holds."""
    wanted = attribute.publish_as
    if form is None or wanted is None:
        return form
    lost = [key for key, end in wanted.ends.items() if is_share(end) and float(getattr(form, key)) not in values]
    return replace(form, **dict.fromkeys(lost))

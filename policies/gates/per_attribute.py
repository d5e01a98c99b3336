"""Bounds that a policy writes once for all sensitive attributes, or for each that it names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from headgate.core.columns import Kind, Table
from headgate.core.errors import PolicyInvalid
from policies.words.fields import Exact, NotNegative, Share, decimal_text


def _one_or_each(given: Any) -> str:
    return "each" if isinstance(given, Mapping) else "all"


AtLeastOne = Annotated[Exact, Field(ge=1)]
PerAttribute = Annotated[
    Annotated[NotNegative, Tag("all")] | Annotated[dict[str, NotNegative], Tag("each")],
    Discriminator(_one_or_each),
]
PerAttributeShare = Annotated[
    Annotated[Share, Tag("all")] | Annotated[dict[str, Share], Tag("each")],
    Discriminator(_one_or_each),
]
PerAttributeFromOne = Annotated[
    Annotated[AtLeastOne, Tag("all")] | Annotated[dict[str, AtLeastOne], Tag("each")],
    Discriminator(_one_or_each),
]


def published_columns(table: Table, name: str) -> tuple[str, ...]:
    """The published columns that a name in the policy refers to: the column itself, or the bitmap columns of a set."""
    if name in table.sensitive:
        return (name,)
    bits = tuple(column.name for column in table.select(table.sensitive) if column.origin == name)
    if not bits:
        raise PolicyInvalid(
            f"'{name}' is not a sensitive column of the data.",
            "Name a sensitive attribute, or attribute=value with a value of its code list.",
        )
    return bits


def bounds_by_column(
    table: Table, given: Decimal | Mapping[str, Decimal] | None, kinds: Iterable[Kind] = tuple(Kind)
) -> Iterator[tuple[str, str]]:
    """Each column and its bound. A single number applies to every sensitive column of these kinds except bitmap columns."""
    if isinstance(given, Mapping):
        yield from ((column, decimal_text(bound)) for name, bound in given.items() for column in published_columns(table, name))
    elif given is not None:
        accepted = tuple(kinds)
        columns = (column for column in table.select(table.sensitive) if column.origin is None and column.kind in accepted)
        yield from ((column.name, decimal_text(given)) for column in columns)

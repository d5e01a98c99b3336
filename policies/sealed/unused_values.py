"""Values that a policy declares and no row has: often a header, or a misspelled one, in a code list."""

from __future__ import annotations

from collections.abc import Mapping

from headgate.core.columns import Column, Table
from headgate.core.encode import ColumnSpec


def unused_values(table: Table, specs: Mapping[str, ColumnSpec]) -> dict[str, tuple[str, ...]]:
    """By attribute, in the order in which they are declared; attributes that use all their values are left out. Sets are sets still."""
    found = {}
    for name, spec in specs.items():
        if spec.declared and name in table.columns:
            occurring = _occurring(table[name])
            unused = tuple(value for value in spec.declared if value not in occurring)
            if unused:
                found[name] = unused
    return found


def _occurring(column: Column) -> set[str]:
    values = column.values[column.counts()[:-1] > 0]
    return {str(value) for value in values} if column.kind.rules.single else {str(member) for value in values for member in value}

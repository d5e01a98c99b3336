"""Frames as the measures take them: encoded columns, and the groups of the rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from headgate.core.columns import Codes, Column, Role, Table
from headgate.core.distinct import places
from headgate.core.encode import ColumnSpec, encode_column, encode_table
from headgate.core.errors import InputRejected
from headgate.core.frame_specs import absent_column, check_text_names, inferred_spec
from headgate.core.scale import Scale
from headgate.core.spelling import factorize, is_blank, is_text, of_objects

NonSensitive = Mapping[str, Sequence[Any]]


def encode(
    frame: pd.DataFrame,
    name: str,
    role: str = Role.SENSITIVE,
    kinds: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    scales: Mapping[str, str] | None = None,
) -> Column:
    """One column; without `kinds`, numbers are numbers over the range that occurs, and everything else is a category. `scales`: "log"
    compares numbers by their ratio."""
    if name not in frame.columns:
        raise absent_column(name, [str(column) for column in frame.columns], "the table")
    spec = inferred_spec(frame[name], name, Role(role), kinds or {}, hierarchies or {})
    if spec.kind.rules.components:
        raise InputRejected(f"'{name}' is one column, not a {spec.kind}.", "Check vectors under a policy, which names their components.")
    return encode_column(frame[name], replace(spec, scale=_scale(spec, (scales or {}).get(name, Scale.LINEAR))))


def _scale(spec: ColumnSpec, scale: str) -> Scale:
    if scale not in tuple(Scale):
        raise InputRejected(f"The scale of '{spec.name}' is unknown.", f"Use one of {', '.join(Scale)}.")
    if scale == Scale.LOG and "scale" not in spec.kind.rules.keys:
        raise InputRejected(f"'{spec.name}' is a {spec.kind}, which has no ratios.", "Compare only numbers on the log scale.")
    return Scale(scale)


def table(
    frame: pd.DataFrame,
    quasi: Sequence[str],
    sensitive: Sequence[str] = (),
    kinds: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    nonsensitive: NonSensitive | None = None,
) -> Table:
    """The columns that are named, encoded as `encode` does; `nonsensitive` lists the values of an attribute that are not sensitive."""
    names = [*quasi, *sensitive]
    kinds, hierarchies, harmless = kinds or {}, hierarchies or {}, nonsensitive or {}
    _check_names(frame, names, {**kinds, **hierarchies, **harmless})
    specs = {
        name: inferred_spec(frame[name], name, Role.QUASI if name in quasi else Role.SENSITIVE, kinds, hierarchies, harmless.get(name, ()))
        for name in names
    }
    return encode_table(frame, specs)


def _check_names(frame: pd.DataFrame, names: Sequence[str], settings: Iterable[str]) -> None:
    columns = [str(name) for name in frame.columns]
    check_text_names(names, list(frame.columns))
    for name in names:
        if name not in columns:
            raise absent_column(name, columns, "the frame")
        if columns.count(name) > 1:
            raise InputRejected(f"Column '{name}' appears twice in the frame.", "Rename the columns.")
        if names.count(name) > 1:
            raise InputRejected(f"Column '{name}' is named twice.", "Name each column once, as a quasi-identifier or as sensitive.")
    for name in settings:
        if name not in names:
            raise InputRejected(f"'{name}' is neither a quasi-identifier nor sensitive.", "Correct the name.")
    if len(frame) == 0:
        raise InputRejected("The frame has no rows.", "Give a table with rows.")


def classes(frame: pd.DataFrame, quasi: Sequence[str], group: str | None = None) -> list[Codes]:
    """The readings of "group": rows with equal quasi-identifiers; where the column `group` numbers the groups, those, and both where they
    differ."""
    for name in (*quasi, *([] if group is None else [group])):
        if name not in frame.columns:
            raise absent_column(name, [str(column) for column in frame.columns], "the table")
    return classes_of({name: cell_codes(frame[name]) for name in quasi}, None if group is None else frame[group])


def classes_of(quasi: Mapping[str, Codes], group: pd.Series | None) -> list[Codes]:
    if group is None:
        return [places(quasi.values())]
    by_group = cell_codes(group)
    if (by_group < 0).any():
        raise InputRejected(f"{int((by_group < 0).sum())} rows have no group in '{group.name}'.", "Give every row a group.")
    if not quasi:
        return [by_group]
    by_values = places(quasi.values())
    pairs = int(places((by_group, by_values)).max()) + 1
    return [by_group, by_values] if pairs == int(by_group.max()) + 1 else [by_group]


def cell_codes(cells: pd.Series) -> Codes:
    """Refuses empty cells in several spellings: nobody could tell the groups apart that they make."""
    codes, distinct = factorize(cells, str(cells.name))
    if is_text(distinct) and tuple in set(map(type, distinct)):
        raise of_objects(str(cells.name))
    ways = (sum(map(is_blank, distinct)) if is_text(distinct) else 0) + int((codes < 0).any())
    if ways > 1:
        raise InputRejected(
            f"Empty cells of '{cells.name}' are spelled in {ways} ways: missing, or with different blanks.",
            "Leave every empty cell missing: frame[column].replace(r'^\\s*$', None, regex=True).",
        )
    return codes

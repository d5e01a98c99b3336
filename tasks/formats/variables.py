"""The columns of a table as SPSS and Stata know them: short plain names, a label for each, and a label for each level of a scale.

One name serves both programs, so that one data dictionary does.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LONGEST_NAME = 32  # characters, in Stata; SPSS takes 64 bytes
LONGEST_LABEL = 80  # characters, in Stata
LONGEST_LABEL_BYTES = 240  # SPSS takes 255
LONGEST_LEVEL = 120  # bytes, in SPSS
KEPT_BY_SPSS = ("all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to", "with")
KEPT_BY_STATA = ("byte", "double", "float", "if", "in", "int", "long", "strl", "using")
_KEPT = re.compile("|".join((*KEPT_BY_SPSS, *KEPT_BY_STATA, r"str\d+")))
_OTHER_SIGNS = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True)
class Variable:
    """`kind`: integer, number, date or string. `levels`: the values of a text column whose order counts, lowest first."""

    column: str
    name: str
    label: str
    kind: str
    levels: tuple[str, ...] = ()


def variable_names(columns: Iterable[str]) -> dict[str, str]:
    """By column. Signs that one of the programs refuses become `_`, and names that only differ in case are numbered."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for column in columns:
        plain = _plain(column)
        name, number = plain, 1
        while name.lower() in taken:
            number += 1
            name = f"{plain[: LONGEST_NAME - len(str(number)) - 1]}_{number}"
        taken.add(name.lower())
        names[column] = name
    return names


def _plain(column: str) -> str:
    if re.fullmatch(rf"[A-Za-z][A-Za-z0-9_]{{0,{LONGEST_NAME - 1}}}", column) and not _KEPT.fullmatch(column.lower()):
        return column
    letters = "".join(sign for sign in unicodedata.normalize("NFKD", column) if not unicodedata.combining(sign))
    name = _OTHER_SIGNS.sub("_", letters).strip("_")
    if not name[:1].isalpha() or _KEPT.fullmatch(name.lower()):
        name = f"v_{name}"
    return name[:LONGEST_NAME].rstrip("_")


def variables_of(fields: Sequence[Mapping[str, Any]]) -> tuple[Variable, ...]:
    """What the data dictionary says of the columns of a table. Generalized cells are texts, whatever their values have levels."""
    return tuple(
        Variable(
            field["name"],
            field.get("variable", field["name"]),
            short_label(f"{field['name']}: {field['description']}"),
            field["type"],
            () if field["role"] == "quasi" else labels_of(field.get("levels", ())),
        )
        for field in fields
    )


def labels_of(levels: Sequence[str]) -> tuple[str, ...]:
    """None where SPSS would cut one off: such a column holds the texts themselves."""
    return tuple(levels) if all(len(level.encode()) <= LONGEST_LEVEL for level in levels) else ()


def short_label(text: str, most: int = LONGEST_LABEL_BYTES) -> str:
    """At most `most` bytes and 80 characters, on one line."""
    text = " ".join(text.split())
    if len(text) <= LONGEST_LABEL and len(text.encode()) <= most:
        return text
    return f"{text.encode()[: most - len('…'.encode())].decode(errors='ignore')[: LONGEST_LABEL - 1]}…"

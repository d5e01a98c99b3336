"""A version as a home keeps it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_column, encode_table
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import PublishedTable, publish_form
from headgate.series.kept_version import kept_version, texts_of

PEOPLE = np.array([b"zoe", b"amy", b"tom", b"eve", b"bob"])


def tables(rows: list[int]) -> list[tuple[PublishedTable, np.ndarray]]:
    """Of people `rows` (in the order of the table): two tables, each in an order of its own."""
    frame = pd.DataFrame({"age": [20, 21, 60, 61, 62], "illness": list("abcde"), "pay": [1, 2, 3, 4, 5]})
    specs = {
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI),
        "illness": ColumnSpec("illness", Kind.CATEGORY, Role.SENSITIVE),
        "pay": ColumnSpec("pay", Kind.NUMBER, Role.SENSITIVE),
    }
    table = encode_table(frame, specs)
    groups = np.array([0, 0, 1, 1, 1], dtype=np.int32)
    out = []
    for order, name in ((rows, "illness"), (rows[::-1], "pay")):
        whose = np.array(order)
        out.append((publish_form(table.take(whose), groups[whose], name, [name]), whose))
    return out


def test_people_are_in_the_order_of_their_pseudonyms_and_rows_are_not_linked_to_them() -> None:
    version, own = kept_version(PEOPLE, tables([4, 2, 0, 3, 1]))
    assert version.people.tolist() == [b"amy", b"bob", b"eve", b"tom", b"zoe"]
    illness, pay = version.tables
    assert illness.groups[0].tolist() == pay.groups[0].tolist() == [0, 1, 1, 1, 0]
    assert [illness.columns["illness"].texts[code] for code in own[0]["illness"]] == ["b", "e", "d", "c", "a"]
    assert [pay.columns["pay"].texts[code] for code in own[1]["pay"]] == ["2", "5", "4", "3", "1"]
    assert [illness.columns["illness"].texts[code] for code in illness.columns["illness"].codes] == ["e", "c", "a", "d", "b"]


def test_only_who_was_published_is_kept() -> None:
    version, _ = kept_version(PEOPLE, tables([1, 0, 3, 4]))
    assert version.people.tolist() == [b"amy", b"bob", b"eve", b"zoe"]


def test_tables_of_other_people_are_refused() -> None:
    one, _ = tables([0, 1, 2])
    _, other = tables([0, 1, 3])
    with pytest.raises(InputRejected, match="do not hold the same people"):
        kept_version(PEOPLE, [one, other])
    with pytest.raises(InputRejected, match="each once"):
        kept_version(np.array([b"amy", b"amy", b"tom", b"eve", b"bob"]), tables([0, 1, 2]))


def test_a_value_has_one_text_however_it_is_encoded() -> None:
    numbers = encode_column(pd.Series([2.0, 0.5, 1e6]), ColumnSpec("n", Kind.NUMBER, Role.SENSITIVE))
    days = encode_column(pd.Series(["2024-02-29", "1999-01-01"]), ColumnSpec("d", Kind.DATE, Role.SENSITIVE))
    parts = pd.DataFrame({"p1": [0.25], "p2": [0.75]})
    vector = encode_column(parts, ColumnSpec("v", Kind.VECTOR, Role.SENSITIVE, metric="lp", components=("p1", "p2")))
    assert texts_of(numbers) == ("0.5", "2", "1000000")
    assert texts_of(days) == ("1999-01-01", "2024-02-29")
    assert texts_of(vector) == ("0.25|0.75",)

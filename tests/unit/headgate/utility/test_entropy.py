"""Entropy-based loss, against −log2 row by row."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.calendar_parts import format_day
from headgate.core.columns import Kind, Role, Table
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import from_frame, publish_form, to_frame
from headgate.utility.entropy import entropy_loss

PEOPLE = Callable[..., Table]
GRADES = ["one", "two", "three", "four"]


def plain(table: Table, name: str) -> list[Any]:
    column = table[name]
    return [
        None if code < 0 else format_day(column.values[code]) if column.kind is Kind.DATE else column.values[code] for code in column.codes
    ]


def stands_for(name: str, own: list[Any]) -> Callable[[Any], bool]:
    """What the cell of a group with these values covers, by DEFINITIONS §1."""
    present = [value for value in own if value is not None]
    if name == "eye" or len(set(own)) == 1:
        return lambda value: value in own
    if len(present) < len(own):
        return lambda value: True
    if name in ("town", "floor"):

        def parent(value: Any) -> Any:
            return str(value)[0] if name == "town" else (value + 1) // 2

        one = len({parent(value) for value in own}) == 1
        return (lambda value: value is not None and parent(value) == parent(own[0])) if one else lambda value: True
    if name == "born":
        bands = [lambda day, width=width: int(day[:4]) // width for width in (5, 10, 20)]
        for part in (lambda day: day[:7], lambda day: (day[:4], (int(day[5:7]) + 2) // 3), lambda day: day[:4], *bands):
            if len({part(day) for day in own}) == 1:
                return lambda value, part=part: value is not None and part(value) == part(own[0])
        return lambda value: True
    rank = GRADES.index if name == "grade" else float
    low, high = min(map(rank, own)), max(map(rank, own))
    return lambda value: value is not None and low <= rank(value) <= high


def row_bits(table: Table, groups: np.ndarray, name: str) -> tuple[list[float], float]:
    """Bits that each row loses in one attribute, and the attribute's entropy."""
    values = plain(table, name)
    out = []
    for row, group in enumerate(groups):
        covers = (lambda value: True) if group < 0 else stands_for(name, [values[i] for i in range(len(values)) if groups[i] == group])
        out.append(-math.log2(values.count(values[row]) / sum(covers(value) for value in values)))
    return out, sum(-math.log2(values.count(value) / len(values)) for value in values) / len(values)


def some_groups(rows: int, seed: int, count: int) -> np.ndarray:
    groups = np.unique(np.random.default_rng(seed).integers(0, count, rows), return_inverse=True)[1].astype(np.int32)
    return np.where(groups == groups.max(), -1, groups).astype(np.int32) if rows > 3 and groups.max() > 0 else groups


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 40), st.integers(0, 1000), st.integers(1, 12))
def test_the_loss_is_that_of_the_rows_own_values_among_what_their_cells_cover(
    make_people: PEOPLE, rows: int, seed: int, count: int
) -> None:
    table, groups = make_people(rows, seed), some_groups(rows, seed, count)
    source = {name: table[name] for name in table.quasi}
    found = entropy_loss(publish_form(table, groups, "one", ("ill",)), source, groups)
    wanted, bits, shares = {}, 0.0, np.zeros(rows)
    for name in table.quasi:
        lost, entropy = row_bits(table, groups, name)
        bits += sum(lost) / rows
        wanted[name] = sum(lost) / rows / entropy if entropy else 0.0
        shares += np.array(lost) / entropy / len(table.quasi) if entropy else 0.0
    assert dict(found.per_attribute) == pytest.approx(wanted, abs=1e-9)
    assert found.loss == pytest.approx(np.mean(list(wanted.values())), abs=1e-9)
    assert found.loss == pytest.approx(shares.mean(), abs=1e-9)
    assert found.bits == pytest.approx(bits, abs=1e-9)
    assert found.figure.per_group is not None
    assert found.figure.per_group.tolist() == pytest.approx([shares[groups == group].mean() for group in range(groups.max() + 1)], abs=1e-9)


def test_two_groups_of_two_lose_what_is_reckoned_on_paper() -> None:
    """blue twice, brown and green once: 1.5 bits. Each group mixes blue with another, a cell that covers three rows: its rows lose
    log2(3/2) and log2(3). Both groups: 2·(log2 1.5 + log2 3) = 4.3399 of 4·1.5 bits."""
    column = encode_column(pd.Series(["blue", "brown", "blue", "green"]), ColumnSpec("eye", Kind.CATEGORY, Role.QUASI))
    groups = np.array([0, 0, 1, 1], dtype=np.int32)
    found = entropy_loss(publish_form(Table({"eye": column}, ("eye",), ()), groups, "one", ()), {"eye": column}, groups)
    assert found.bits == pytest.approx((math.log2(1.5) + math.log2(3)) / 2)
    assert found.loss == pytest.approx(0.7233083338, abs=1e-9)


def test_rows_as_they_are_lose_exactly_nothing_and_one_group_of_all_loses_all(make_people: PEOPLE) -> None:
    table = make_people(300, 3)
    source = {name: table[name] for name in table.quasi}
    assert entropy_loss(publish_form(table, np.arange(300), "one", ()), source).loss == 0.0
    everything = entropy_loss(publish_form(table, np.zeros(300, dtype=int), "one", ()), source)
    assert everything.loss == pytest.approx(1.0, abs=1e-12)
    one = np.where(np.arange(300) == 0, 0, -1)
    almost = entropy_loss(publish_form(table, one, "one", ()), source)
    assert 0.99 < almost.loss < 1.0


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 40), st.integers(0, 1000), st.integers(2, 12))
def test_a_shuffled_table_has_the_same_loss_and_no_figures_a_group(make_people: PEOPLE, rows: int, seed: int, count: int) -> None:
    table, groups = make_people(rows, seed), some_groups(rows, seed, count)
    source = {name: table[name] for name in table.quasi}
    published = publish_form(table, groups, "one", ())
    found = entropy_loss(from_frame(to_frame(published, seed), "one", table.quasi, {}), source)
    assert (found.loss, found.bits) == (entropy_loss(published, source).loss, entropy_loss(published, source).bits)
    assert found.figure is None


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 40), st.integers(0, 1000), st.integers(2, 12))
def test_joining_groups_never_loses_less_and_neither_order_nor_doubled_rows_matter(
    make_people: PEOPLE, rows: int, seed: int, count: int
) -> None:
    table, groups = make_people(rows, seed), some_groups(rows, seed, count)

    def loss(people: Table, numbers: np.ndarray) -> float:
        return entropy_loss(publish_form(people, numbers, "one", ()), {name: people[name] for name in people.quasi}, numbers).loss

    found = loss(table, groups)
    assert loss(table, np.where(groups < 0, -1, groups // 2).astype(np.int32)) >= found - 1e-12
    order = np.random.default_rng(seed).permutation(np.repeat(np.arange(rows), 2))
    assert loss(table.take(order), groups[order]) == pytest.approx(found, abs=1e-12)


def test_what_the_table_was_not_published_from_is_refused(make_people: PEOPLE) -> None:
    table = make_people(40, 1, gaps=False)
    groups = (np.arange(40) // 4).astype(np.int32)
    published = publish_form(table, groups, "one", ())
    source = {name: table[name] for name in table.quasi}
    with pytest.raises(InputRejected, match="lacks a quasi-identifier"):
        entropy_loss(published, {name: column for name, column in source.items() if name != "eye"})
    with pytest.raises(InputRejected, match="40 rows are published of 39"):
        entropy_loss(published, {name: column.take(np.arange(39)) for name, column in source.items()})
    for other in (groups[:39], groups // 2, np.where(groups == 0, -1, groups)):
        with pytest.raises(InputRejected, match="groups do not match the published table"):
            entropy_loss(published, source, other.astype(np.int32))
    gapped = np.where(groups > 3, groups + 1, groups).astype(np.int32)
    with pytest.raises(InputRejected, match="groups do not match the published table"):
        entropy_loss(replace(published, group=gapped), source, gapped)
    # The same groups, but other people in them: some cell covers less than the values that are said to be in it.
    with pytest.raises(InputRejected, match="do not cover the values of their groups"):
        entropy_loss(publish_form(table, np.arange(40), "one", ()), source, np.arange(40, dtype=np.int32)[::-1])
    blue = replace(table["eye"], codes=np.zeros(40, dtype=np.int32))
    uniform = publish_form(Table({**table.columns, "eye": blue}, ("eye",), ()), groups, "one", ())
    rest = replace(table["eye"], codes=np.ones(40, dtype=np.int32))
    with pytest.raises(InputRejected, match="covers no input row"):
        entropy_loss(uniform, {"eye": rest})
    half = replace(table["eye"], codes=(np.arange(40) < 30).astype(np.int32))
    with pytest.raises(InputRejected, match="do not cover the values of the input"):
        entropy_loss(uniform, {"eye": half})

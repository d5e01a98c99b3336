"""Sample and special uniques against their definitions, by counting every subset of attributes for every row."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.risk.reidentification import uniqueness
from headgate.risk.reidentification.uniqueness import (
    SpecialUniques,
    combinations,
    sample_uniques,
    sample_uniques_of,
    special_uniques,
    special_uniques_of,
)


def columns_of(rows: list[tuple[Any, ...]]) -> list[Column]:
    frame = pd.DataFrame(rows, dtype=object)
    return [encode_column(frame[name], ColumnSpec(f"q{name}", Kind.CATEGORY, Role.QUASI)) for name in frame.columns]


def minimal_sets(rows: list[tuple[Any, ...]], largest: int) -> list[set[tuple[int, ...]]]:
    """Per row, by the definition: unique on the set, and on no proper subset of it, however small."""
    width = len(rows[0])
    subsets = [names for size in range(1, width + 1) for names in itertools.combinations(range(width), size)]
    held = {names: Counter(tuple(row[i] for i in names) for row in rows) for names in subsets}
    unique = [{names for names in subsets if held[names][tuple(row[i] for i in names)] == 1} for row in rows]
    return [{names for names in sets if len(names) <= largest and not any(set(part) < set(names) for part in sets)} for sets in unique]


def by_hand(rows: list[tuple[Any, ...]], largest: int) -> tuple[list[list[int]], list[float]]:
    width = len(rows[0])
    top = min(largest, width)
    counts, scores = [], []
    for sets in minimal_sets(rows, largest):
        counts.append([sum(len(names) == size for names in sets) for size in range(1, top + 1)])
        score = 0.0
        for names in sets:
            product = 1.0
            for i in range(len(names), min(top, width - 1) + 1):
                product *= width - i
            score += product
        scores.append(score)
    return counts, scores


def all_counts(found: SpecialUniques) -> list[list[int]]:
    out = np.zeros((found.total, found.counts.shape[1]), dtype=int)
    out[found.rows] = found.counts
    return out.tolist()


CELLS = st.sampled_from([None, "a", "b", "c", "d"])
TABLES = st.integers(1, 5).flatmap(lambda width: st.lists(st.tuples(*[CELLS] * width), min_size=1, max_size=14))


@settings(max_examples=150, deadline=None)
@given(TABLES, st.integers(1, 5), st.sampled_from(["dense", "hashed", "short keys"]))
def test_minimal_sample_uniques_are_those_of_the_definition(rows: list[tuple[Any, ...]], largest: int, way: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if way == "hashed":
            patch.setattr(uniqueness, "_DENSE", 0)
            patch.setattr(uniqueness, "_ROOM", 0)
        if way == "short keys":
            patch.setattr(uniqueness, "_KEYS", 4)
        found = special_uniques(columns_of(rows), largest)
    counts, scores = by_hand(rows, largest)
    assert all_counts(found) == counts
    assert found.per_row.tolist() == scores
    assert found.max == max(scores)
    assert found.sample_uniques == sum(count == 1 for count in Counter(rows).values())
    wanted = Counter(tuple(f"q{i}" for i in names) for sets in minimal_sets(rows, largest) for names in sets)
    assert found.sets == wanted


@settings(max_examples=60, deadline=None)
@given(TABLES)
def test_sample_uniques_are_rows_alone_in_their_combination(rows: list[tuple[Any, ...]]) -> None:
    found = sample_uniques(columns_of(rows))
    count = sum(count == 1 for count in Counter(rows).values())
    assert (found.count, found.share) == (count, count / len(rows))
    short = found.short_of()
    assert (len(short.groups), short.people, short.met) == (count, count, count == 0)
    numbers = combinations([column.codes for column in columns_of(rows)])
    assert [found.per_group[number] for number in numbers] == [rows.count(row) == 1 for row in rows]


@settings(max_examples=40, deadline=None)
@given(TABLES, st.randoms(use_true_random=False))
def test_the_order_of_rows_and_columns_means_nothing(rows: list[tuple[Any, ...]], chance: Any) -> None:
    order, across = list(range(len(rows))), list(range(len(rows[0])))
    chance.shuffle(order)
    chance.shuffle(across)
    before = special_uniques(columns_of(rows))
    after = special_uniques(columns_of([tuple(rows[i][j] for j in across) for i in order]))
    assert after.per_row.tolist() == before.per_row[order].tolist()


@settings(max_examples=40, deadline=None)
@given(TABLES, st.data())
def test_whoever_is_given_a_double_is_unique_no_more_and_makes_nobody_unique(rows: list[tuple[Any, ...]], draw: st.DataObject) -> None:
    twin = draw.draw(st.integers(0, len(rows) - 1))
    before, after = special_uniques(columns_of(rows)), special_uniques(columns_of([*rows, rows[twin]]))
    assert after.per_row[twin] == after.per_row[-1] == 0
    others = [i for i in range(len(rows)) if i != twin]
    # sets on which others are unique stay those that the twin was not in the way of: it was there before
    assert after.per_row[others].tolist() == before.per_row[others].tolist()


@pytest.mark.parametrize("way", ["dense", "hashed"])
@pytest.mark.parametrize("copies", [2, 255, 256, 257, 513])
def test_however_often_a_row_is_repeated_it_is_not_unique(copies: int, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if way == "hashed":
        monkeypatch.setattr(uniqueness, "_DENSE", 0)
        monkeypatch.setattr(uniqueness, "_ROOM", 0)
    found = special_uniques(columns_of([("a", "x")] * copies + [("a", "y")] * copies + [("b", "x")]))
    assert found.rows.tolist() == [2 * copies]
    assert found.sets == {("q0",): 1}


def test_wide_tables_with_many_values_are_counted_by_hash() -> None:
    chance = np.random.default_rng(3)
    table = chance.integers(0, 2**31 - 2, size=(60, 4)).astype(np.int32)
    table[30:, 0], table[::2, 1], table[10:50, 2:] = table[0, 0], table[2, 1], table[11, 2:]
    found = special_uniques_of({f"q{i}": np.ascontiguousarray(table[:, i]) for i in range(4)})
    rows = [tuple(row) for row in table.tolist()]
    assert all_counts(found) == by_hand(rows, 3)[0]
    assert len(found.rows) > 10


def test_combinations_that_agree_in_their_last_64_bits_are_not_the_same() -> None:
    """Digits of 2³¹ values each: written in one number, 0 and 4 in the first place would differ by 2⁶⁴."""
    most = 2**31 - 2
    first, second, third = (np.array(codes, dtype=np.int32) for codes in ([0, 4, 8], [5, 5, most], [7, 7, most]))
    assert combinations([first, second, third]).tolist() == [0, 1, 2]


def test_a_set_whose_values_are_too_many_for_one_number_is_minimal_where_it_is() -> None:
    """Nine attributes of 256 values: the last would count in multiples of 2⁶⁴. The first row has a neighbour in every attribute."""
    rows = [(0,) * 9, *(tuple(int(i == j) for i in range(9)) for j in range(9)), *((value,) * 9 for value in range(2, 256))]
    found = special_uniques_of({f"q{i}": np.array([row[i] for row in rows], dtype=np.int32) for i in range(9)}, 9)
    assert found.sets == {tuple(f"q{i}" for i in range(9)): 1} | {(f"q{i}",): 255 for i in range(9)}
    assert found.counts[0].tolist() == [0] * 8 + [1]


def test_the_numbering_grows_with_the_combinations() -> None:
    chance = np.random.default_rng(4)
    codes = [chance.integers(-1, 90, size=20_000).astype(np.int32) for _ in range(3)]
    numbers = combinations(codes)
    seen: dict[tuple[int, ...], int] = {}
    assert numbers.tolist() == [seen.setdefault(key, len(seen)) for key in zip(*(column.tolist() for column in codes), strict=True)]


GUIDE = """Urban Female Secondary_incomplete Employed
Urban Female Secondary_incomplete Employed
Urban Female Primary_incomplete Non-LF
Urban Male Secondary_complete Employed
Rural Female Secondary_complete Unemployed
Urban Male Secondary_complete Employed
Urban Female Primary_complete Non-LF
Urban Male Post-secondary Unemployed
Urban Female Secondary_incomplete Non-LF
Urban Female Secondary_incomplete Non-LF"""
TEMPL = """20s male 50k+ highschool
20s male 50k+ highschool
20s male 50k- highschool
20s male 50k- highschool
20s female 50k- university
20s female 50k- highschool
20s female 50k- middleschool
60s male 50k- university"""
SEVEN = "A X P\nB X Q\nA Y Q\nC Z R\nB Y R\nA X P\nB Z Q"


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        (GUIDE, [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]),  # "Statistical Disclosure Control for Microdata: A Practice Guide", Table 4.5
        (TEMPL, [0, 0, 0, 0, 4, 2, 6, 8]),  # Templ, "Statistical Disclosure Control for Microdata" 2017; sdcMicro issue 263
        (SEVEN, [0, 2, 3, 3, 3, 0, 2]),  # sdcMicro issue 356
    ],
)
def test_published_scores(text: str, scores: list[float]) -> None:
    assert special_uniques(columns_of([tuple(line.split()) for line in text.splitlines()])).per_row.tolist() == scores


def test_each_attribute_contributes_the_sets_it_is_in() -> None:
    """The three rows of sdcMicro issue 275, counted by hand there: its version 5.3.0 gave 25 % for the last."""
    found = special_uniques(columns_of([(2, 0, 0), (1, 3, 6), (1, 0, 0)]))
    assert [found.contribution(name) for name in ("q0", "q1", "q2")] == [0.5, 0.375, 0.375]
    assert special_uniques(columns_of([(1,), (1,)])).contribution("q0") == 0.0


def test_rows_with_a_score_above_what_is_wanted_are_named() -> None:
    found = special_uniques(columns_of([tuple(line.split()) for line in GUIDE.splitlines()]))
    short = found.short_of(6)
    assert (short.groups.tolist(), short.missing.tolist(), short.people) == ([4, 7], [6.0, 4.0], 2)
    assert found.short_of(12).met


def test_the_worse_reading_counts() -> None:
    few, many = np.zeros(3, dtype=np.int32), np.array([0, 1, 0], dtype=np.int32)
    assert sample_uniques_of([few, many]).count == sample_uniques_of([many, few]).count == 1


@pytest.mark.parametrize(
    ("codes", "words"),
    [
        ({}, "No quasi-identifier was named"),
        ({"a": np.empty(0, dtype=np.int32)}, "no rows"),
        ({"a": np.zeros(2, dtype=np.int32), "b": np.zeros(3, dtype=np.int32)}, "different numbers of rows"),
        ({"a": np.array([0.0, np.nan])}, "not encoded"),
        ({"a": np.array([-2], dtype=np.int32)}, "not encoded"),
    ],
)
def test_what_cannot_be_measured_is_refused(codes: dict[str, Any], words: str) -> None:
    with pytest.raises(InputRejected, match=words):
        special_uniques_of(codes)
    with pytest.raises(InputRejected, match=words):
        combinations(list(codes.values()))


def test_a_set_of_no_attributes_and_a_name_for_two_are_refused() -> None:
    columns = columns_of([(1, 2)])
    with pytest.raises(InputRejected, match="at least one attribute"):
        special_uniques(columns, 0)
    with pytest.raises(InputRejected, match="the same name"):
        special_uniques([columns[0], columns[0]])

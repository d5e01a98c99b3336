"""What is counted again of groups that are published alike, and what is done when the limits are not reached."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.grouping.items import items_of
from headgate.grouping.limits import dissimilarity
from headgate.grouping.recount import recount
from headgate.methods.otherwise import falling_deltas, suppress
from headgate.methods.partition import Partition
from headgate.methods.settings import Infeasible, Settings


def test_limits_are_counted_in_groups_and_in_classes_of_groups_published_alike(told):
    """Over random partitions, most of which break something: rows too many of each row, summed over limits and both readings."""
    seen = Counter()
    for seed in range(12):
        case = told(seed, 24, quasi=("colour",) if seed % 2 else ())
        item = case.itemized.item.tolist()
        groups = (np.random.default_rng(seed).permutation(case.rows) // 4).astype(np.int32)
        groups[0] = -1
        found = recount(case.itemized, case.limits, groups)
        number = {g: np.flatnonzero(groups == g).tolist() for g in range(int(groups.max()) + 1)}
        classes = {}
        for rows in number.values():
            classes.setdefault(case.form({item[row] for row in rows}), []).extend(rows)
        merged = len(classes) < len(number)
        over, broken = np.zeros(case.rows, dtype=np.int64), set()
        for reading in (number.values(), classes.values()) if merged else (number.values(),):
            for rows in reading:
                group = Counter(item[row] for row in rows)
                for name in case.names:
                    for row in rows:
                        too_many = case.near(name, group, item[row]) - case.allowed(name, len(rows))
                        if case.centre(name, row) and too_many > 0:
                            over[row] += too_many
                            broken.add(name)
        assert found.over.tolist() == over.tolist(), seed
        assert set(found.broken) == broken, seed
        lost = sum(len(rows) * case.loss({item[row] for row in rows}) for rows in number.values())
        assert found.loss == pytest.approx(lost / (case.rows - 1) / len(case.quasi), abs=1e-12)
        seen[merged] += 1
    assert min(seen.values()) > 2


def test_groups_each_well_by_itself_are_broken_as_the_one_class_that_is_published():
    """DEFINITIONS §3: {0, 1} ∪ {0, 1} has risk 1/3, each part has 0."""
    specs = {"age": ColumnSpec("age", Kind.INTEGER, Role.QUASI), "word": ColumnSpec("word", Kind.CATEGORY, Role.SENSITIVE)}
    table = encode_table(pd.DataFrame({"age": [30] * 4, "word": list("abab")}), specs)
    limit = dissimilarity(table.select(["word"]), "0", "0.9")
    found = recount(items_of(table, [limit]), [limit], np.array([0, 0, 1, 1], dtype=np.int32))
    assert found.risk == pytest.approx(1 / 3)
    assert found.broken == ("dissimilarity",)
    assert found.over.tolist() == [1, 1, 1, 1]
    assert found.groups_over.tolist() == [True, True]


def test_no_more_rows_are_suppressed_than_the_share_of_input_rows_however_often_it_is_tried():
    """By an anonymizer that makes one group and never reaches anything. 0.12 of 200 rows are 24, the share included."""
    specs = {"age": ColumnSpec("age", Kind.INTEGER, Role.QUASI), "word": ColumnSpec("word", Kind.CATEGORY, Role.SENSITIVE)}
    table = encode_table(pd.DataFrame({"age": range(200), "word": ["x"] * 200}), specs)
    asked = Settings(2, (dissimilarity(table.select(["word"]), "0", "0.9"),), infeasible=Infeasible.of({"suppress": "0.12"}))
    rows = []

    def group(part, settings):
        rows.append(part.rows)
        assert [limit.rows for limit in settings.limits] == [part.rows]
        return replace(nothing, groups=np.zeros(part.rows, dtype=np.int32))

    nothing = Partition(np.zeros(200, dtype=np.int32), False, 1.0, None, 0, 0.0, 0.9, (), 200, 200, 1, 0.0)
    assert suppress(table, asked, nothing, group, 0).suppressed == 0
    assert len(rows) > 1
    assert rows == sorted(rows, reverse=True)
    assert rows[-1] == 200 - 24


def test_delta_falls_by_one_similar_row_at_a_time_to_the_floor_and_no_lower():
    """1 − j/9 for k = 10, from below the δ asked for; the floor itself is tried too."""
    asked, floor = Fraction(7, 10), Fraction(1, 4)
    assert falling_deltas(asked, floor, 10) == (Fraction(6, 9), Fraction(5, 9), Fraction(4, 9), Fraction(3, 9), floor)
    assert falling_deltas(asked, asked, 10) == ()
    assert falling_deltas(asked, Fraction(0), 1) == (Fraction(0),)

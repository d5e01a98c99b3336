"""What is counted again of groups that are published alike, and what is done when the limits are not reached."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.grouping.items import items_of
from headgate.grouping.limits import dissimilarity
from headgate.grouping.recount import recount


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

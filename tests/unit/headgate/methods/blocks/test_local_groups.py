"""From items to a group for each row."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.grouping.items import items_of
from headgate.grouping.limits import dissimilarity
from headgate.grouping.watch import Stopped
from headgate.grouping.workers import Threads
from headgate.methods.blocks import local_groups as blocks
from tests.unit.headgate.methods.blocks.divided_tables import Elsewhere, by_item, divided, in_regions_of
from tests.unit.headgate.methods.blocks.drafts import K


def test_groups_share_out_all_rows_and_most_often_keep_the_limits(told):
    kept = 0
    for seed in range(8):
        case = told(seed, 60)
        groups = divided(case)
        assert sorted(row for group in groups for row in group) == list(range(case.rows))
        assert min(map(len, groups)) >= K
        kept += all(case.keeps(by_item(case, group)) for group in groups)
    assert kept >= 5


def test_rows_that_fit_nowhere_are_in_a_group_all_the_same():
    """Thirty rows alike and ten others: no partition exists, and that is for others to count."""
    specs = {"age": ColumnSpec("age", Kind.INTEGER, Role.QUASI), "word": ColumnSpec("word", Kind.CATEGORY, Role.SENSITIVE)}
    table = encode_table(pd.DataFrame({"age": np.arange(40) % 20, "word": ["x"] * 30 + list("abcdefghij")}), specs)
    itemized = items_of(table, [dissimilarity(table.select(["word"]), "0", "0.7")])
    groups = blocks.divide(itemized.items, itemized.item, K, [0, 0], np.zeros(3, dtype=np.int64))
    sizes = np.bincount(groups)
    assert sizes.sum() == 40
    assert (groups >= 0).all()
    assert sizes.min() >= K


def test_one_seed_gives_one_partition_whoever_works_on_it(told, monkeypatch):
    """In regions, worked on by threads side by side or one after the other, or elsewhere in any order."""
    in_regions_of(monkeypatch, 16)
    sent = []
    for seed in range(5):
        case = told(seed, 80)
        elsewhere = [Elsewhere(many) for many in (1, 2, 3)]
        made = [divided(case, seed, workers) for workers in (Threads(1), Threads(2), Threads(4), *elsewhere)]
        assert all(groups == made[0] for groups in made)
        assert sorted(row for group in made[0] for row in group) == list(range(case.rows))
        assert len({workers.pieces for workers in elsewhere}) == 1
        sent.append(elsewhere[0].pieces)
    assert max(sent) >= 3


def _table(quasi, sensitive):
    """Integers that identify, words that are sensitive."""
    specs = {name: ColumnSpec(name, Kind.INTEGER, Role.QUASI) for name in quasi}
    specs |= {name: ColumnSpec(name, Kind.CATEGORY, Role.SENSITIVE) for name in sensitive}
    return encode_table(pd.DataFrame({**quasi, **sensitive}), specs)


def test_one_cell_that_holds_half_too_much_of_both_its_values():
    """No group may hold half of one value at δ = 0.51, so rows are set aside again and again, of the same two items."""
    table = _table({"age": [1] * 2_000}, {"word": ["x", "y"] * 1_000})
    itemized = items_of(table, [dissimilarity(table.select(["word"]), "0", "0.51")])
    groups = blocks.divide(itemized.items, itemized.item, 10, [0, 0], np.zeros(3, dtype=np.int64))
    assert len(groups) == 2_000
    assert np.bincount(groups).min() >= 10


def test_cells_of_many_rows_each_are_a_group_each():
    """Two thousand cells of thirty rows, and nothing to protect: nothing needs to be lost."""
    cell = np.repeat(np.arange(2_000), 30)
    table = _table({"age": cell % 50, "home": cell // 50}, {"word": ["x"] * len(cell)})
    itemized = items_of(table, [])
    groups = blocks.divide(itemized.items, itemized.item, 10, [0, 0], np.zeros(3, dtype=np.int64))
    assert len(np.unique(groups)) == 2_000
    assert len(np.unique(np.stack([groups, cell]), axis=1).T) == 2_000


@pytest.mark.parametrize("largest", [10**9, 64])
def test_a_run_that_was_stopped_gives_no_groups(told, monkeypatch, largest):
    """What its loops leave behind is half done, and must not be read."""
    in_regions_of(monkeypatch, largest)
    case = told(1, 400)
    with pytest.raises(Stopped):
        blocks.divide(case.items, case.itemized.item, K, [0, 0], np.array([0, 0, 1]))

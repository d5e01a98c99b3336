"""Where a table is divided."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.grouping.items import items_of
from headgate.grouping.limits import linkability
from headgate.methods.blocks.regions import AT_EASE, regions_of
from headgate.methods.blocks.stages import crowding
from headgate.methods.partition import counted_partition
from headgate.methods.settings import Settings
from tests.unit.headgate.methods.blocks import divided_tables
from tests.unit.headgate.methods.blocks.divided_tables import in_regions_of

K = 4


def _itemized(age, word, share="1/2"):
    specs = {"age": ColumnSpec("age", Kind.INTEGER, Role.QUASI), "word": ColumnSpec("word", Kind.CATEGORY, Role.SENSITIVE)}
    table = encode_table(pd.DataFrame({"age": age, "word": word}), specs)
    limit = linkability(table["word"], share)
    return items_of(table, [limit]), Settings(K, (limit,))


def _regions(items, k=K):
    return regions_of(items, k, np.ones(len(items.limits.of)), np.zeros(3, dtype=np.int64))


def _words(rows):
    return np.array(list("abcdefgh"))[np.random.default_rng(5).integers(0, 8, rows)]


def test_every_cell_is_in_one_region_of_bounded_size(monkeypatch):
    in_regions_of(monkeypatch, 50)
    items = _itemized(np.arange(600) % 200, _words(600))[0].items
    regions = _regions(items)
    assert len(regions) >= 8
    assert np.sort(np.concatenate(regions)).tolist() == list(range(items.cells))
    for region in regions:
        assert (np.diff(region) > 0).all()
        assert int((items.cell.start[region + 1] - items.cell.start[region]).sum()) <= 50
        assert int(items.cell.rows[region].sum()) >= K
    assert [region.tolist() for region in _regions(items)] == [region.tolist() for region in regions]


def test_a_small_table_and_a_crowded_one_are_one_region(monkeypatch):
    items = _itemized(np.arange(600) % 200, _words(600))[0].items
    assert len(_regions(items)) == 1
    in_regions_of(monkeypatch, 50)
    crowded = _itemized(np.arange(600) % 200, np.where(np.arange(600) % 20 < 9, "x", _words(600)))[0].items
    assert len(_regions(crowded)) == 1


@pytest.mark.parametrize("k", [150, 599])
def test_no_region_has_fewer_than_k_rows(monkeypatch, k):
    """Where every part would, the table is one region."""
    in_regions_of(monkeypatch, 10)
    items = _itemized(np.arange(600) % 200, _words(600))[0].items
    regions = _regions(items, k)
    assert min(int(items.cell.rows[region].sum()) for region in regions) >= k
    assert len(regions) <= 600 // k


@pytest.mark.parametrize("place", [0, 300, 560])
def test_a_region_that_cannot_keep_a_limit_is_united_with_a_neighbour(monkeypatch, place):
    """The table can: 40 neighbours who share one word, and nobody else has it."""
    in_regions_of(monkeypatch, 60)
    words = _words(600)
    words[place : place + 40] = "x"
    itemized, settings = _itemized(np.arange(600), words)
    regions = _regions(itemized.items)
    assert len(regions) >= 5
    assert all(crowding(itemized.items, region) <= AT_EASE for region in regions)
    case = type("Case", (), {"items": itemized.items, "itemized": itemized})
    groups = divided_tables.divided(case)
    number = np.empty(600, dtype=np.int32)
    for group, rows in enumerate(groups):
        number[rows] = group
    assert counted_partition(itemized, settings, number).reached


def test_a_cell_that_cannot_be_cut_is_a_region_however_large(monkeypatch):
    in_regions_of(monkeypatch, 3)
    items = _itemized(np.zeros(600, dtype=int), _words(600))[0].items
    assert [region.tolist() for region in _regions(items)] == [[0]]

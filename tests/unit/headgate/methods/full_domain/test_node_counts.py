"""The groups of a node, rolled up from whatever finer table is at hand, against grouping the rows by the nodes of their cells."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from headgate.core.published_form.levels import levels_of
from headgate.grouping.conditions import Closeness, DistinctL
from headgate.grouping.watch import Stopped, Watch
from headgate.methods.full_domain.level_settings import LevelSettings
from headgate.methods.full_domain.node_counts import Counting
from headgate.methods.full_domain.objective import Objective
from tests.unit.headgate.methods.full_domain.mixed import encoded, mixed


def counting_of(settings: LevelSettings, watch: Watch | None = None) -> Counting:
    table = encoded(mixed())
    columns = table.select(table.quasi)
    levels = tuple(levels_of(column) for column in columns)
    objective = Objective.of(settings.objective, levels, [column.counts() for column in columns])
    return Counting(table, levels, settings, objective, watch or Watch())


def cells_at(counting: Counting, node: tuple[int, ...]) -> list[tuple[str, ...]]:
    columns = counting.table.select(counting.table.quasi)
    texts = []
    for column, level in zip(columns, node, strict=True):
        nodes = levels_of(column).nodes[level]
        texts.append([int(nodes[code if code >= 0 else len(nodes) - 1]) for code in column.codes])
    return list(zip(*texts, strict=True))


@pytest.mark.parametrize("order", [1, -1])
def test_groups_of_every_node_are_the_rows_with_equal_nodes(order: int) -> None:
    """Nodes are counted from the finest up, each from a table made before, and from the coarsest down, each from the units."""
    settings = LevelSettings(1)
    counting = counting_of(settings)
    ncp = counting.objective
    for node in list(product(*map(range, counting.heights)))[::order]:
        assert counting.count(node).valid
        groups, _ = counting.publish(node, ncp)
        cells = cells_at(counting, node)
        assert len(set(zip(groups.tolist(), cells, strict=True))) == len(set(cells)) == groups.max() + 1


@pytest.mark.parametrize("suppression", ["0", "0.2"])
def test_a_node_is_valid_exactly_if_few_enough_rows_are_in_groups_that_fail(suppression: str) -> None:
    settings = LevelSettings(4, Fraction(suppression), conditions=(DistinctL("ill", Fraction(2)),))
    counting = counting_of(settings)
    ill = counting.table["ill"].codes.tolist()
    for node in product(*map(range, counting.heights)):
        cells = cells_at(counting, node)
        sizes, kinds = Counter(cells), Counter(cell for cell, _ in set(zip(cells, ill, strict=True)))
        failing = sum(size for cell, size in sizes.items() if size < 4 or kinds[cell] < 2)
        few = failing <= Fraction(suppression) * counting.table.rows and failing < counting.table.rows
        assert counting.count(node).valid == few
        if few:
            groups, _ = counting.publish(node, counting.objective)
            assert int((groups < 0).sum()) == failing


def test_a_node_is_counted_once_and_none_after_the_run_is_stopped() -> None:
    watch = Watch()
    counting = counting_of(LevelSettings(2), watch)
    node = (0,) * len(counting.heights)
    assert counting.count(node) is counting.count(node)
    assert counting.checked == 1
    watch.stop()
    with pytest.raises(Stopped):
        counting.count(tuple(height - 1 for height in counting.heights))


def test_everybody_in_one_group_is_as_close_as_can_be() -> None:
    counting = counting_of(LevelSettings(2, Fraction("0.1"), conditions=(Closeness("ill", Fraction(0)),)))
    assert counting.count(tuple(height - 1 for height in counting.heights)).valid
    assert np.isfinite(counting.bound).all()

"""Order and id linkage: what was not shuffled is caught, what was is not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from headgate.attacks.linkage import linkage_frames, order_linkage, outside_linkage
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import to_frame
from tests.unit.headgate.attacks.planted import Small, small


def people(n: int = 400) -> Small:
    rng = np.random.default_rng(9)
    rows = [(int(age), "fm"[int(age) % 2], "a", "x") for age in rng.integers(20, 80, n)]
    by_age = np.argsort(np.argsort([row[0] for row in rows], kind="stable"))
    return small(rows, (by_age // 10).tolist(), (by_age // 16).tolist())


def test_an_unshuffled_pair_of_tables_is_caught_with_the_truth_and_without() -> None:
    case = people()
    rows = np.arange(400)
    assert not order_linkage(rows, rows).passes
    found = outside_linkage(*case.published)
    assert not found.passes
    assert "can be linked" in found.sentence()


def test_shuffled_tables_pass_with_the_truth_and_without() -> None:
    case = people()
    rng = np.random.default_rng(4)
    assert order_linkage(rng.permutation(400), rng.permutation(400)).passes
    frames = [to_frame(table, seed) for table, seed in zip(case.published, (21, 22), strict=True)]
    assert linkage_frames(*frames, ["age", "sex"]).passes
    assert linkage_frames(*frames, ["age", "sex"], group=None).passes


def test_equal_group_numbers_are_caught_though_rows_are_shuffled() -> None:
    case = people()
    frames = [to_frame(table, seed) for table, seed in zip(case.published, (21, 22), strict=True)]
    for frame in frames:
        frame["group"] = pd.factorize(frame["age"].str.extract(r"(\d+)")[0].astype(int), sort=True)[0]
    found = linkage_frames(*frames, ["age", "sex"])
    assert not found.passes
    assert linkage_frames(*frames, ["age", "sex"], group=None).passes


def test_neighbours_that_stay_neighbours_are_caught_though_order_as_a_whole_is_lost() -> None:
    blocks = np.random.default_rng(2).permutation(100)
    moved = np.concatenate([np.arange(4 * block, 4 * block + 4) for block in blocks])
    found = order_linkage(np.arange(400), moved)
    assert not found.passes
    assert {test.name: test.p >= 0.001 for test in found.tests} == {"order": True, "neighbours in both": False}


def test_shuffled_orders_are_refused_no_more_often_than_chance() -> None:
    rng = np.random.default_rng(0)
    refused = [sum(order_linkage(np.arange(50), rng.permutation(50)).p < level for _ in range(300)) / 300 for level in (0.05, 0.3)]
    assert refused[0] <= 0.09
    assert refused[1] <= 0.37


def test_correlation_is_spearmans_and_few_rows_are_counted_out() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.permutation(60), rng.permutation(60)
    expected = spearmanr(x, y)
    assert order_linkage(x, y).tests[0].statistic == pytest.approx(expected.statistic)
    assert order_linkage(x, y).tests[0].p == pytest.approx(expected.pvalue, abs=0.02)
    assert order_linkage([0, 1, 2], [0, 1, 2]).tests[0].p == pytest.approx(2 / 6)


def test_tables_without_a_common_column_or_with_a_position_twice_are_refused() -> None:
    with pytest.raises(InputRejected, match="two people have the same position"):
        order_linkage([0, 0], [0, 1])
    with pytest.raises(InputRejected, match="not in both"):
        linkage_frames(pd.DataFrame({"age": [1]}), pd.DataFrame({"sex": [1]}), ["age"], group=None)

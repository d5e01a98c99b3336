"""Order and id linkage: what was not shuffled is caught, what was is not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from headgate.attacks.linkage import linkage_frames
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import PublishedTable, to_frame
from tests.unit.headgate.attacks.planted import Small, small


def people(n: int = 400) -> Small:
    rng = np.random.default_rng(9)
    rows = [(int(age), "fm"[int(age) % 2], "a", "x") for age in rng.integers(20, 80, n)]
    by_age = np.argsort(np.argsort([row[0] for row in rows], kind="stable"))
    return small(rows, (by_age // 10).tolist(), (by_age // 16).tolist())


def in_order(table: PublishedTable) -> pd.DataFrame:
    """As it would be published without a shuffle."""
    return pd.DataFrame({name: cells.texts[cells.codes] for name, cells in table.cells.items()} | {"group": table.group})


def ages(*order: int) -> pd.DataFrame:
    return pd.DataFrame({"age": order})


def test_an_unshuffled_pair_of_tables_is_caught() -> None:
    found = linkage_frames(*map(in_order, people().published), ["age", "sex"])
    assert not found.passes
    assert "can be linked" in found.sentence()


def test_shuffled_tables_pass() -> None:
    case = people()
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


def test_shuffled_orders_are_refused_no_more_often_than_chance() -> None:
    rng = np.random.default_rng(0)
    drawn = [linkage_frames(ages(*rng.permutation(50)), ages(*rng.permutation(50)), ["age"], group=None).p for _ in range(600)]
    refused = [sum(p < level for p in drawn) / 600 for level in (0.05, 0.3)]
    assert refused[0] <= 0.09
    assert refused[1] <= 0.37


def test_correlation_is_spearmans_and_few_rows_are_counted_out() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.permutation(60), rng.permutation(60)
    expected = spearmanr(x, y)
    (correlated,) = linkage_frames(ages(*x), ages(*y), ["age"], group=None).tests
    assert correlated.statistic == pytest.approx(expected.statistic)
    assert correlated.p == pytest.approx(expected.pvalue, abs=0.02)
    (few,) = linkage_frames(ages(0, 1, 2), ages(0, 1, 2), ["age"], group=None).tests
    assert few.p == pytest.approx(2 / 6)


def test_tables_without_a_common_column_are_refused() -> None:
    with pytest.raises(InputRejected, match="not in both"):
        linkage_frames(pd.DataFrame({"age": [1]}), pd.DataFrame({"sex": [1]}), ["age"], group=None)

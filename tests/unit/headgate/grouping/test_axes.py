import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role
from headgate.core.compiling import loop
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.core.published_form.generalize import generalize
from headgate.core.published_form.published_table import publish_form
from headgate.grouping.axes import _mixed, axes_of, published_keys
from headgate.grouping.sorting import sorted_order


@pytest.fixture
def mixed():
    """Every kind of quasi-identifier, with missing cells; the hierarchy's leaves are not listed branch by branch."""
    rows = 400
    draw = np.random.default_rng(11)

    def some(values):
        return pd.Series([None if draw.random() < 0.05 else value for value in values], dtype=object)

    frame = pd.DataFrame(
        {
            "age": some(draw.integers(0, 90, rows).tolist()),
            "weight": some(draw.random(rows).tolist()),
            "colour": some(draw.choice(list("abcdef"), rows).tolist()),
            "town": some([f"t{i}" for i in draw.integers(0, 12, rows)]),
            "day": some([str(day)[:10] for day in np.datetime64("2019-11-05") + draw.integers(0, 500, rows)]),
            "school": some(draw.choice(["low", "mid", "high"], rows).tolist()),
            "illness": draw.choice(["x", "y"], rows),
        }
    )
    tree = Hierarchy.from_rows([(f"t{i}", f"district{i % 4}", f"region{i % 2}", "*") for i in range(12)], "town")
    specs = {
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI, domain=(0, 110)),
        "weight": ColumnSpec("weight", Kind.NUMBER, Role.QUASI),
        "colour": ColumnSpec("colour", Kind.CATEGORY, Role.QUASI),
        "town": ColumnSpec("town", Kind.CATEGORY, Role.QUASI, hierarchy=tree),
        "day": ColumnSpec("day", Kind.DATE, Role.QUASI, year_bands=(2, 6)),
        "school": ColumnSpec("school", Kind.ORDINAL, Role.QUASI, levels=("low", "mid", "high")),
        "illness": ColumnSpec("illness", Kind.CATEGORY, Role.SENSITIVE),
    }
    return encode_table(frame, specs)


@pytest.mark.parametrize("size", [1, 2, 3, 8, 100])
def test_the_loss_that_guides_the_cuts_is_the_loss_of_the_published_form(mixed, size):
    """The splitting loops have a loss of their own; `generalize` is the one that counts."""
    groups = (np.random.default_rng(size).permutation(400) // size).astype(np.int32)
    count = int(groups.max()) + 1
    expected = sum(generalize(mixed[name], groups, count).loss for name in mixed.quasi)
    axes = axes_of(mixed)
    order, bounds = _grouped(groups)
    _keys, losses = published_keys(axes, order, bounds)
    assert losses.tolist() == pytest.approx(expected.tolist(), abs=1e-12)


@pytest.mark.parametrize("size", [1, 2, 4])
def test_groups_are_in_one_class_exactly_if_they_are_published_alike(mixed, size):
    for names in (["town"], ["colour"], ["day"], ["school"], ["age"], ["town", "school", "colour"]):
        part = mixed.take(np.arange(400))
        part = type(part)(part.columns, tuple(names), part.sensitive)
        groups = (np.argsort(part[names[0]].codes, kind="stable").argsort() // size).astype(np.int32)
        axes = axes_of(part)
        order, bounds = _grouped(groups)
        keys, _ = published_keys(axes, order, bounds)
        own = keys[groups]
        published = publish_form(part, groups, "t", ["illness"]).by_values()
        pairs = set(zip(own.tolist(), published.tolist(), strict=True))
        assert len(pairs) == len(set(own.tolist())) == len(set(published.tolist()))


def test_sets_and_vectors_are_no_quasi_identifiers():
    frame = pd.DataFrame({"tags": ["a|b", "a"], "illness": ["x", "y"]})
    specs = {"tags": ColumnSpec("tags", Kind.SET, Role.QUASI), "illness": ColumnSpec("illness", Kind.CATEGORY, Role.SENSITIVE)}
    with pytest.raises(InputRejected, match="set"):
        axes_of(encode_table(frame, specs))


@pytest.mark.parametrize("size", [0, 1, 5, 16, 17, 33, 1000])
def test_the_compiled_sort_is_stable(size):
    keys = np.random.default_rng(size).integers(0, 9, size)
    assert sorted_order(keys).tolist() == np.argsort(keys, kind="stable").tolist()


def test_keys_of_small_positive_and_negative_parts_do_not_collide():
    """Regression: leaf 0 and node 1 of level 1 had one key when words were shifted with their sign, so two classes were measured as one."""
    assert len(set(_keys(-8, 60).tolist())) == 68 * 68


@loop
def _keys(low, high):
    keys = np.empty((high - low) ** 2, dtype=np.int64)
    for one in range(low, high):
        for two in range(low, high):
            keys[(one - low) * (high - low) + two - low] = _mixed(_mixed(1, one), two)
    return keys


def _grouped(groups):
    """Rows sorted by group, and where each group begins."""
    return np.argsort(groups, kind="stable"), np.concatenate([[0], np.cumsum(np.bincount(groups))])

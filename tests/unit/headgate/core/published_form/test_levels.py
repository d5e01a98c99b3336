"""The levels of a quasi-identifier: a label of a node over numbers is published as it reads."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import headgate as hg
from headgate.core.cells import Single, parse_cell
from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_column, encode_table
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.core.published_form.cell_reader import CellReader
from headgate.core.published_form.levels import levels_of, published_levels
from headgate.core.published_form.published_table import publish_form
from headgate.utility.loss import cell_loss, information_loss
from tests.unit.headgate.methods.full_domain.mixed import encoded, mixed

ROWS = [(str(age), f"[{age // 10 * 10}, {age // 10 * 10 + 10}[", "*") for age in range(10, 40)]

AGES = [10, 12, 19, 25, 28, 29, 31, 33, 39] * 4


def published_texts(method: str) -> set[str]:
    frame = pd.DataFrame({"age": AGES, "ill": np.resize(["flu", "gout"], len(AGES))})
    trees = {"age": ROWS}
    if method == "mondrian":
        return set(hg.mondrian(frame, ["age"], k=8, sensitive=["ill"], hierarchies=trees).release(frame)["age"])
    if method == "xcolor":
        return set(hg.xcolor(frame, ["age"], ["ill"], k=8, epsilon=0, delta=0.2, hierarchies=trees).release(frame)["age"])
    found = hg.full_domain(frame, trees, k=8)
    assert found.levels == {"age": 1}
    spec = ColumnSpec("age", Kind.INTEGER, Role.QUASI, hierarchy=Hierarchy.from_rows(ROWS, "age"))
    return set(publish_form(encode_table(frame, {"age": spec}), found.groups, "t", (), levels=found.levels).cells["age"].texts)


@pytest.mark.parametrize("method", ["mondrian", "xcolor", "full-domain"])
def test_such_a_label_is_published_as_a_name_that_covers_its_leaves(method: str) -> None:
    """The release was refused at its end: "A published cell cannot be read"."""
    column = encode_column(pd.Series(AGES), ColumnSpec("age", Kind.INTEGER, Role.QUASI, hierarchy=Hierarchy.from_rows(ROWS, "age")))
    reader = CellReader(column)
    texts = published_texts(method)
    assert any(text.startswith("\\[") for text in texts)
    for text in texts - {"*"}:
        cell = parse_cell(text)
        assert isinstance(cell, Single)
        leaves = [int(row[0]) for row in ROWS if cell.label in row]
        assert column.values[reader.covers(text)[:-1]].tolist() == leaves
        assert cell_loss(text, reader) == len(leaves) / len(ROWS)


def test_dates_have_day_month_quarter_year_bands_of_years_and_everything():
    table = encode_table(pd.DataFrame({"born": ["2024-02-29", "2024-05-01", None]}), {"born": ColumnSpec("born", Kind.DATE, Role.QUASI)})
    levels = levels_of(table["born"])
    assert [list(texts) for texts in levels.texts] == [
        ["2024-02-29", "2024-05-01", ""],
        ["2024-02", "2024-05", ""],
        ["2024-Q1", "2024-Q2", ""],
        ["2024", ""],
        ["[2020..2024]", ""],
        ["[2020..2029]", ""],
        ["[2020..2039]", ""],
        ["*"],
    ]
    assert levels.loss[1].tolist() == pytest.approx([1 / 63, 1 / 63, 0])  # one day of either month is in the domain of 63 days
    assert levels.nodes[-1].tolist() == [0, 0, 0]


def test_a_column_without_hierarchy_is_exact_or_everything():
    table = encoded(mixed())
    assert [list(texts) for texts in levels_of(table["grade"]).texts] == [["low", "high", ""], ["*"]]


@pytest.mark.parametrize("levels", [(0, 0, 0, 0), (1, 1, 1, 0), (2, 1, 3, 1), (3, 2, 7, 1), (2, 0, 2, 0), (2, 0, 4, 0), (2, 0, 6, 0)])
def test_the_published_form_bears_each_nodes_text_and_its_loss(levels):
    frame = mixed()
    table = encoded(frame)
    chosen = dict(zip(table.quasi, levels, strict=True))
    published = publish_form(table, np.zeros(len(frame), dtype=np.int32), "t", ["ill"], levels=chosen)
    texts = {name: published.cells[name].texts[published.cells[name].codes] for name in table.quasi}
    for i, age in enumerate(frame["age"]):
        width = (1, 5, 10, 0)[levels[0]]
        low = age // width * width if width else 0
        assert texts["age"][i] == ("*" if width == 0 else str(age) if width == 1 else f"[{low}..{low + width - 1}]")
    for i, town in enumerate(frame["town"]):
        shown = {"a|b": ("a\\|b", "x", "*"), "b": ("b", "x", "*"), "c": ("c", "z", "*"), None: ("", "", "*")}
        assert texts["town"][i] == shown[None if pd.isna(town) else town][levels[1]]
    for i, day in enumerate(pd.to_datetime(frame["born"])):
        bands = [f"[{day.year - day.year % width}..{day.year - day.year % width + width - 1}]" for width in (5, 10, 20)]
        forms = (day.strftime("%Y-%m-%d"), day.strftime("%Y-%m"), f"{day.year}-Q{day.quarter}", str(day.year), *bands, "*")
        assert texts["born"][i] == forms[levels[2]]
    lost = [
        levels_of(column).loss[at][levels_of(column).nodes[at][column.codes]]
        for column, at in zip(table.select(table.quasi), levels, strict=True)
    ]
    assert np.mean(lost) == pytest.approx(information_loss(published, {name: table[name] for name in table.quasi}).ncp)


def test_a_level_that_is_not_there_is_refused():
    table = encoded(mixed())
    with pytest.raises(InputRejected, match="level of 'age'"):
        publish_form(table, np.zeros(200, dtype=np.int32), "t", [], levels={"age": 4, "town": 0, "born": 0, "grade": 0})


def test_a_hierarchy_with_a_missing_leaf_or_two_parents_is_refused():
    frame = pd.DataFrame({"town": ["a", "b"]})
    with pytest.raises(InputRejected, match="among its hierarchy's leaves"):
        hg.full_domain(frame, {"town": [("a", "*")]}, k=1)
    with pytest.raises(InputRejected, match="two parents"):
        hg.full_domain(frame, {"town": [("a", "x", "y", "*"), ("b", "x", "z", "*")]}, k=1)


def test_the_level_of_a_published_column_is_told_by_its_texts():
    """Of every node of a small lattice; a higher level that looks the same is told as the lower one."""
    frame = pd.DataFrame({"town": ["a", "b", "c", "d", None] * 4, "age": [1, 2, 3, 4] * 5, "ill": ["x", "y"] * 10})
    tree = Hierarchy.from_rows([("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")], "town")
    specs = {
        "town": ColumnSpec("town", Kind.CATEGORY, Role.QUASI, hierarchy=tree),
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI),
        "ill": ColumnSpec("ill", Kind.CATEGORY, Role.SENSITIVE),
    }
    table = encode_table(frame, specs)
    for town in range(3):
        for age in range(2):
            chosen = {"town": town, "age": age}
            published = publish_form(table, np.zeros(20, dtype=np.int32), "t", ["ill"], levels=chosen)
            texts = {name: cells.texts for name, cells in published.cells.items()}
            assert published_levels(table.select(table.quasi), texts) == chosen
    assert published_levels(table.select(table.quasi), {"town": ["a", "ab"], "age": ["1"]}) is None

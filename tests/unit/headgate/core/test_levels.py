"""The levels of a quasi-identifier: a label of a node over numbers is published as it reads."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import headgate as hg
from headgate.core.cell_reader import CellReader
from headgate.core.cells import Single, parse_cell
from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_column, encode_table
from headgate.core.hierarchy import Hierarchy
from headgate.core.published import publish_form
from headgate.utility.loss import cell_loss

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

"""Rows and values that stand alone, against counting by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.published_form.published_table import from_frame, publish_form
from headgate.risk.reidentification.singled_out import unique_rows, unique_values

SPECS = {
    "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI),
    "sex": ColumnSpec("sex", Kind.CATEGORY, Role.QUASI),
    "income": ColumnSpec("income", Kind.NUMBER, Role.SENSITIVE),
    "job": ColumnSpec("job", Kind.CATEGORY, Role.SENSITIVE),
    "ward": ColumnSpec("ward", Kind.CATEGORY, Role.INSENSITIVE),
}
ROW = st.tuples(
    st.integers(20, 22), st.sampled_from("fm"), st.sampled_from([None, 1.0, 2.0, 3.5]), st.sampled_from("ab"), st.sampled_from(["x", None])
)


@settings(deadline=None)
@given(st.lists(ROW, min_size=2, max_size=30), st.randoms(use_true_random=False))
def test_rows_and_values_are_counted(rows, random) -> None:
    frame = pd.DataFrame(rows, columns=list(SPECS), dtype=object)
    groups = [random.randrange(2) for _ in rows]
    groups = pd.factorize(np.array(groups))[0]
    published = publish_form(encode_table(frame, SPECS), groups, "t", ("income", "job"), ("ward",))
    cells = {name: [each.texts[code] for code in each.codes] for name, each in published.cells.items()}
    whole = Counter(zip(*cells.values(), *(map(str, frame[name]) for name in ("income", "job", "ward")), strict=True))
    assert unique_rows(published) == pytest.approx(sum(times == 1 for times in whole.values()) / len(rows))
    incomes = [income for income in frame["income"] if income is not None]
    once = sum(incomes.count(income) == 1 for income in incomes)
    assert unique_values(published.sensitive["income"]) == (pytest.approx(once / len(incomes)) if incomes else 0)


def test_the_group_number_tells_nothing_more() -> None:
    """Two groups with the same published cells are one for whoever does not know the numbers, which mean nothing."""
    frame = pd.DataFrame({"age": ["[20..29]"] * 4, "job": list("abab"), "group": [1, 1, 2, 2]})
    published = from_frame(frame, "t", ["age"], {"job": SPECS["job"]})
    assert unique_rows(published) == 0


def test_at_best_every_row_that_is_left_out_has_a_value_of_its_own() -> None:
    frame = pd.DataFrame({name: [None] * 10 for name in SPECS})
    frame["income"] = [1, 2, 3, 4, 5, 6, 7, 7, 7, None]
    column = encode_table(frame, SPECS)["income"]
    assert [unique_values(column, without) for without in (0, 2, 6, 9)] == [6 / 9, 4 / 7, 0, 0]

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headgate as hg
from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_column, encode_table
from headgate.core.errors import InputRejected
from headgate.projection.bitmap import bitmap_column, bitmap_table, bits_of

SETS = st.lists(st.one_of(st.none(), st.frozensets(st.sampled_from(["a", "b", "c=d", "e f"]), max_size=4)), min_size=1, max_size=30)


def _column(cells, **more):
    spec = ColumnSpec("diagnosis", Kind.SET, Role.SENSITIVE, **more)
    listed = pd.Series([None if cell is None else tuple(sorted(cell)) for cell in cells], dtype=object)
    return encode_column(listed, spec), spec


def sets_of(bits):
    """Row by row: the values whose bit is 1, None where all bits are missing."""
    rows = zip(*(bit.codes.tolist() for bit in bits), strict=True)
    names = [bit.name.split("=", 1)[1] for bit in bits]
    return [None if set(row) == {-1} else {name for name, code in zip(names, row, strict=True) if code == 1} for row in rows]


@settings(max_examples=60, deadline=None)
@given(SETS)
def test_the_bitmap_of_a_set_is_exactly_invertible(cells):
    column, spec = _column(cells, declared=("a", "b", "c=d", "e f"))
    bits = bitmap_column(column, spec)
    assert [None if cell is None else frozenset(cell) for cell in sets_of(bits)] == cells


@settings(max_examples=40, deadline=None)
@given(SETS)
def test_unbitmap_restores_the_frame(cells):
    if not any(cells):
        return
    texts = [None if cell is None else "|".join(sorted(cell)) or "|" for cell in cells]
    frame = pd.DataFrame(
        {"age": range(len(cells)), "diagnosis": pd.Series(texts, dtype=object), "job": "x"}, index=np.arange(len(cells))[::-1] * 3
    )
    frame["diagnosis"] = pd.Series(texts, dtype=object, index=frame.index)
    wide = hg.bitmap(frame, "diagnosis", separator="|")
    assert set(wide.iloc[:, 1:-1].stack().dropna().unique()) <= {0, 1}
    back = hg.unbitmap(wide, "diagnosis", separator="|")
    assert list(back.columns) == ["age", "diagnosis", "job"]
    assert back.index.equals(frame.index)
    assert [None if pd.isna(cell) else cell for cell in back["diagnosis"]] == texts


def test_bits_are_named_by_value_share_the_weight_and_know_their_set():
    column, spec = _column([{"flu", "gout"}, {"flu"}, set(), None], weight=2.0)
    bits = bitmap_column(column, spec)
    assert [bit.name for bit in bits] == ["diagnosis=flu", "diagnosis=gout"]
    assert [bit.codes.tolist() for bit in bits] == [[1, 1, 0, -1], [1, 0, 0, -1]]
    assert {(bit.origin, bit.weight, bit.kind) for bit in bits} == {("diagnosis", 1.0, Kind.CATEGORY)}
    assert bits[0].values.tolist() == ["0", "1"]


def test_having_a_value_is_sensitive_and_not_having_it_is_not():
    """DEFINITIONS §1, Sensitive values: without it a bit could never meet δ = 0.6 at k = 10."""
    column, spec = _column([{"flu"}, {"none"}, None], nonsensitive=frozenset({"none"}))
    flags = {bit.name: bit.sensitive.tolist() for bit in bitmap_column(column, spec)}
    assert flags == {"diagnosis=flu": [False, True, False], "diagnosis=none": [False, False, False]}
    column, spec = _column([{"flu"}, None], absent_sensitive=True)
    assert bitmap_column(column, spec)[0].sensitive.tolist() == [True, True, True]


def test_declared_values_keep_their_order_and_get_a_column_even_if_nobody_has_them():
    column, spec = _column([{"b"}, {"a"}], declared=("c", "b", "a"))
    assert [bit.name for bit in bitmap_column(column, spec)] == ["diagnosis=c", "diagnosis=b", "diagnosis=a"]


def test_a_table_gets_the_bits_in_the_place_of_the_set():
    frame = pd.DataFrame({"age": [1, 2], "job": ["x", "y"], "diagnosis": ["flu|gout", "flu"], "pay": [3, 4]})
    specs = {
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI),
        "job": ColumnSpec("job", Kind.CATEGORY, Role.SENSITIVE),
        "diagnosis": ColumnSpec("diagnosis", Kind.SET, Role.SENSITIVE),
        "pay": ColumnSpec("pay", Kind.INTEGER, Role.SENSITIVE),
    }
    table = bitmap_table(encode_table(frame, specs), specs)
    assert table.sensitive == ("job", "diagnosis=flu", "diagnosis=gout", "pay")
    assert table.quasi == ("age",)
    more = {**specs, "diagnosis=flu": ColumnSpec("diagnosis=flu", Kind.CATEGORY, Role.SENSITIVE)}
    clash = encode_table(frame.assign(**{"diagnosis=flu": ["p", "q"]}), more)
    with pytest.raises(InputRejected, match="exists already"):
        bitmap_table(clash, more)


def test_sets_without_any_value_and_broken_bits_are_refused():
    column, spec = _column([set(), None])
    with pytest.raises(InputRejected, match="no values"):
        bitmap_column(column, spec)
    with pytest.raises(InputRejected, match="neither 0 nor 1"):
        hg.unbitmap(pd.DataFrame({"a=x": [0, 2]}), "a")
    with pytest.raises(InputRejected, match="only part"):
        hg.unbitmap(pd.DataFrame({"a=x": [0, None], "a=y": [1, 1]}), "a")
    with pytest.raises(InputRejected, match="No column begins"):
        hg.unbitmap(pd.DataFrame({"b": [0]}), "a")
    with pytest.raises(InputRejected, match="not in the data"):
        hg.bitmap(pd.DataFrame({"b": [0]}), "a")


def test_a_set_of_thousands_of_values_is_turned_round_in_the_space_of_its_members():
    draw = np.random.default_rng(2)
    cells = [frozenset(f"{x:04d}" for x in row) for row in draw.integers(0, 3000, (2000, 3)).tolist()]
    column, spec = _column(cells, declared=tuple(f"{x:04d}" for x in range(3000)))
    bits = bits_of(column, spec)
    assert bits.rows.nbytes == 4 * sum(len(cell) for cell in cells)
    assert bits.ends[-1] == len(bits.rows)
    for i, member in enumerate(bits.members[:50]):
        start = bits.ends[i - 1] if i else 0
        assert bits.rows[start : bits.ends[i]].tolist() == [row for row, cell in enumerate(cells) if member in cell]
    assert [frozenset(cell) for cell in sets_of(tuple(bits.columns()))] == cells


def test_a_value_that_a_cell_names_twice_is_there_once():
    spec = ColumnSpec("diagnosis", Kind.SET, Role.SENSITIVE)
    column = encode_column(pd.Series(["flu|flu|gout", "gout"]), spec)
    assert [bit.codes.tolist() for bit in bitmap_column(column, spec)] == [[1, 0], [1, 1]]


def test_values_that_are_not_declared_are_refused():
    column, _ = _column([{"flu"}, {"gout"}])
    with pytest.raises(InputRejected, match="not declared"):
        bitmap_column(column, ColumnSpec("diagnosis", Kind.SET, Role.SENSITIVE, declared=("flu",)))

"""One step coarser, or suppressed: against the same figure computed afresh, in plain Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Column, Kind, Role, Table
from headgate.core.encode import ColumnSpec, encode_column, encode_table
from headgate.core.hierarchy import Hierarchy
from headgate.core.published_form.cell_reader import CellReader
from headgate.core.published_form.published_table import PublishedCells, PublishedTable, publish_form
from headgate.risk.candidates.consistency import encode_dictionary
from headgate.risk.candidates.marginals import marginals_of
from headgate.risk.disclosure.expected_loss import Dictionary, candidates, disclosure
from headgate.risk.disclosure.sensitivity import Sensitivity
from headgate.risk.disclosure.what_if import WhatIf, coarser_cells, what_if

TOWNS = [
    ["Rome", "Italy", "South", "*"],
    ["Milan", "Italy", "South", "*"],
    ["Athens", "Athens", "South", "*"],
    ["Oslo", "Norway", "North", "*"],
]
DECADES = [[str(age), f"[{age // 2 * 2}..{age // 2 * 2 + 1}]", f"[{age // 4 * 4}..{age // 4 * 4 + 3}]", "*"] for age in range(8)]
NAMED = [[str(age), "2" if age < 4 else "old", "*"] for age in (1, 3, 5, 7)]  # a node whose name is a number
LEVELS = ("low", "middle..", "high", "higher", "highest")
DAYS = ["2024-02-29", "2025-01-01", "2025-01-20", "2025-03-31", "2025-04-01", "2025-12-31"]
SPECS = {
    "integer": ColumnSpec("x", Kind.INTEGER, Role.QUASI, domain=(0, 40)),
    "number": ColumnSpec("x", Kind.NUMBER, Role.QUASI, domain=(-1, 9)),
    "date": ColumnSpec("x", Kind.DATE, Role.QUASI),
    "ordinal": ColumnSpec("x", Kind.ORDINAL, Role.QUASI, levels=LEVELS),
    "hierarchy": ColumnSpec("x", Kind.CATEGORY, Role.QUASI, hierarchy=Hierarchy.from_rows(TOWNS, "x")),
    "numbers of a hierarchy": ColumnSpec("x", Kind.INTEGER, Role.QUASI, hierarchy=Hierarchy.from_rows(DECADES, "x")),
    "named numbers": ColumnSpec("x", Kind.INTEGER, Role.QUASI, hierarchy=Hierarchy.from_rows(NAMED, "x")),
    "levels of a hierarchy": ColumnSpec(
        "x",
        Kind.ORDINAL,
        Role.QUASI,
        levels=("a", "b", "c"),
        hierarchy=Hierarchy.from_rows([["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]], "x"),
    ),
    "category": ColumnSpec("x", Kind.CATEGORY, Role.QUASI),
}
VALUES: dict[str, list[Any]] = {
    "integer": [0, 1, 2, 7, 20, 21, 39, 40],
    "number": [-1.0, -0.5, 0.25, 3.0, 3.5, 8.75, 9.0],
    "date": DAYS,
    "ordinal": list(LEVELS),
    "hierarchy": [row[0] for row in TOWNS],
    "numbers of a hierarchy": list(range(8)),
    "named numbers": [1, 3, 5, 7],
    "levels of a hierarchy": ["a", "b", "c"],
    "category": ["a", "b|c", "*", "[d"],
}


def steps_of(published: PublishedTable, dictionary: Dictionary, fields: tuple[str, ...], cost: Sensitivity) -> tuple[WhatIf, ...]:
    return what_if(published, dictionary, fields, cost, candidates(published.cells, dictionary, fields))


def cells_of(kind: str, values: list[Any], count: int) -> tuple[Column, PublishedCells]:
    column = encode_column(pd.Series(values, dtype=object), SPECS[kind])
    table = Table({"x": column}, ("x",), ())
    groups = np.unique(np.arange(len(values)) % count, return_inverse=True)[1]
    return column, publish_form(table, groups, "t", ()).cells["x"]


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_coarser_cell_covers_all_that_the_cell_did_and_more_or_is_everything(draw: st.DataObject) -> None:
    kind = draw.draw(st.sampled_from(list(SPECS)))
    column, cells = cells_of(
        kind, draw.draw(st.lists(st.none() | st.sampled_from(VALUES[kind]), min_size=1, max_size=6)), draw.draw(st.integers(1, 3))
    )
    wider = coarser_cells(cells, column)
    if wider is None:
        assert all(reach(text, "*", kind, column) for text in cells.texts)
        return
    assert kind != "category"
    assert len(set(wider.texts)) == len(wider.texts)
    assert set(wider.codes.tolist()) == set(range(len(wider.texts)))
    for before, after in zip(cells.texts[cells.codes], wider.texts[wider.codes], strict=True):
        assert reach(before, after, kind, column)


def reach(before: str, after: str, kind: str, column: Column) -> bool:
    """Everything in one cell is in the other, which is wider or everything."""
    if after == "*":
        return True
    reader = CellReader(column)
    inner, outer = reader.covers(before), reader.covers(after)
    if (inner & ~outer).any():
        return False
    if kind in ("hierarchy", "numbers of a hierarchy", "named numbers", "levels of a hierarchy"):
        return int(outer.sum()) > int(inner.sum())
    stretches = reader.interval(before), reader.interval(after)
    assert stretches[0] is not None
    assert stretches[1] is not None
    (low, high), (least, most) = stretches
    return least <= low and high <= most and most - least > high - low


@pytest.mark.parametrize(
    ("kind", "text", "wanted"),
    [
        ("integer", "20", "[20..21]"),
        ("integer", "[20..29]", "[15..34]"),
        ("integer", "[0..9]", "[0..19]"),
        ("integer", "[31..40]", "[21..40]"),
        ("integer", "[10..30]", "*"),
        ("number", "3", "[2.95..3.05]"),
        ("number", "[0..4]", "[-1..7]"),
        ("number", "[-1..7]", "*"),
        ("date", "2025-01-20", "2025-01"),
        ("date", "2025-06", "2025-Q2"),
        ("date", "2025-07", "2025-Q3"),
        ("date", "2025-Q3", "2025"),
        ("date", "2025", "[2025..2029]"),
        ("date", "[2025..2029]", "[2020..2029]"),
        ("date", "[2020..2029]", "[2020..2039]"),
        ("date", "[2020..2039]", "*"),
        ("ordinal", "low", r"[low..middle\.\.]"),
        ("ordinal", "[high..higher]", r"[middle\.\...highest]"),
        ("ordinal", "[low..higher]", "*"),
        ("hierarchy", "Rome", "Italy"),
        ("hierarchy", "Italy", "South"),
        ("hierarchy", "Athens", "South"),
        ("hierarchy", "Oslo", "*"),
        ("hierarchy", "South", "*"),
        ("numbers of a hierarchy", "5", "[4..5]"),
        ("numbers of a hierarchy", "[4..5]", "[4..7]"),
        ("numbers of a hierarchy", "[4..7]", "*"),
        ("named numbers", "1", "2"),
        ("named numbers", "5", "old"),
        ("named numbers", "2", "*"),
        ("integer", "", "*"),
        ("integer", "*", "*"),
        ("category", "a", "*"),
        ("category", r"{a|\[d}", "*"),
    ],
)
def test_the_next_step_of_each_kind(kind: str, text: str, wanted: str) -> None:
    column = encode_column(pd.Series(VALUES[kind], dtype=object), SPECS[kind])
    beside = {"integer": "7", "number": "7", "date": "2025-03-31", "ordinal": "high", "category": "a"}.get(kind, VALUES[kind][0])
    cells = PublishedCells(np.array([0, 1, 0], dtype=np.int32), np.array([text, str(beside)], dtype=object))
    wider = coarser_cells(cells, column)
    if kind == "category":
        assert wider is None
    else:
        assert wider is not None
        assert wider.texts[wider.codes[[0, 2]]].tolist() == [wanted, wanted]


@pytest.mark.parametrize("kind", ["integer", "number"])
def test_a_cell_beyond_a_registers_values_stays_inside_its_coarser_one(kind: str) -> None:
    """A register of the young has nobody in [90..95]; a coarser cell that was moved down to it would have met people anew."""
    column = encode_column(pd.Series([0, 30, 80]), ColumnSpec("x", Kind(kind), Role.QUASI))
    for text, low, high in (("[90..95]", 90, 95), ("[70..95]", 70, 95), ("[-9..-5]", -9, -5), ("99", 99, 99)):
        wider = coarser_cells(PublishedCells(np.zeros(1, dtype=np.int32), np.array([text], dtype=object)), column)
        assert wider is not None
        ends = CellReader(column).interval(wider.texts[0])
        assert ends is not None
        assert ends[0] <= low <= high <= ends[1]
        assert ends[1] - ends[0] <= 2 * (high - low) + 1


def test_a_leaf_that_only_a_register_has_has_no_step_but_everything() -> None:
    domains = encode_table(pd.DataFrame({"x": ["Rome", "Oslo"]}), {"x": SPECS["hierarchy"]}).columns
    register = encode_dictionary(pd.DataFrame({"x": ["Atlantis", "Rome"]}), domains, ["x"])
    cells = PublishedCells(np.array([0, 1], dtype=np.int32), np.array(["Atlantis", "Milan"], dtype=object))
    wider = coarser_cells(cells, register["x"])
    assert wider is not None
    assert wider.texts[wider.codes].tolist() == ["*", "Italy"]


# What steps buy, computed afresh.

ROWS = st.lists(
    st.tuples(
        st.sampled_from([None, 20, 21, 30, 45]),
        st.sampled_from([None, "Rome", "Milan", "Oslo"]),
        st.sampled_from([None, "blue", "brown"]),
        st.sampled_from([None, "flu", "cold"]),
        st.sampled_from([None, "w1", "w2"]),
    ),
    min_size=1,
    max_size=9,
)
TABLE = {
    "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI, domain=(0, 60)),
    "town": ColumnSpec("town", Kind.CATEGORY, Role.QUASI, hierarchy=Hierarchy.from_rows(TOWNS, "town")),
    "eye": ColumnSpec("eye", Kind.CATEGORY, Role.QUASI),
    "ill": ColumnSpec("ill", Kind.CATEGORY, Role.SENSITIVE),
    "ward": ColumnSpec("ward", Kind.CATEGORY, Role.INSENSITIVE),
}


def fits(name: str, text: str, cell: Any) -> bool:
    if cell is None or text in ("", "*"):
        return True
    if name == "age" and text.startswith("["):
        low, high = text[1:-1].split("..")
        return int(low) <= int(cell) <= int(high)
    if name == "eye":
        return text.startswith("{|") or str(cell) in text.strip("{}").split("|")
    if name == "town":
        return text == cell or any(row[0] == cell and text in row for row in TOWNS)
    return str(cell) == text


def one_coarser(name: str, text: str) -> str:
    """By hand, for these values: an interval of an age doubles inside [0..60]; a town goes up to the first node with more towns."""
    if text in ("", "*"):
        return "*"
    if name == "town":
        chain = next(row for row in TOWNS if text in row)
        under = [sum(node in row for row in TOWNS) for node in chain]
        return next((node for node, size in zip(chain, under, strict=True) if size > under[chain.index(text)]), "*")
    low, high = map(int, text[1:-1].split("..")) if text.startswith("[") else (int(text), int(text))
    size = high - low + 1
    begin = max(0, min(low - size // 2, 60 - 2 * size + 1))
    end = min(60, begin + 2 * size - 1)
    return "*" if (begin, end) == (0, 60) else f"[{begin}..{end}]"


def losses_by_hand(
    rows: list[dict[str, str]], hidden: list[set[str]], people: list[tuple[Any, ...]], fields: tuple[str, ...], weights: dict[str, float]
) -> list[float]:
    """`hidden`: names of each record that are not disclosed though they are no quasi-identifiers."""
    out = []
    for row, missing in zip(rows, hidden, strict=True):
        found = sum(all(fits(name, row[name], person[list(TABLE).index(name)]) for name in fields) for person in people)
        total = sum(weight for name, weight in weights.items() if row.get(name, "x") not in ("", "*") and name not in missing)
        out.append(total / found if found else 0.0)
    return out


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(
    ROWS,
    ROWS,
    st.integers(1, 3),
    st.sampled_from([("age", "town", "eye"), ("age",), ("town", "eye")]),
    st.dictionaries(st.sampled_from(list(TABLE)), st.sampled_from([0.5, 1.0, 4.0, math.inf]), min_size=1),
)
def test_a_step_is_the_risk_of_the_table_that_it_would_make(
    rows: list[tuple[Any, ...]], others: list[tuple[Any, ...]], count: int, fields: tuple[str, ...], weights: dict[str, float]
) -> None:
    others = [*others, (0, None, None, None, None), (60, None, None, None, None)]  # so that the register's ages span the domain
    table = encode_table(pd.DataFrame(rows, columns=list(TABLE), dtype=object), TABLE)
    groups = np.unique(np.arange(len(rows)) % count, return_inverse=True)[1]
    published = publish_form(table, groups, "t", ("ill",), ("ward",))
    dictionary = encode_dictionary(pd.DataFrame(others, columns=list(TABLE), dtype=object), table.columns, fields)
    found = steps_of(published, dictionary, fields, Sensitivity.additive(weights))

    texts = [{name: str(cells.texts[cells.codes[row]]) for name, cells in published.cells.items()} for row in range(len(rows))]
    hidden = [{name for name in ("ill", "ward") if row[list(TABLE).index(name)] is None} for row in rows]
    wanted: dict[str, list[float]] = {}
    for name in ("age", "town", "eye"):
        wider = [{**row, name: one_coarser(name, row[name])} for row in texts] if name != "eye" else texts
        if name in fields and name != "eye" and any(row[name] != "*" for row in wider):
            wanted[f"make {name} one step coarser"] = losses_by_hand(wider, hidden, others, fields, weights)
        if name in fields or name in weights:
            gone = [{**row, name: "*"} for row in texts]
            wanted[f"suppress {name}"] = losses_by_hand(gone, hidden, others, fields, weights)
    for name in ("ill", "ward"):
        if name in weights:
            wanted[f"suppress {name}"] = losses_by_hand(texts, [missing | {name} for missing in hidden], others, fields, weights)
    assert {step.change for step in found} == set(wanted)
    for step in found:
        assert step.risk.per_record.tolist() == pytest.approx(wanted[step.change])
        assert (step.risk.mean, step.risk.max) == (pytest.approx(np.mean(wanted[step.change])), pytest.approx(max(wanted[step.change])))


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(
    ROWS,
    ROWS,
    st.integers(1, 3),
    st.sampled_from([("age", "town", "eye"), ("age", "town"), ("town", "eye")]),
    st.sampled_from([Sensitivity.fixed(), Sensitivity.multiplicative({"ill": 1.5}), Sensitivity.additive({"ill": 2, "ward": math.inf})]),
)
def test_a_records_risk_never_rises_by_a_step_unless_nobody_was_consistent_before(
    rows: list[tuple[Any, ...]], others: list[tuple[Any, ...]], count: int, fields: tuple[str, ...], cost: Sensitivity
) -> None:
    table = encode_table(pd.DataFrame(rows, columns=list(TABLE), dtype=object), TABLE)
    groups = np.unique(np.arange(len(rows)) % count, return_inverse=True)[1]
    published = publish_form(table, groups, "t", ("ill",), ("ward",))
    dictionary = encode_dictionary(pd.DataFrame(others, columns=list(TABLE), dtype=object), table.columns, fields)
    before = disclosure(published, dictionary, fields, cost)
    steps = steps_of(published, dictionary, fields, cost)
    assert steps
    for step in steps:
        assert ((step.risk.per_record <= before.per_record + 1e-12) | (before.consistent == 0)).all()
        assert (step.risk.consistent >= before.consistent).all()


def test_the_steps_come_in_the_order_of_the_table_and_say_what_they_change() -> None:
    rows = [(20, "Rome", "blue", "flu", "w1"), (30, "Oslo", "brown", "cold", "w2")]
    table = encode_table(pd.DataFrame(rows, columns=list(TABLE), dtype=object), TABLE)
    published = publish_form(table, np.array([0, 1]), "t", ("ill",), ("ward",))
    steps = steps_of(published, table.columns, ("town", "age"), Sensitivity.additive({"ill": 1, "eye": 1}))
    assert [step.change for step in steps] == [
        *("make age one step coarser", "suppress age", "make town one step coarser", "suppress town", "suppress eye", "suppress ill")
    ]
    assert WhatIf("age", True, steps[0].risk).change == "make age one step coarser"


def test_suppressing_a_set_hides_all_its_bits() -> None:
    codes = np.array([0, 1], dtype=np.int32)
    bits = [
        Column(f"ill={value}", Kind.CATEGORY, codes, np.array(["0", "1"], dtype=object), np.ones(3, dtype=bool), origin="ill")
        for value in "ab"
    ]
    age = encode_column(pd.Series([20, 30]), TABLE["age"])
    table = Table({"age": age, **{bit.name: bit for bit in bits}}, ("age",), tuple(bit.name for bit in bits))
    published = publish_form(table, np.array([0, 1]), "t", table.sensitive)
    steps = steps_of(published, table.columns, ("age",), Sensitivity.additive({"ill": 3.0}))
    assert [step.change for step in steps] == ["make age one step coarser", "suppress age", "suppress ill"]
    assert steps[-1].risk.per_record.tolist() == [0.0, 0.0]


def test_a_pair_costs_no_more_once_one_of_the_two_is_gone() -> None:
    table = encode_table(pd.DataFrame([(20, "Rome", "blue", "flu", "w1")], columns=list(TABLE), dtype=object), TABLE)
    published = publish_form(table, np.array([0]), "t", ("ill",), ("ward",))
    cost = Sensitivity.interactions({"age": 1, "ill": 2}, {("age", "ill"): 4, ("age", "ward"): 8})
    losses = {step.change: step.risk.per_record.tolist() for step in steps_of(published, table.columns, ("town",), cost)}
    assert {change: losses[change] for change in ("suppress age", "suppress ill", "suppress ward")} == {
        "suppress age": [2.0],
        "suppress ill": [9.0],
        "suppress ward": [7.0],
    }


def test_where_disclosed_attributes_are_counted_each_of_them_is_a_step() -> None:
    table = encode_table(pd.DataFrame([(20, "Rome", "blue", "flu", "w1")] * 2, columns=list(TABLE), dtype=object), TABLE)
    published = publish_form(table, np.array([0, 0]), "t", ("ill",), ("ward",))
    steps = {step.change: step.risk for step in steps_of(published, table.columns, ("town",), Sensitivity.count(records=[1.0, 3.0]))}
    for name in TABLE:
        assert steps[f"suppress {name}"].per_record.tolist() == [4 / 2, 3 * 4 / 2]


def test_frequency_tables_have_steps_too() -> None:
    """Of ten people four are 20 and half are from Rome: two are expected to be both. Seven are 20 or 21."""
    table = encode_table(pd.DataFrame([(20, "Rome", "blue", "flu", "w1")] * 2, columns=list(TABLE), dtype=object), TABLE)
    published: PublishedTable = publish_form(table, np.array([0, 0]), "t", ("ill",))
    lines = [("age", "20", 4), ("age", "21", 3), ("age", "50", 3), ("town", "Rome", 5), ("town", "Milan", 1), ("town", "Oslo", 4)]
    tables = marginals_of(pd.DataFrame(lines, columns=["field", "value", "count"]), table.columns, ("age", "town"))
    steps = {step.change: step.risk for step in steps_of(published, tables, ("age", "town"), Sensitivity.fixed())}
    assert {change: risk.fewest for change, risk in steps.items()} == pytest.approx(
        {"make age one step coarser": 3.5, "suppress age": 5.0, "make town one step coarser": 2.4, "suppress town": 4.0}
    )
    assert steps["suppress age"].mean == pytest.approx(1 / 5)

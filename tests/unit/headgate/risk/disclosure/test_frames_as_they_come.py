"""Frames of any make against a dictionary: what is equal must be found equal, or a risk seems to be none. Each case once read as no risk
at all, or ended in an error of Python's own that showed the cell."""

from __future__ import annotations

import math
from datetime import date, datetime
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.core.published_form.published_table import PublishedCells
from headgate.risk.candidates.consistency import encode_dictionary
from headgate.risk.disclosure.decision import bayes_risk
from headgate.risk.disclosure.expected_loss import disclosure_risk, shown
from headgate.risk.disclosure.sensitivity import Form, Sensitivity
from headgate.risk.reidentification.journalist import journalist_frames

ONE = Sensitivity.fixed()


NARROW = [
    pd.Series([0.7, 0.1], dtype="float32"),
    pd.Series([0.7, 0.1], dtype="Float32"),
    pd.Series(pa.array([0.7, 0.1], pa.float32()), dtype=pd.ArrowDtype(pa.float32())),
    pd.Series([0.7, 0.1], dtype="float32").astype("category"),
]


@pytest.mark.parametrize("released", NARROW)
@pytest.mark.parametrize("held", [*NARROW, pd.Series([0.7, 0.1])])
def test_a_narrow_float_is_the_decimal_that_it_was_written_as(released: pd.Series, held: pd.Series) -> None:
    kinds = {"x": "number"}
    found = disclosure_risk(released.to_frame("x"), held.to_frame("x"), ["x"], ONE, kinds=kinds)
    assert found.consistent.tolist() == [1, 1]
    assert journalist_frames(released.to_frame("x"), held.to_frame("x"), ["x"], kinds=kinds).consistent.tolist() == [1, 1]


DAYS = [
    pd.Series([date(2024, 1, 31), date(2024, 2, 1)], dtype=object),
    pd.Series([datetime(2024, 1, 31, 7), datetime(2024, 2, 1)], dtype=object),
    pd.Series([np.datetime64("2024-01-31"), np.datetime64("2024-02-01")], dtype=object),
    pd.Series(pa.array([date(2024, 1, 31), date(2024, 2, 1)]), dtype=pd.ArrowDtype(pa.date32())),
    pd.to_datetime(pd.Series(["2024-01-31", "2024-02-01"])),
    pd.Series(["2024-01-31", "2024-02-01"]),
    pd.Series(["2024-01", "2024-Q1"]),
]


@pytest.mark.parametrize("released", DAYS)
def test_a_day_is_the_same_day_in_any_dress(released: pd.Series) -> None:
    people = pd.DataFrame({"x": ["2024-01-31", "2024-02-01", "2023-02-01"]})
    wanted = [1, 2] if released.iloc[-1] == "2024-Q1" else [1, 1]
    found = disclosure_risk(released.to_frame("x"), people, ["x"], ONE, kinds={"x": "date"})
    assert found.consistent.tolist() == wanted
    if wanted == [1, 1]:
        assert disclosure_risk(released.to_frame("x"), people, ["x"], ONE).consistent.tolist() == wanted  # a text of a day is its text


def test_suppressed_cells_fit_everybody_on_either_side() -> None:
    """DEFINITIONS §7. A register with `*` in it hid nobody, and so the fewer fitted the less risk there seemed to be."""
    released = pd.DataFrame({"x": ["a", "b", "*"]})
    assert disclosure_risk(released, pd.DataFrame({"x": ["*", " * ", "b"]}), ["x"], ONE).consistent.tolist() == [2, 3, 3]
    numbers = pd.DataFrame({"x": [1, 7]})
    assert disclosure_risk(numbers, pd.DataFrame({"x": ["*", "1"]}), ["x"], ONE, kinds={"x": "number"}).consistent.tolist() == [2, 1]
    tree = Hierarchy.from_rows([["Rome", "Italy", "World"], ["Milan", "Italy", "World"], ["Lyon", "France", "World"]], "x")
    towns, people = pd.DataFrame({"x": ["Rome", "Italy"]}), pd.DataFrame({"x": ["World", "Milan", "Rome", "*"]})
    assert disclosure_risk(towns, people, ["x"], ONE, hierarchies={"x": tree}).consistent.tolist() == [3, 4]
    column = encode_column(pd.Series(["Rome"]), ColumnSpec("x", Kind.CATEGORY, Role.QUASI, hierarchy=tree))
    assert encode_dictionary(people, {"x": column}, ["x"])["x"].codes.tolist().count(-1) == 2
    with pytest.raises(InputRejected, match="has 1 node of the hierarchy"):
        disclosure_risk(towns, pd.DataFrame({"x": ["Rome", "Italy", "Italy"]}), ["x"], ONE, hierarchies={"x": tree})


def test_hierarchies_may_be_given_in_any_form() -> None:
    rows = [["Rome", "Italy", "*"], ["Milan", "Italy", "*"], ["Lyon", "France", "*"]]
    towns, people = pd.DataFrame({"x": ["Italy"]}), pd.DataFrame({"x": ["Rome", "Milan", "Lyon"]})
    for form in (rows, pd.DataFrame(rows), Hierarchy.from_rows(rows, "x")):
        assert disclosure_risk(towns, people, ["x"], ONE, hierarchies={"x": form}).consistent.tolist() == [2]
    ages, born = pd.DataFrame({"x": ["[20..29]"]}), pd.DataFrame({"x": [20, 29, 30]})
    assert disclosure_risk(ages, born, ["x"], ONE, kinds={"x": "integer"}, hierarchies={"x": {"widths": [10]}}).consistent.tolist() == [2]
    with pytest.raises(InputRejected, match="not a table of levels"):
        disclosure_risk(towns, people, ["x"], ONE, hierarchies={"x": "town.csv"})


def test_the_root_is_suppressed_however_it_is_called() -> None:
    tree = Hierarchy.from_rows([["a", "any|all"], ["b", "any|all"]], "x")
    column = encode_column(pd.Series(["a"]), ColumnSpec("x", Kind.CATEGORY, Role.QUASI, hierarchy=tree))
    cells = PublishedCells(np.arange(2, dtype=np.int32), np.array(["any\\|all", "a"], dtype=object))
    assert shown(cells, column).tolist() == [False, True]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Sensitivity("bogus", {"x": 2.0}), "form of a sensitivity is unknown"),  # type: ignore[arg-type]
        (lambda: Sensitivity(Form.COUNT).of({}, 1), "needs a weight for the records"),
        (lambda: Sensitivity.additive({"x": ["12 Main St", 2]}), "negative or not a number"),
        (lambda: Sensitivity.additive({"x": [pd.NA, 1]}), "negative or not a number"),
        (lambda: Sensitivity.additive({"x": [[1], [2, 3]]}), "negative or not a number"),
        (lambda: Sensitivity.fixed([1.0, 2.0]), "not a single number"),  # type: ignore[arg-type]
        (lambda: Sensitivity.interactions({}, {("x",): 1}), "does not name two attributes"),  # type: ignore[dict-item]
        (lambda: Sensitivity.interactions({}, {("x", "x"): 1}), "does not name two attributes"),
        (lambda: Sensitivity.interactions({}, {"xy": 1}), "does not name two attributes"),  # type: ignore[dict-item]
        (lambda: Sensitivity.interactions({}, {("x", "y"): 1, ("y", "x"): 1}), "listed twice"),
        (lambda: bayes_risk([1.0, 2.0], [math.inf, -math.inf]), "not a distribution"),
    ],
)
def test_what_says_nothing_is_refused_and_not_shown(make: Any, message: str) -> None:
    with pytest.raises(InputRejected, match=message) as caught:
        make()
    assert "Main St" not in caught.value.message + caught.value.cure


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"fields": [0]}, "name is not text"),
        ({"released": pd.DataFrame([["a"]]), "fields": ["0"]}, "name is not text"),
        ({"released": pd.DataFrame({"x": [["secret"]]})}, "cells that are lists"),
        ({"dictionary": pd.DataFrame({"x": [["secret"]]})}, "cells that are lists"),
        ({"similar": {"x": "0.8"}}, "Jaro similarity"),
        ({"dictionary": pd.DataFrame({"x": ["a", "b"], "id": ["", "1"]}), "key": "id"}, "missing or repeated"),
    ],
)
def test_a_frame_that_cannot_be_read_is_refused_and_not_shown(change: dict[str, Any], message: str) -> None:
    given = {"released": pd.DataFrame({"x": ["a"]}), "dictionary": pd.DataFrame({"x": ["a"]}), "fields": ["x"], **change}
    with pytest.raises(InputRejected, match=message) as caught:
        disclosure_risk(sensitivity=ONE, **given)
    assert "secret" not in caught.value.message + caught.value.cure


def test_fields_may_come_from_anywhere() -> None:
    frame = pd.DataFrame({"x": ["a"], "y": ["b"]})
    assert disclosure_risk(frame, frame, (name for name in "xy"), ONE).consistent.tolist() == [1]  # type: ignore[arg-type]

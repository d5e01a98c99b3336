"""MinRisk against the paper's Algorithm 1 as a plain loop, against exhaustive search, and what it loses where fields depend."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.core.published_form.published_table import PublishedCells
from headgate.risk.disclosure.expected_loss import disclosure_risk
from headgate.risk.disclosure.sensitivity import Sensitivity
from headgate.risk.suppression import min_risk as module
from headgate.risk.suppression.min_risk import exact_cells, gammas, gap, min_risk, min_risk_cells
from headgate.risk.suppression.rules import best_of, product_losses, rule_risk, rules_per_record

CELLS = st.sampled_from([None, "a", "b", "c"])
FRAMES = st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=8)
WEIGHTS = st.tuples(*[st.sampled_from([0.0, 0.3, 1.0, 2.0, math.inf])] * 3)
PRODUCT = pd.DataFrame(
    list(itertools.product(["a", "a", "b", None], ["a", "b", "c"], ["a", "b", "b", "b"])), columns=["x", "y", "z"], dtype=object
)


def frame(rows: list[tuple[Any, ...]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["x", "y", "z"], dtype=object)


def encoded(people: pd.DataFrame) -> dict[str, Column]:
    return {name: encode_column(people[name], ColumnSpec(name, Kind.CATEGORY, Role.QUASI)) for name in people.columns}


def as_cells(rows: list[tuple[Any, ...]]) -> dict[str, PublishedCells]:
    out = {}
    for i, name in enumerate("xyz"):
        texts = sorted({row[i] or "" for row in rows})
        out[name] = PublishedCells(np.array([texts.index(row[i] or "") for row in rows], dtype=np.int32), np.array(texts, dtype=object))
    return out


def algorithm_1(rows: list[tuple[Any, ...]], people: list[tuple[Any, ...]], weights: list[list[float]], keep: int) -> list[list[bool]]:
    """The paper's five lines, for records and individuals as plain tuples."""
    out = []
    for record, own in zip(rows, weights, strict=True):
        gamma = []
        for j, cell in enumerate(record):
            alpha = sum(person[j] is None or person[j] == cell for person in people)
            gamma.append(math.exp(own[j]) * len(people) / alpha if alpha else 0.0)
        there = [j for j, cell in enumerate(record) if cell is not None]
        chosen = [j for _, j in sorted((gamma[j], j) for j in there)[:keep]]
        out.append([j in chosen for j in range(len(record))])
    return out


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(FRAMES, FRAMES, st.integers(0, 3), st.data())
def test_min_risk_is_the_papers_algorithm(
    rows: list[tuple[Any, ...]], people: list[tuple[Any, ...]], keep: int, draw: st.DataObject
) -> None:
    """With one weight an attribute, and with one a record."""
    per_record = [list(draw.draw(WEIGHTS)) for _ in rows]
    if draw.draw(st.booleans()):
        per_record = [per_record[0]] * len(rows)
        weights: dict[str, Any] = dict(zip("xyz", per_record[0], strict=True))
    else:
        weights = {name: [own[j] for own in per_record] for j, name in enumerate("xyz")}
    found = min_risk_cells(as_cells(rows), encoded(frame(people)), weights, keep)
    assert found.tolist() == algorithm_1(rows, people, per_record, keep)
    framed = min_risk(frame(rows), frame(people), weights, keep)
    assert framed.notna().to_numpy().tolist() == found.tolist()


@settings(max_examples=60, deadline=None)
@given(FRAMES, WEIGHTS, st.integers(0, 3))
def test_min_risk_is_optimal_on_a_product_dictionary(rows: list[tuple[Any, ...]], weights: tuple[float, ...], keep: int) -> None:
    """Equals exhaustive search, over all choices of min(k, non-missing) fields a record, where fields are independent; with weights of 0
    and ∞, and with values that nobody in the dictionary has."""
    released, named = frame(rows), dict(zip("xyz", weights, strict=True))
    kept = min_risk(released, PRODUCT, named, keep)
    found = disclosure_risk(kept, PRODUCT, ["x", "y", "z"], Sensitivity.multiplicative(named))
    for row, cells in enumerate(rows):
        present = [i for i, cell in enumerate(cells) if cell is not None]
        size = min(keep, len(present))
        assert int(kept.iloc[row].notna().sum()) == size
        best = math.inf
        for chosen in itertools.combinations(present, size):
            consistent = sum(all(person[i] is None or person[i] == cells[i] for i in chosen) for person in PRODUCT.itertuples(index=False))
            best = min(best, math.exp(sum(weights[i] for i in chosen)) / consistent if consistent else 0.0)
        assert found.per_record[row] == pytest.approx(best)


@settings(max_examples=40, deadline=None)
@given(FRAMES, WEIGHTS, st.integers(0, 3))
def test_losses_on_a_product_dictionary_are_products_of_gammas(rows: list[tuple[Any, ...]], weights: tuple[float, ...], keep: int) -> None:
    named = dict(zip("xyz", weights, strict=True))
    found = gammas(as_cells(rows), encoded(PRODUCT), named)
    rule = min_risk_cells(as_cells(rows), encoded(PRODUCT), named, keep)
    wanted = disclosure_risk(min_risk(frame(rows), PRODUCT, named, keep), PRODUCT, list("xyz"), Sensitivity.multiplicative(named))
    assert product_losses(found.gamma, rule, found.individuals).tolist() == pytest.approx(wanted.per_record.tolist())


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=3), FRAMES, WEIGHTS, st.integers(0, 3))
def test_the_gap_is_what_min_risk_loses_to_the_best_rule_of_all(
    rows: list[tuple[Any, ...]], people: list[tuple[Any, ...]], weights: tuple[float, ...], keep: int
) -> None:
    cells, columns, named = as_cells(rows), encoded(frame(people)), dict(zip("xyz", weights, strict=True))
    found = gap(cells, columns, named, keep)

    def risk(rule: Any) -> float:
        return rule_risk(rule, cells, columns, list("xyz"), Sensitivity.multiplicative(named))

    present = np.array([[cell is not None for cell in row] for row in rows])
    assert found.best == pytest.approx(best_of(rules_per_record(present, keep), risk)[1])
    assert found.min_risk == pytest.approx(risk(min_risk_cells(cells, columns, named, keep)))
    assert found.gap >= 0


def test_on_a_dependent_dictionary_min_risk_may_lose() -> None:
    """x and y always go together, so the second of them tells nothing more; z alone is more frequent, but tells x's people apart."""
    people = frame([("a", "a", "a"), ("a", "a", "c"), ("b", "b", "a"), ("b", "b", "a"), ("b", "b", "a")])
    found = gap(as_cells([("a", "a", "a")]), encoded(people), {}, 2)
    assert (found.min_risk, found.best) == (1.0, 0.5)
    assert found.gap == 0.5
    assert gap(as_cells([("a", "b", "b")]), encoded(PRODUCT), {}, 2).gap == pytest.approx(0.0)


def test_a_gap_of_too_many_choices_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_CHOICES", 2)
    with pytest.raises(InputRejected, match="over 2 ways to choose 2 of 3"):
        gap(as_cells([("a", "a", "a")]), encoded(PRODUCT), {}, 2)
    assert gap(as_cells([("a", "a", "a")]), encoded(PRODUCT), {}, 3).gap == 0


def test_ties_go_to_the_first_column_and_the_index_is_kept() -> None:
    released = pd.DataFrame({"x": ["a", "b"], "y": [1.0, 2.0], "z": ["p", None], "t": ["s", "s"]}, index=[9, 9])
    people = pd.DataFrame({"t": ["s", "s"]})
    kept = min_risk(released, people, {"x": 0, "y": 0, "z": math.inf}, 2)
    assert kept.index.tolist() == [9, 9]
    assert kept["x"].tolist() == ["a", "b"]
    assert kept["y"].tolist() == [1.0, 2.0]
    assert kept[["z", "t"]].isna().all(axis=None)
    assert min_risk(released, people, {"z": math.inf}, 4).notna().to_numpy().tolist() == [[True] * 4, [True, True, False, True]]


def test_generalized_cells_count_the_individuals_that_they_cover() -> None:
    """An interval of numbers, a node, a set and a day's month; the root is as good as missing, and is not disclosed."""
    towns = Hierarchy.from_rows([["Rome", "Italy", "*"], ["Milan", "Italy", "*"], ["Lyon", "France", "*"]], "town")
    people = {
        "age": encode_column(pd.Series([20, 25, 30, None]), ColumnSpec("age", Kind.NUMBER, Role.QUASI)),
        "town": encode_column(pd.Series(["Rome", "Milan", "Lyon", None]), ColumnSpec("town", Kind.CATEGORY, Role.QUASI, hierarchy=towns)),
        "eye": encode_column(pd.Series(["blue", "brown", "brown", "red"]), ColumnSpec("eye", Kind.CATEGORY, Role.QUASI)),
        "born": encode_column(
            pd.Series(["2025-01-01", "2025-01-31", "2025-02-01", None], dtype=object), ColumnSpec("born", Kind.DATE, Role.QUASI)
        ),
    }
    texts = {
        "age": ["[20..29]", "30", "31", ""],
        "town": ["Italy", "Lyon", "Oslo", "*"],
        "eye": ["{brown|red}", "blue", "grey", "*"],
        "born": ["2025-01", "2025", "2024", ""],
    }
    counts = {"age": [3, 2, 1, 4], "town": [3, 2, 1, 4], "eye": [3, 1, 0, 4], "born": [3, 4, 1, 4]}
    cells = {name: PublishedCells(np.arange(4, dtype=np.int32), np.array(some, dtype=object)) for name, some in texts.items()}
    found = gammas(cells, people, {})
    for i, name in enumerate(texts):
        assert found.gamma[:, i].tolist() == pytest.approx([4 / count if count else 0.0 for count in counts[name]])
    assert found.present.tolist() == [[True] * 4, [True] * 4, [True] * 4, [False] * 4]


def test_numbers_outside_the_dictionary_and_blanks_around_texts_change_nothing() -> None:
    """' a' and 'a' are one value, as they are in a dictionary: or a record would seem to be nobody's, and go first."""
    released = pd.DataFrame({"x": [" a", "b "], "age": [20, 99]})
    people = pd.DataFrame({"x": ["a", "a", " b", "b"], "age": [20, 20, 20, 30]})
    assert min_risk(released, people, {}, 1).notna().to_numpy().tolist() == [[False, True], [False, True]]
    assert min_risk(released, people, {"age": 5}, 1).notna().to_numpy().tolist() == [[True, False], [False, True]]


def test_a_frame_holds_values_even_where_they_look_like_generalized_cells() -> None:
    """Lists of values in one text, an interval are what they are; a star is a suppressed cell, on either side. Days and texts of numbers
    are read as the dictionary's."""
    people = pd.DataFrame(
        {
            "x": ["a|b", "*", "*", "[1..2]"],
            "day": pd.to_datetime(["2025-01-01", "2025-01-02", "2025-01-02", "2025-01-02"]),
            "n": [1, 1, 2, 2],
        }
    )
    released = pd.DataFrame({"x": ["a|b", "*", "[1..2]"], "day": ["2025-01-01", "2025-01-02", None], "n": ["1.0", "2", "2"]})
    assert min_risk(released, people, {}, 1).notna().to_numpy().tolist() == [
        [True, False, False],
        [False, True, False],
        [True, False, False],
    ]
    with pytest.raises(InputRejected, match="1 cell of 'n' is not a number"):
        min_risk(pd.DataFrame({"n": ["[1..2]"]}), people, {}, 1)


def test_columns_of_every_kind_become_cells() -> None:
    """Part of a table that no dictionary has is only there or missing."""
    spec = {kind: ColumnSpec("c", kind, Role.QUASI, components=("c",)) for kind in Kind}
    sets = encode_column(pd.Series(["a|b", "a", None]), spec[Kind.SET])
    vectors = encode_column(pd.DataFrame({"c": [0.5, 0.25, None]}), spec[Kind.VECTOR])
    dates = encode_column(pd.Series(["2025-01-02", None, "2025-01-01"]), spec[Kind.DATE])
    for column in (sets, vectors, dates):
        cells = exact_cells(column)
        assert ((cells.texts[cells.codes] == "") == (column.codes < 0)).all()
        assert len(set(cells.texts)) == len(cells.texts)
    assert exact_cells(dates).texts.tolist() == ["2025-01-01", "2025-01-02", ""]


def test_what_cannot_be_chosen_by_is_refused() -> None:
    released, people = pd.DataFrame({"incomes": [1], "x": ["a"]}), pd.DataFrame({"incomes": [1, 2]})
    for keep in (-1, 3, 1.5, True, "1", None):
        with pytest.raises(InputRejected, match=f"2 fields cannot keep {keep}"):
            min_risk(released, people, {}, keep)
    with pytest.raises(InputRejected, match="'income' is not in the records. Did you mean 'incomes'"):
        min_risk(released, people, {"income": 1}, 1)
    for weight in (-1.0, math.nan, [-0.5]):
        with pytest.raises(InputRejected, match="negative or not a number"):
            min_risk(released, people, {"x": weight}, 1)
    with pytest.raises(InputRejected, match="2 sensitivity weights for 1 records"):
        min_risk(released, people, {"x": [1.0, 2.0]}, 1)
    with pytest.raises(InputRejected, match="dictionary has no rows"):
        min_risk(released, people[:0], {}, 1)
    with pytest.raises(InputRejected, match="share no field"):
        min_risk(released, pd.DataFrame({"other": [1]}), {}, 1)
    with pytest.raises(InputRejected, match="dictionary has no rows"):
        min_risk_cells(as_cells([("a", "a", "a")]), encoded(PRODUCT[:0]), {}, 1)
    with pytest.raises(InputRejected, match="share no field"):
        min_risk_cells(as_cells([("a", "a", "a")]), {}, {}, 1)

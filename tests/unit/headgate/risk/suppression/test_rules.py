"""Disclosure rules as matrices: how many there are, that none discloses what is missing, and the risk of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import PublishedCells
from headgate.risk.disclosure.sensitivity import Sensitivity
from headgate.risk.suppression.rules import (
    best_of,
    product_losses,
    product_risk,
    rule_risk,
    rules_in_all,
    rules_per_attribute,
    rules_per_record,
)

SETS = (rules_in_all, rules_per_record, rules_per_attribute)
MOST = (lambda n, m: n * m, lambda n, m: m, lambda n, m: n)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 2), (3, 2), (2, 3), (3, 3)])
def test_there_are_as_many_rules_as_the_paper_says(n: int, m: int) -> None:
    """|Δ1| = C(nm, k), |Δ2| = C(m, k)^n, |Δ3| = C(n, k)^m, none twice."""
    present = np.ones((n, m), dtype=bool)
    counts = (lambda k: math.comb(n * m, k), lambda k: math.comb(m, k) ** n, lambda k: math.comb(n, k) ** m)
    for rules, count, most in zip(SETS, counts, MOST, strict=True):
        for k in range(most(n, m) + 1):
            found = [rule.tobytes() for rule in rules(present, k)]
            assert len(found) == len(set(found)) == count(k)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 3), st.integers(1, 3), st.data())
def test_a_rule_never_discloses_a_missing_cell_and_else_keeps_its_number(n: int, m: int, draw: st.DataObject) -> None:
    present = np.array([[draw.draw(st.booleans()) for _ in range(m)] for _ in range(n)])
    every = [
        np.array([bool(number >> cell & 1) for cell in range(n * m)]).reshape(n, m) & present
        for number in range(2 ** (n * m))
        if not any(number >> cell & 1 and not present.flat[cell] for cell in range(n * m))
    ]
    sums = (lambda one: one.sum(), lambda one: one.sum(axis=1), lambda one: one.sum(axis=0))
    for rules, total, most in zip(SETS, sums, MOST, strict=True):
        k = draw.draw(st.integers(0, most(n, m)))
        wanted = {rule.tobytes() for rule in every if (total(rule) == np.minimum(total(present), k)).all()}
        assert {rule.tobytes() for rule in rules(present, k)} == wanted


@pytest.mark.parametrize("rules", SETS)
def test_more_entries_than_there_are_cells_are_refused(rules: Callable[..., Iterator[Any]]) -> None:
    for k in (-1, 7):
        with pytest.raises(InputRejected, match="Give k from 0 to"):
            next(rules(np.ones((2, 3), dtype=bool), k))


def test_the_best_rule_is_the_first_with_the_least_risk() -> None:
    rules = list(rules_in_all(np.ones((1, 3), dtype=bool), 1))
    risks = iter([0.5, 0.2, 0.2])
    found, risk = best_of(rules, lambda rule: next(risks))
    assert (found.tolist(), risk) == ([[False, True, False]], 0.2)
    with pytest.raises(InputRejected, match="list of rules is empty"):
        best_of([], lambda rule: 0.0)


CELLS = st.sampled_from([None, "a", "b", "c"])
FRAMES = st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=5)


def encoded(rows: list[tuple[Any, ...]]) -> tuple[dict[str, PublishedCells], dict[str, Column]]:
    cells, columns = {}, {}
    for i, name in enumerate("xy"):
        texts = np.array(sorted({row[i] or "" for row in rows}), dtype=object)
        codes = np.array([texts.tolist().index(row[i] or "") for row in rows], dtype=np.int32)
        cells[name] = PublishedCells(codes, texts)
        columns[name] = encode_column(pd.Series([row[i] for row in rows], dtype=object), ColumnSpec(name, Kind.CATEGORY, Role.QUASI))
    return cells, columns


@settings(max_examples=60, deadline=None)
@given(FRAMES, FRAMES, st.data())
def test_the_risk_of_a_rule_is_that_of_what_it_leaves(
    rows: list[tuple[Any, ...]], people: list[tuple[Any, ...]], draw: st.DataObject
) -> None:
    rule = np.array([[draw.draw(st.booleans()) for _ in range(2)] for _ in rows])
    weights = {"x": 0.5, "y": 2.0}
    total = 0.0
    for shown, row in zip(rule, rows, strict=True):
        left = [cell if one else None for one, cell in zip(shown, row, strict=True)]
        consistent = sum(all(a is None or b is None or a == b for a, b in zip(left, person, strict=True)) for person in people)
        phi = math.exp(sum(weight for weight, cell in zip(weights.values(), left, strict=True) if cell is not None))
        total += phi / consistent if consistent else 0.0
    found = rule_risk(rule, encoded(rows)[0], encoded(people)[1], ["x", "y"], Sensitivity.multiplicative(weights))
    assert found == pytest.approx(total / len(rows))


def test_a_rule_of_another_size_is_refused() -> None:
    cells, columns = encoded([("a", "b")])
    for shape in ((2, 2), (1, 1), (0, 2)):
        with pytest.raises(InputRejected, match="does not have the shape of the table"):
            rule_risk(np.ones(shape, dtype=bool), cells, columns, ["x"], Sensitivity.fixed())


def test_nothing_that_nobody_fits_is_a_risk_even_where_disclosure_is_forbidden() -> None:
    """0·∞ = 0; a record that discloses nothing has 1/N."""
    gamma = np.array([[0.0, math.inf], [2.0, math.inf], [2.0, 3.0], [5.0, 5.0]])
    rule = np.array([[True, True], [True, True], [True, True], [False, False]])
    assert product_losses(gamma, rule, 4).tolist() == [0.0, math.inf, 1.5, 0.25]
    assert product_risk(gamma[2:], rule[2:], 4) == 0.875

"""The gate on singling out by all that is published."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Column, Kind, Role, Table
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import PolicyInvalid
from headgate.core.published_form.published_table import publish_form
from policies.gates.figures import TableFigures
from policies.gates.gate import GatedTable
from policies.gates.uniqueness import Uniqueness, foreseen
from policies.gates.verdict import Requirement
from tests.unit.policies.ten_people import GROUPS

GATE = Uniqueness()


def bound(name: str, most: str, attribute: str | None = None) -> Requirement:
    return Requirement(gate="uniqueness", bound=name, required=most, attribute=attribute)


def with_column(table: Table, name: str, cells: list[object], role: str) -> Table:
    spec = ColumnSpec(name, Kind.CATEGORY, Role(role))
    column: Column = encode_column(pd.Series(cells, dtype=object), spec)
    return replace(table, columns={**table.columns, name: column}, **{role: (*getattr(table, role), name)})


@pytest.fixture
def numbered(table: Table) -> Table:
    """With an insurance number, which is declared insensitive."""
    return with_column(table, "insured", [f"A{row}" for row in range(10)], "insensitive")


def test_rows_and_values_are_measured_of_sensitive_and_insensitive_columns(table: Table, numbered: Table) -> None:
    for source, insensitive, more in ((table, (), {}), (numbered, ("insured",), {"insured": 1.0})):
        published = publish_form(source, np.array(GROUPS, dtype=np.int32), "t", source.sensitive, insensitive)
        figures = {(one.figure, one.of): one.value for one in GATE.measure((), GatedTable(published))}
        rows = figures.pop(("uniqueness_rows", ""))
        # the only two equal rows are those of 40 and 41: one group, income 100, school low
        assert rows == pytest.approx(1.0 if more else 0.8)
        # income: 500, 0, 300 and 600 occur once
        expected = {"income": 0.4, "school": 0.0} | more
        assert figures == {("uniqueness_values", name): pytest.approx(value) for name, value in expected.items()}


def test_each_bound_that_is_written_is_required(asked, narrowed, table: Table) -> None:
    def required(text: str) -> list[Requirement]:
        return list(GATE.requirements(asked(f", uniqueness: {text}").gates, table))

    assert required("{rows: 0.05}") == [bound("rows", "0.05")]
    assert required("{values: 0.1}") == [bound("values", "0.1", "income")]
    assert required("{rows: 0, values: {school: 0.2}}") == [bound("rows", "0"), bound("values", "0.2", "school")]
    with pytest.raises(PolicyInvalid, match="without a bound"):
        asked(", uniqueness: {}")
    with pytest.raises(PolicyInvalid, match="which is quasi"):
        asked(", uniqueness: {values: {age: 0.1}}")
    with pytest.raises(PolicyInvalid, match="whose attribute says unique: accepted; accepted: one of the two"):
        narrowed(("income: {", "income: {unique: accepted, "), ("linkability: 0.8", "linkability: 0.8, uniqueness: {values: {income: 1}}"))


@pytest.mark.parametrize("role", ["sensitive", "insensitive"])
def test_a_column_that_is_nearly_unique_is_never_published_unasked(asked, table: Table, role: str) -> None:
    gates = asked().gates
    assert list(GATE.requirements(gates, table)) == []
    for different, required in ((10, True), (9, False)):  # the last two may share a value: 8 of 10 then occur once
        cells = [f"A{min(row, different - 1)}" for row in range(10)]
        found = list(GATE.requirements(gates, with_column(table, "number", cells, role)))
        assert found == ([bound("values", "0.9", "number")] if required else [])
    sparse = with_column(table, "number", ["A", "B", *[None] * 8], role)
    assert list(GATE.requirements(gates, sparse)) == [bound("values", "0.9", "number")]


def test_a_bound_of_the_policy_takes_the_place_of_the_usual_one(asked, table: Table) -> None:
    numbers = replace(table["income"], codes=np.arange(10, dtype=np.int32), values=np.arange(10.0))
    unique = replace(table, columns={**table.columns, "income": numbers})
    assert list(GATE.requirements(asked(", uniqueness: {values: 1}").gates, unique)) == [bound("values", "1", "income")]


def test_insensitive_columns_are_judged_in_their_table(numbered: Table) -> None:
    figures = TableFigures(
        name="table-1",
        sensitive=("income",),
        insensitive=("insured",),
        rows=10,
        groups=3,
        mean_group=10 / 3,
        discernibility=34,
        ncp=0.1,
        measured=(
            {"figure": "uniqueness_rows", "value": 0.8},
            {"figure": "uniqueness_values", "of": "insured", "value": 1.0},
        ),
    )
    required = (bound("rows", "0.9"), bound("values", "0.9", "insured"), bound("values", "0.9", "school"))
    assert [(one.attribute, one.passed) for one in GATE.judge(required, figures)] == [(None, True), ("insured", False)]


def test_what_no_grouping_can_change_is_foreseen(numbered: Table) -> None:
    (verdict,) = foreseen((bound("rows", "0"), bound("values", "0.9", "insured")), numbered, 0)
    assert not verdict.passed
    assert GATE.refusal(verdict) == (
        "In the source, 100 % of the values of insured occur once, so a value is as good as a name; at most 90 % may."
    )
    assert "unique: accepted" in verdict.remedy
    assert [one.passed for one in foreseen((bound("values", "0.3", "income"),), numbered, 2)] == [True]
    assert [one.passed for one in foreseen((bound("values", "0.2", "income"),), numbered, 2)] == [False]


def test_a_refusal_says_how_many_stand_alone(verdict) -> None:
    assert GATE.refusal(verdict(GATE, 0.8, "0.05", bound="rows")) == (
        "In table-1, 80 % of the rows equal no other row in what is published; at most 5 % may."
    )

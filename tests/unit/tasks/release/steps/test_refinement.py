"""Theorem 1, said only where its preconditions hold."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from headgate.core.columns import Table
from headgate.core.errors import Defect
from headgate.core.published_form.published_table import publish_form
from headgate.risk.candidates.consistency import encode_dictionary
from policies.attackers.attacker import attackers_of, threats
from policies.judging.measure import measure_table
from policies.sealed.specs import promise_of
from tasks.reading.dictionaries import Dictionaries
from tasks.reading.identifiers import IdentifierValues
from tasks.reading.registers import Keys
from tasks.release.steps.refinement import DictionaryComparison, bounds
from tests.unit.claimed import claiming
from tests.unit.tasks.release.small_clinic import GROUPS, policy_of, six_people, table_of


@pytest.fixture
def table() -> Table:
    return six_people()


def register(rows: list[tuple[Any, ...]], table: Table) -> tuple[Any, Keys]:
    frame = pd.DataFrame([(*row, None)[:4] for row in rows], columns=["person", "age", "zip", "eye"], dtype=object)
    return encode_dictionary(frame, table.columns, ("age", "zip", "eye")), Keys("person", np.array(frame["person"], dtype=object))


FULL = [("p0", 20, "a"), ("p1", 25, "a"), ("p2", 40, "b"), ("p3", 45, "b"), ("p4", 60, "b"), ("p5", 61, "b")]
GAPS = [("p0", None, "a"), ("p1", 25, None), *FULL[2:]]
STRANGERS = [("s1", 22, "a"), ("s2", 43, None)]


def said(table: Table, kept: list[bool] | None = None, **more: Any) -> list[str]:
    return [sentence.partition(":")[0] for sentence in bounds(comparable(table, kept, **more))]


def comparable(table: Table, kept: list[bool] | None = None, **more: Any) -> DictionaryComparison:
    """With the source and the registers given by name: rows, or rows and what else the policy says of them."""
    given = {name: one if isinstance(one, tuple) else (one, {}) for name, one in more.items()}
    held = {name: register(rows, table) for name, (rows, _) in given.items()}
    listed = [{"name": name, "path": f"{name}.csv", "on": ["age", "zip", "eye"], **also} for name, (_, also) in given.items()]
    policy = policy_of({"max": "99", "dictionaries": [*listed, {"source": True, "name": "everybody"}]})
    encoded = {name: columns for name, (columns, _) in held.items()}
    attackers = attackers_of(policy.gates.disclosure, table, encoded)
    released = np.array(kept or [True] * 6)
    groups = np.where(released, GROUPS, -1)
    published = publish_form(table, groups, "t", table.sensitive)
    identifiers = IdentifierValues({"person": pa.chunked_array([[f"p{row}" for row in range(6)]])})
    return DictionaryComparison(
        attackers=attackers,
        dictionaries=Dictionaries(encoded, {name: keys for name, (_, keys) in held.items()}),
        identifiers=identifiers,
        attributes=tuple(policy.attributes),
        original=table,
        kept=released,
        figures=(measure_table(promise_of(policy, table), published, threats(attackers, published)),),
    )


def test_a_risk_above_its_bound_is_a_defect_of_what_measured_it(table: Table) -> None:
    compared = comparable(table, full=FULL, town=GAPS + STRANGERS)
    (figures,) = compared.figures
    means = figures.each("disclosure_mean")
    with pytest.raises(Defect, match="town is above its bound"):
        list(bounds(replace(compared, figures=(claiming(figures, disclosure_mean={**means, "town": means["full"] + 0.25}),))))


def test_a_register_with_gaps_and_strangers_is_bound_by_the_full_one_and_by_the_source(table: Table) -> None:
    assert said(table, full=FULL, town=GAPS + STRANGERS) == [
        "full bounds town",
        "everybody bounds full",
        "everybody bounds town",
    ]


def test_two_that_say_the_same_bound_each_other(table: Table) -> None:
    assert said(table, one=FULL, two=FULL[::-1])[:2] == ["one bounds two", "two bounds one"]


def test_nothing_is_said_where_a_person_of_the_source_is_not_in_the_register(table: Table) -> None:
    assert said(table, town=FULL[1:]) == []
    assert said(table, full=FULL, town=[*FULL[1:], *STRANGERS]) == ["everybody bounds full"]


def test_nothing_is_said_where_a_cell_contradicts(table: Table) -> None:
    moved = [*FULL[:5], ("p5", 61, "a")]
    assert said(table, town=moved) == []
    assert said(table, one=moved, two=moved) == []  # they agree with each other, but not with the records


def test_nothing_is_said_where_the_bound_contradicts_on_a_field_that_the_other_lacks(table: Table) -> None:
    """Where both of the sixties have moved nobody of `one` fits their records: it sees no risk there, and bounds none."""
    ages = ([(who, age, None) for who, age, _ in FULL], {"on": ["age"]})
    for moved in ([*FULL[:4], ("p4", 60, "a"), FULL[5]], [*FULL[:4], ("p4", 60, "a"), ("p5", 61, "a")]):
        assert said(table, one=moved, ages=ages) == ["everybody bounds ages"]


def test_a_bound_that_knows_more_than_the_source_is_one_too() -> None:
    """The register knows of each of two the cell that the source lacks, another than the other's: {|a} and {|blue} must cover both, or
    nobody of the bound fitted, and its risk was below the other's."""
    rows = [(20, place, "flu", 1.0, "low", None, 0.5) for place in ("a", None, "c", "c", "b", "b")]
    table = table_of(rows, [None, "blue", "grey", "grey", "brown", "brown"])
    others = [("p2", 20, "c", "grey"), ("p3", 20, "c", "grey"), ("p4", 20, "b", "brown"), ("p5", 20, "b", "brown")]
    known = [("p0", 20, "a", "brown"), ("p1", 20, "b", "blue"), *others]
    gaps = [("p0", 20, "a"), ("p1", 20, None, "blue"), *others]
    assert said(table, one=known, two=gaps) == ["one bounds two", "everybody bounds two"]


def test_nothing_is_said_of_people_who_cannot_be_compared(table: Table) -> None:
    strangers = [(f"x{who}", age, place) for who, age, place in FULL]
    assert said(table, town=strangers) == []


def test_who_was_suppressed_need_not_be_in_the_bound(table: Table) -> None:
    """All of the registers' people must be in each other's; of the source's people only those who are released."""
    few = FULL[:4]
    kept = [True, True, True, True, False, False]
    assert said(table, one=few, two=few) == []
    assert said(table, kept, one=few, two=few) == ["one bounds two", "two bounds one"]


def test_a_bound_that_takes_more_texts_for_the_same_is_none(table: Table) -> None:
    loose, tight = {"similar": {"zip": "0.5"}}, {"similar": {"zip": "0.9"}}
    for other in (FULL, (FULL, tight)):
        assert said(table, one=(FULL, loose), two=other) == ["two bounds one", "everybody bounds one", "everybody bounds two"]

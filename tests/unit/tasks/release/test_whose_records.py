"""Whose record is whose, through the shuffle of what is published; and Theorem 1, said only where its preconditions hold."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Table
from headgate.core.encode import encode_table
from headgate.core.errors import Defect
from headgate.core.published import PublishedTable, order_of_rows, publish_form
from headgate.projection.bitmap import bitmap_table
from headgate.risk.candidates.consistency import encode_dictionary
from policies.gates.attackers import OwnWeights, attackers_of, threats
from policies.gates.disclosure_key import DisclosureKey
from policies.judging.measure import measure_table
from policies.schema.loading import parse_policy
from policies.schema.policy import Policy
from policies.sealed.specs import column_specs, promise_of
from tasks.reading.dictionaries import Dictionaries
from tasks.reading.ingest import IdentifierValues
from tasks.reading.registers import Keys
from tasks.release.refinement import bounds
from tasks.release.whose_records import whose_records
from tasks.tables.write import read_published, write_published
from tests.unit.claimed import claiming

TEXT = """\
schema: 1
dataset: clinic
source: {kind: csv, path: clinic.csv}
attributes:
  person: {role: identifier}
  age: {role: quasi, kind: integer, domain: [0, 100]}
  zip: {role: quasi, kind: category}
  eye: {role: quasi, kind: category}
  illness: {role: sensitive, kind: set, values: [flu, gout]}
  income: {role: sensitive, kind: number, domain: [0, 1000]}
  school: {role: sensitive, kind: ordinal, levels: [low, middle, high]}
  born: {role: sensitive, kind: date}
  profile: {role: sensitive, kind: vector, columns: [p1, p2]}
anonymize: {k: 2}
gates: {linkability: 1}
publish: {to: clinic}
"""
CELLS = st.tuples(
    st.sampled_from([None, 20, 25, 40]),
    st.sampled_from([None, "a", "b"]),
    st.sampled_from([None, "|", "flu", "flu|gout"]),
    st.sampled_from([None, 100.5, 0.1, 900.0]),
    st.sampled_from([None, "low", "high"]),
    st.sampled_from([None, "2025-01-02", "1999-12-31"]),
    st.sampled_from([None, 0.25, 0.5]),
)


def table_of(rows: list[tuple[Any, ...]], eyes: list[str | None] | None = None) -> Table:
    frame = pd.DataFrame(rows, columns=["age", "zip", "illness", "income", "school", "born", "p1"], dtype=object)
    frame["p2"] = [None if share is None else 1 - share for share in frame["p1"]]
    frame["eye"] = pd.Series(eyes or [None] * len(rows), dtype=object)
    specs = column_specs(parse_policy(TEXT, "p"))
    return bitmap_table(encode_table(frame, specs), specs)


def published_again(table: Table, groups: Any, folder: Path, seed: int, form: str = "csv") -> tuple[PublishedTable, Any]:
    """What was written, read again; and the note that the writing step makes."""
    promise = promise_of(parse_policy(TEXT, "p"), table)
    published = publish_form(table, np.array(groups), "t", table.sensitive)
    (written,) = write_published(published, folder, (form,), seed)
    note = np.flatnonzero(np.array(groups) >= 0)[order_of_rows(published, seed)]
    return read_published(folder / written.path, promise, "t"), note


def bench_of(table: Table, note: Any) -> Any:
    return SimpleNamespace(people={} if note is None else {"t": note}, table=table)


@settings(max_examples=40, deadline=None)
@given(st.lists(CELLS, min_size=2, max_size=9), st.data(), st.integers(0, 2**100), st.sampled_from(["csv", "parquet"]))
def test_a_note_taken_at_the_shuffle_names_the_row_of_each_record_read_again(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[Any, ...]], draw: st.DataObject, seed: int, form: str
) -> None:
    groups = draw.draw(st.lists(st.integers(-1, 2), min_size=len(rows), max_size=len(rows)))
    groups = (np.unique([-1, *groups], return_inverse=True)[1] - 1)[1:]
    if groups.max() < 0:
        groups = groups + 1
    table = table_of(rows)
    published, note = published_again(table, groups, tmp_path_factory.mktemp("t"), seed, form)
    people = whose_records(bench_of(table, note), published)
    assert people is not None
    assert sorted(people) == np.flatnonzero(groups >= 0).tolist()
    incomes = published.sensitive["income"]
    for record, who in enumerate(people.tolist()):
        code = incomes.codes[record]
        assert (None if code < 0 else incomes.values[code]) == rows[who][3]


@pytest.fixture
def table() -> Table:
    return table_of(
        [(20, "a", "flu", 1.0, "low", "2025-01-01", 0.5), (25, "a", "flu", 2.0, "low", "2025-01-01", 0.5)]
        + [(age, "b", "gout", income, "high", "2025-01-02", 0.25) for age, income in ((40, 3.0), (45, 3.0), (60, 5.0), (61, 3.0))]
    )


GROUPS = [0, 0, 1, 1, 2, 2]


def test_where_nobody_asks_nobody_is_named(table: Table, tmp_path: Path) -> None:
    published, _ = published_again(table, GROUPS, tmp_path, 7)
    assert whose_records(bench_of(table, None), published) is None


def test_a_note_that_was_taken_for_other_rows_is_refused(table: Table, tmp_path: Path) -> None:
    published, note = published_again(table, GROUPS, tmp_path, 7)
    twice = note.copy()
    twice[np.flatnonzero(note == 2)] = 3  # the same sensitive cells, the same group: nothing but the repetition tells
    for other in (note[:-1], np.append(note, 0), twice):
        with pytest.raises(Defect, match="noted for other rows") as caught:
            whose_records(bench_of(table, other), published)
        assert caught.value.cure


@pytest.mark.parametrize(("one", "other"), [(0, 1), (4, 5), (0, 4)])
def test_two_people_with_different_sensitive_values_cannot_be_swapped(table: Table, tmp_path: Path, one: int, other: int) -> None:
    published, note = published_again(table, GROUPS, tmp_path, 7)
    with pytest.raises(Defect, match="not whose they were noted to be"):
        whose_records(bench_of(table, swapped(note, one, other)), published)


def test_nor_two_of_different_groups_though_all_they_hide_is_the_same(table: Table, tmp_path: Path) -> None:
    """Rows 3 and 5 have the same sensitive values; one is 45, in the group of [40..45], the other 61."""
    published, note = published_again(table, GROUPS, tmp_path, 7)
    with pytest.raises(Defect, match="not whose they were noted to be"):
        whose_records(bench_of(table, swapped(note, 3, 5)), published)
    alike = swapped(note, 2, 3)  # same group and cells: nothing that is published tells them apart
    assert whose_records(bench_of(table, alike), published) is alike


def swapped(note: Any, one: int, other: int) -> Any:
    return np.array([{one: other, other: one}.get(who, who) for who in note.tolist()])


def test_each_person_is_weighed_by_their_own_wish_after_the_shuffle(table: Table, tmp_path: Path) -> None:
    policy = policy_of({"max": "99", "sensitivity": {"form": "additive", "weights": {"income": "1"}}})
    own = OwnWeights(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))
    (attacker,) = attackers_of(policy.gates.disclosure, table, {}, own)
    published, note = published_again(table, GROUPS, tmp_path, 12345)
    assert note.tolist() != sorted(note)
    people = whose_records(bench_of(table, note), published)
    assert people is not None
    losses = dict(zip(people.tolist(), attacker.threat(published, people).risk.per_record.tolist(), strict=True))
    assert losses == {row: (row + 1) / 2 for row in range(6)}


# Theorem 1.


def policy_of(gate: dict[str, Any]) -> Policy:
    policy = parse_policy(TEXT, "p")
    return policy.model_copy(update={"gates": policy.gates.model_copy(update={"disclosure": DisclosureKey.model_validate(gate)})})


def register(rows: list[tuple[Any, ...]], table: Table) -> tuple[Any, Keys]:
    frame = pd.DataFrame([(*row, None)[:4] for row in rows], columns=["person", "age", "zip", "eye"], dtype=object)
    return encode_dictionary(frame, table.columns, ("age", "zip", "eye")), Keys("person", np.array(frame["person"], dtype=object))


FULL = [("p0", 20, "a"), ("p1", 25, "a"), ("p2", 40, "b"), ("p3", 45, "b"), ("p4", 60, "b"), ("p5", 61, "b")]
GAPS = [("p0", None, "a"), ("p1", 25, None), *FULL[2:]]
STRANGERS = [("s1", 22, "a"), ("s2", 43, None)]


def said(table: Table, kept: list[bool] | None = None, **more: Any) -> list[str]:
    return [sentence.partition(":")[0] for sentence in bounds(comparable(table, kept, **more))]


def comparable(table: Table, kept: list[bool] | None = None, **more: Any) -> Any:
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
    return SimpleNamespace(
        attackers=attackers,
        dictionaries=Dictionaries(encoded, {name: keys for name, (_, keys) in held.items()}),
        ingested=SimpleNamespace(identifiers=identifiers),
        kept=released,
        original=table,
        loaded=SimpleNamespace(policy=policy),
        figures=(measure_table(promise_of(policy, table), published, threats(attackers, published)),),
    )


def test_a_risk_above_its_bound_is_a_defect_of_what_measured_it(table: Table) -> None:
    bench = comparable(table, full=FULL, town=GAPS + STRANGERS)
    (figures,) = bench.figures
    means = figures.each("disclosure_mean")
    bench.figures = (claiming(figures, disclosure_mean={**means, "town": means["full"] + 0.25}),)
    with pytest.raises(Defect, match="town is above its bound"):
        list(bounds(bench))


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

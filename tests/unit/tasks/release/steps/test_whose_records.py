"""Whose record is whose, through the shuffle of what is published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Table
from headgate.core.errors import Defect
from headgate.core.published_form.published_table import PublishedTable, order_of_rows, publish_form
from policies.attackers.attacker import OwnWeights, attackers_of
from policies.schema.loading import parse_policy
from policies.sealed.specs import promise_of
from tasks.release.steps.whose_records import whose_records
from tasks.tables.read_published import read_published
from tasks.tables.write import write_published
from tests.unit.tasks.release.small_clinic import GROUPS, TEXT, policy_of, six_people, table_of

CELLS = st.tuples(
    st.sampled_from([None, 20, 25, 40]),
    st.sampled_from([None, "a", "b"]),
    st.sampled_from([None, "|", "flu", "flu|gout"]),
    st.sampled_from([None, 100.5, 0.1, 900.0]),
    st.sampled_from([None, "low", "high"]),
    st.sampled_from([None, "2025-01-02", "1999-12-31"]),
    st.sampled_from([None, 0.25, 0.5]),
)


def published_again(table: Table, groups: Any, folder: Path, seed: int, form: str = "csv") -> tuple[PublishedTable, Any]:
    """What was written, read again; and the note that the writing step makes."""
    promise = promise_of(parse_policy(TEXT, "p"), table)
    published = publish_form(table, np.array(groups), "t", table.sensitive)
    (written,) = write_published(published, folder, (form,), seed)
    note = np.flatnonzero(np.array(groups) >= 0)[order_of_rows(published, seed)]
    return read_published(folder / written.path, promise, "t"), note


@pytest.mark.slow
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
    people = whose_records(note, published, table)
    assert people is not None
    assert sorted(people) == np.flatnonzero(groups >= 0).tolist()
    incomes = published.sensitive["income"]
    for record, who in enumerate(people.tolist()):
        code = incomes.codes[record]
        assert (None if code < 0 else incomes.values[code]) == rows[who][3]


@pytest.fixture
def table() -> Table:
    return six_people()


def test_where_nobody_asks_nobody_is_named(table: Table, tmp_path: Path) -> None:
    published, _ = published_again(table, GROUPS, tmp_path, 7)
    assert whose_records(None, published, table) is None


def test_a_note_that_was_taken_for_other_rows_is_refused(table: Table, tmp_path: Path) -> None:
    published, note = published_again(table, GROUPS, tmp_path, 7)
    twice = note.copy()
    twice[np.flatnonzero(note == 2)] = 3  # the same sensitive cells, the same group: nothing but the repetition tells
    for other in (note[:-1], np.append(note, 0), twice):
        with pytest.raises(Defect, match="noted for other rows") as caught:
            whose_records(other, published, table)
        assert caught.value.cure


@pytest.mark.parametrize(("one", "other"), [(0, 1), (4, 5), (0, 4)])
def test_two_people_with_different_sensitive_values_cannot_be_swapped(table: Table, tmp_path: Path, one: int, other: int) -> None:
    published, note = published_again(table, GROUPS, tmp_path, 7)
    with pytest.raises(Defect, match="not whose they were noted to be"):
        whose_records(swapped(note, one, other), published, table)


def test_nor_two_of_different_groups_though_all_they_hide_is_the_same(table: Table, tmp_path: Path) -> None:
    """Rows 3 and 5 have the same sensitive values; one is 45, in the group of [40..45], the other 61."""
    published, note = published_again(table, GROUPS, tmp_path, 7)
    with pytest.raises(Defect, match="not whose they were noted to be"):
        whose_records(swapped(note, 3, 5), published, table)
    alike = swapped(note, 2, 3)  # same group and cells: nothing that is published tells them apart
    assert whose_records(alike, published, table) is alike


def swapped(note: Any, one: int, other: int) -> Any:
    return np.array([{one: other, other: one}.get(who, who) for who in note.tolist()])


def test_each_person_is_weighed_by_their_own_wish_after_the_shuffle(table: Table, tmp_path: Path) -> None:
    policy = policy_of({"max": "99", "sensitivity": {"form": "additive", "weights": {"income": "1"}}})
    own = OwnWeights(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))
    (attacker,) = attackers_of(policy.gates.disclosure, table, {}, own)
    published, note = published_again(table, GROUPS, tmp_path, 12345)
    assert note.tolist() != sorted(note)
    people = whose_records(note, published, table)
    assert people is not None
    losses = dict(zip(people.tolist(), attacker.threat(published, people).risk.per_record.tolist(), strict=True))
    assert losses == {row: (row + 1) / 2 for row in range(6)}

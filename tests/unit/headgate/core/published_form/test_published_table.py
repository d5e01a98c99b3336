"""The published form: made from a partition, written as a frame, read again."""

from __future__ import annotations

import hashlib
import io

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role, Table
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import (
    PublishedTable,
    frames_of_parts,
    from_frame,
    keyed_order,
    publish_form,
    to_frame,
)

SPECS = {
    spec.name: spec
    for spec in [
        ColumnSpec("age", Kind.INTEGER, Role.QUASI),
        ColumnSpec("town", Kind.CATEGORY, Role.QUASI),
        ColumnSpec("income", Kind.NUMBER, Role.SENSITIVE),
        ColumnSpec("visits", Kind.INTEGER, Role.SENSITIVE),
        ColumnSpec("seen", Kind.DATE, Role.SENSITIVE),
        ColumnSpec("drugs", Kind.SET, Role.SENSITIVE),
        ColumnSpec("profile", Kind.VECTOR, Role.SENSITIVE, components=("p1", "p2"), metric="lp"),
        ColumnSpec("note", Kind.CATEGORY, Role.INSENSITIVE),
    ]
}
FRAME = pd.DataFrame(
    {
        "age": [20, 25, 30, 35, 40, 45],
        "town": ["Rome", None, "Rome", "Rome", "a|b", "Lyon"],
        "income": [1.5, np.nan, 3, 4, 5, 6],
        "visits": [1, 2, None, 4, 5, 6],
        "seen": ["2025-01-01", None, "2025-02-03", "2025-01-01", "2024-01-01", "2024-01-01"],
        "drugs": [["x", "y"], [], None, ["x"], ["y"], ["y"]],
        "p1": [0.5, 0.25, np.nan, 1, 0, 0],
        "p2": [0.5, 0.75, np.nan, 0, 1, 1],
        "note": ["n1", "n2", None, "n4", "n5", "n6"],
    }
)
GROUPS = np.array([1, 1, 0, 0, -1, -1])
SENSITIVE = ("income", "visits", "seen", "drugs", "profile")


@pytest.fixture
def table() -> Table:
    return encode_table(FRAME, SPECS)


@pytest.fixture
def published(table: Table) -> PublishedTable:
    return publish_form(table, GROUPS, "one", SENSITIVE, ("note",))


def test_suppressed_rows_are_not_published(published: PublishedTable) -> None:
    assert published.rows == 4
    assert published.groups == 2
    assert [published.cells["age"].texts[code] for code in published.cells["age"].codes] == ["[20..25]"] * 2 + ["[30..35]"] * 2
    assert sorted(published.cells["town"].texts.tolist()) == ["Rome", "{|Rome}"]


def test_a_written_table_reads_again_as_the_same_table(published: PublishedTable) -> None:
    frame = to_frame(published, 7)
    text = io.StringIO(frame.to_csv(index=False))
    for again in (frame, pd.read_csv(text, dtype=str, keep_default_na=False)):
        read = from_frame(again, "one", ["age", "town"], {name: SPECS[name] for name in SENSITIVE}, {"note": SPECS["note"]})
        assert rows_of(read) == rows_of(published)


def rows_of(published: PublishedTable) -> list[tuple[object, ...]]:
    out = []
    for row in range(published.rows):
        cells = [one.texts[one.codes[row]] for one in published.cells.values()]
        for column in (*published.sensitive.values(), *published.insensitive.values()):
            code = column.codes[row]
            value = None if code < 0 else column.values[code]
            cells.append(tuple(value.tolist()) if isinstance(value, np.ndarray) else value)
        mates = np.flatnonzero(published.group == published.group[row])
        cells.append(len(mates))
        out.append(tuple(cells))
    return sorted(out, key=repr)


def test_a_missing_set_and_the_empty_set_stay_apart_in_the_file(published: PublishedTable) -> None:
    frame = to_frame(published, 7)
    assert sorted(frame["drugs"].dropna()) == ["x", "x|y", "|"]
    assert frame["drugs"].isna().sum() == 1


def test_columns_are_plain_and_carry_no_index(published: PublishedTable) -> None:
    frame = to_frame(published, 7)
    assert isinstance(frame.index, pd.RangeIndex)
    assert frame.columns.tolist() == ["age", "town", "income", "visits", "seen", "drugs", "p1", "p2", "note", "group"]
    assert {str(dtype) for dtype in frame.dtypes} <= {"object", "str", "float64", "Int64", "int64"}
    assert not any(isinstance(dtype, pd.CategoricalDtype) for dtype in frame.dtypes)
    assert sorted(frame["group"].unique()) == [1, 2]


def test_the_order_and_group_numbers_come_from_the_seed_alone(table: Table) -> None:
    many = publish_form(
        Table(
            {name: column.take(np.zeros(200, dtype=int)) for name, column in table.columns.items()}, table.quasi, table.sensitive, ("note",)
        ),
        np.arange(200) // 2,
        "many",
        ("income",),
    )
    assert to_frame(many, 1).equals(to_frame(many, 1))
    one, other = to_frame(many, 1)["group"].tolist(), to_frame(many, 2)["group"].tolist()
    assert one != other
    assert sorted(one) == sorted(other) == sorted([*range(1, 101)] * 2)


def numbered(rows: int) -> PublishedTable:
    """Pairs of rows in which `visits` says where a row stood before it was published."""
    frame = pd.DataFrame({"age": np.arange(rows) // 2, "visits": np.arange(rows)})
    specs = {"age": SPECS["age"], "visits": SPECS["visits"]}
    return publish_form(encode_table(frame, specs), np.arange(rows) // 2, "numbered", ("visits",))


def test_rows_leave_in_an_order_that_has_nothing_to_do_with_the_source() -> None:
    places = to_frame(numbered(400), 3)["visits"].to_numpy(dtype=np.int64)
    assert sorted(places) == list(range(400))
    assert (places == np.arange(400)).sum() < 20
    assert abs(np.corrcoef(places, np.arange(400))[0, 1]) < 0.3


def test_a_group_number_says_nothing_of_the_group() -> None:
    one, other = (to_frame(numbered(400), seed).sort_values("visits")["group"].to_numpy()[::2] for seed in (1, 2))
    for numbers in (one, other):
        assert sorted(numbers) == list(range(1, 201))
        assert abs(np.corrcoef(numbers, np.arange(200))[0, 1]) < 0.3
    assert (one == other).sum() < 20


def test_groups_with_equal_published_values_are_one_class_in_the_second_reading(table: Table) -> None:
    same = publish_form(table.take(np.array([0, 0, 0, 0])), np.array([0, 0, 1, 1]), "one", ("income",))
    by_group, by_values = same.classes()
    assert by_group.tolist() == [0, 0, 1, 1]
    assert by_values.tolist() == [0, 0, 0, 0]
    different = publish_form(table, GROUPS, "one", ("income",))
    assert len(different.classes()) == 1


def test_codes_of_a_table_from_which_nobody_is_suppressed_are_not_copied(table: Table) -> None:
    """Previously all of them were, twice: of ten million rows 800 MB."""
    groups = np.maximum(GROUPS, 0).astype(np.int32)
    published = publish_form(table, groups, "one", SENSITIVE, ("note",))
    assert published.rows == table.rows
    for name, column in (published.sensitive | published.insensitive).items():
        assert np.shares_memory(column.codes, table[name].codes)
    assert table.kept(groups >= 0) is table
    some = table.kept(GROUPS >= 0)
    assert (some.rows, some["income"].codes.tolist()) == (np.count_nonzero(GROUPS >= 0), table["income"].codes[GROUPS >= 0].tolist())


def test_a_release_without_groups_is_refused(table: Table) -> None:
    with pytest.raises(InputRejected, match="without groups"):
        publish_form(table, np.full(6, -1), "one", ("income",))


def test_a_column_named_group_is_refused() -> None:
    specs = {"age": SPECS["age"], "group": ColumnSpec("group", Kind.CATEGORY, Role.SENSITIVE)}
    table = encode_table(pd.DataFrame({"age": [1, 2], "group": ["a", "b"]}), specs)
    with pytest.raises(InputRejected, match="named 'group'"):
        to_frame(publish_form(table, np.zeros(2, dtype=int), "one", ("group",)), 1)


@pytest.mark.parametrize("lost", ["age", "income", "p2", "group"])
def test_a_file_that_lacks_a_column_is_refused(published: PublishedTable, lost: str) -> None:
    frame = to_frame(published, 1).drop(columns=lost)
    with pytest.raises(InputRejected, match=lost):
        from_frame(frame, "one", ["age", "town"], {name: SPECS[name] for name in SENSITIVE})


def test_a_row_without_a_group_number_is_refused(published: PublishedTable) -> None:
    frame = to_frame(published, 1).astype({"group": object})
    frame.loc[2, "group"] = None
    with pytest.raises(InputRejected, match="without a group number"):
        from_frame(frame, "one", ["age"], {})


def test_without_group_numbers_rows_are_grouped_by_their_published_values(published: PublishedTable) -> None:
    read = from_frame(to_frame(published, 1).drop(columns="group"), "one", ["age", "town"], {}, group=None)
    assert sorted(np.bincount(read.group).tolist()) == [2, 2]
    assert len(read.classes()) == 1


@pytest.mark.parametrize("size", [0, 1, 2, 1000, 65_535, 65_536, 200_000])
def test_an_order_in_two_phases_is_the_order_of_the_keyed_hash(size: int) -> None:
    hashes = np.frombuffer(hashlib.shake_256(b"headgate key").digest(8 * size), dtype="<u8")
    order = keyed_order(size, "key")
    assert sorted(order.tolist()) == list(range(size))
    assert (np.diff(hashes[order].astype(object)) > 0).all()
    assert size < 3 or order.tolist() != keyed_order(size, "another key").tolist()


def test_rows_of_neighbours_are_dealt_out_to_parts_evenly() -> None:
    """Neither the place of a row in the source nor its group says anything of its part: 2,000 rows of one group, in four parts of 2,000."""
    order = keyed_order(8000, "key")
    here = [int((part < 2000).sum()) for part in np.split(order, 4)]
    assert sum(here) == 2000
    assert all(400 < rows < 600 for rows in here)  # 500 expected, standard deviation 17


def test_parts_one_after_the_other_are_the_whole_table(table: Table) -> None:
    many = publish_form(table, np.array([0, 0, 0, 1, 1, 1]), "one", ("income", "visits", "seen", "drugs", "profile"), ("note",))
    frames = list(frames_of_parts(many, 1, (1, 2, 3)))
    assert [len(frame) for frame in frames] == [1, 2, 3]
    whole = to_frame(many, 1)
    assert [[list(row) for row in frame.to_numpy(dtype=object, na_value=None)] for frame in frames] == [
        [list(row) for row in rows.to_numpy(dtype=object, na_value=None)] for rows in (whole[:1], whole[1:3], whole[3:])
    ]
    assert {tuple(map(str, frame.dtypes)) for frame in frames} == {tuple(map(str, whole.dtypes))}

"""Step 6, its beginning: what is in the files, whose order tells nothing, and what is known of their bytes."""

from __future__ import annotations

import csv
import hashlib
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from policies.ledger.events import TableAnonymized
from tasks.release.steps.anonymize_tables import Agreed, anonymize_table, regroup_tables
from tasks.release.steps.choose_plan import insensitive_of, sensitive_of
from tasks.release.steps.whose_records import whose_records
from tasks.release.steps.write_tables import write_table
from tasks.tables.read_published import read_published
from tests.unit.tasks.release.finished import Made, finish


@pytest.fixture
def own(finished: Made, tmp_path: Any) -> Made:
    """The same release with a folder of its own to write into."""
    return replace(finished, run=replace(finished.run, stage=tmp_path))


def rows_of(made: Made, path: str) -> list[dict[str, str]]:
    with (made.run.stage / path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_table_holds_every_row_that_was_released_and_its_own_columns(finished: Made, clinic: Any) -> None:
    for written in finished.written:
        rows = rows_of(finished, written.files[0].path)
        sensitive, insensitive = (of(finished.run, finished.planned, written.table) for of in (sensitive_of, insensitive_of))
        assert set(rows[0]) == {"age", "sex", "region", "admitted", *sensitive, *insensitive, "group"}
        assert len(rows) == written.released == 60
    educations = Counter(row["education"] for row in rows_of(finished, finished.written[1].files[0].path))
    assert educations == Counter(row["education"] for row in clinic.rows)


def test_groups_in_the_file_are_those_of_the_partition_under_other_numbers(finished: Made) -> None:
    for written, grouped in zip(finished.written, finished.grouped, strict=True):
        partition = finished.run.spool.get(grouped.partition)
        sizes = sorted(Counter(row["group"] for row in rows_of(finished, written.files[0].path)).values())
        assert sizes == sorted(np.bincount(partition.groups).tolist())
        assert min(sizes) >= 6


def test_the_digest_of_each_file_is_pinned_and_the_cells_are_kept_as_read_back(finished: Made) -> None:
    for written in finished.written:
        assert [file.format for file in written.files] == ["csv", "parquet"]
        for file in written.files:
            content = (finished.run.stage / file.path).read_bytes()
            assert (file.sha256, file.bytes) == (hashlib.sha256(content).hexdigest(), len(content))
        read = finished.run.spool.get(written.read)
        assert read.differing == (False,)
        assert read.frame["age"].tolist() == [row["age"] for row in rows_of(finished, written.files[0].path)]


def test_the_ledger_hears_the_number_of_the_table_and_counts(finished: Made) -> None:
    """Published events told the risk of the grouping, which was made with bounds that suppressed people had a part in."""
    for number, (written, gated) in enumerate(zip(finished.written, finished.gated, strict=True), 1):
        assert written.happened.kind is TableAnonymized
        assert written.happened.payload == {"table": number, "groups": gated.groups, "suppressed": 0, "reached": True}


def test_two_writings_of_one_release_have_their_rows_in_different_orders(own: Made, finished: Made) -> None:
    """The order is drawn apart from the run's seed, so that whoever learns the seed cannot undo it."""
    again = write_table(own.run, own.transformed, own.planned, own.agreed, own.grouped[1])
    first, second = (rows_of(made, again.files[0].path) for made in (finished, own))
    shown = [[(row["age"], row["income"]) for row in rows] for rows in (first, second)]
    assert shown[0] != shown[1]
    assert sorted(shown[0]) == sorted(shown[1])


def test_a_suppressed_row_is_in_no_file(own: Made) -> None:
    kept = np.ones(60, dtype=bool)
    kept[[3, 8]] = False
    agreed = Agreed(own.run.spool.put(kept), 2)
    grouped = anonymize_table(own.run, own.planned, agreed, regroup_tables(own.run, own.planned, agreed), "table-2")
    written = write_table(own.run, own.transformed, own.planned, agreed, grouped)
    rows = rows_of(own, written.files[0].path)
    assert len(rows) == written.released == 58
    assert written.happened.payload["suppressed"] == 2
    column = own.encoded.table["income"]
    values = Counter("" if code < 0 else f"{column.values[code]:g}" for code in column.codes[kept])
    assert Counter("" if row["income"] == "" else f"{float(row['income']):g}" for row in rows) == values


def test_whose_record_is_whose_is_noted_only_where_somebody_asks(finished: Made, begin, clinic) -> None:
    """People with an identifier are asked for by the next version."""
    assert [written.people is None for written in finished.written] == [False, False]
    clinic.policy["attributes"]["patient_id"] = {"role": "dropped"}
    assert [written.people for written in finish(begin()).written] == [None, None]


def test_people_keep_their_own_wishes_through_a_release(begin, clinic):
    wishes = {row["patient_id"]: place for place, row in enumerate(clinic.rows)}
    lines = [f"{who},{wish}" for who, wish in sorted(wishes.items(), reverse=True)]
    (clinic.folder / "people.csv").write_text("\n".join(["patient_id,all", *lines]) + "\n")
    cost = {"form": "additive", "weights": {"age": 1, "education": 1}, "people": {"path": "people.csv", "key": "patient_id"}}
    made = finish(begin(sensitivity=cost, dictionaries=[{"source": True, "on": ["sex"]}]))
    (attacker,) = made.encoded.attackers
    for written in made.written:
        published = read_published(made.run.stage / written.files[0].path, made.encoded.promise, written.table)
        people = whose_records(made.run.spool.get(written.people), published, made.encoded.table)
        assert sorted(people) == list(range(60))
        found = attacker.threat(published, people).risk
        here = "education" in published.sensitive
        for record, who in enumerate(people.tolist()):
            shown = str(published.cells["age"].texts[published.cells["age"].codes[record]]) not in ("", "*")
            shown += here and made.encoded.table["education"].codes[who] >= 0
            assert found.per_record[record] * found.consistent[record] == pytest.approx(who * shown)

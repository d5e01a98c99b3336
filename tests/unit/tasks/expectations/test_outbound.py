"""What was written, read again: each way in which it may betray somebody fails the expectation that is meant for it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from headgate.core.published_form.bounds import with_bounds
from headgate.core.published_form.published_table import publish_form
from policies.sealed.promise import Promise, QuasiIdentifier
from policies.sealed.specs import domains_of
from tasks.expectations.outbound import DeclaredTable, expect_outbound, withheld_columns
from tasks.expectations.running import failures, refuse_failed_outbound
from tasks.reading.ingest import ingest
from tasks.tables.read_published import read_back
from tasks.tables.write import WrittenFile, write_published

NOTHING = Promise(requirements=(), quasi=(), sensitive=())
SENSITIVE, INSENSITIVE = ("income", "education"), ("zip", "diagnosis")


@pytest.fixture
def released(clinic):
    """Sixty people in six groups of ten, written in both formats."""
    clinic.policy["attributes"]["diagnosis"] |= {"role": "insensitive"}
    del clinic.policy["attributes"]["diagnosis"]["nonsensitive"]
    loaded = clinic.load()
    found = ingest(loaded)
    table = publish_form(found.table, np.arange(60, dtype=np.int32) // 10, "main", SENSITIVE, INSENSITIVE)
    files = [clinic.folder / file.path for file in write_published(table, clinic.folder, seed=1)]
    declared = DeclaredTable(
        "main",
        found.table,
        SENSITIVE,
        INSENSITIVE,
        withheld_columns(loaded.policy),
        found.identifiers,
        60,
        10,
        NOTHING,
    )
    return files, declared


def looked_at(files, declared):
    folder = files[0].parents[1]
    written = [WrittenFile("main", path.suffix[1:], str(path.relative_to(folder)), 60) for path in files]
    return expect_outbound(read_back(folder, written)[0], declared)


def rewrite(files, change):
    """Changes the CSV's cells and writes both formats again."""
    frame = change(pd.read_csv(files[0], dtype="str", keep_default_na=False))
    frame.to_csv(files[0], index=False, lineterminator="\n")
    frame.to_parquet(files[1], index=False)


def put(column, value):
    return lambda frame: frame.assign(**{column: frame[column].where(frame.index != 7, value)})


def failed_types(files, declared):
    return {(outcome.type, outcome.column) for outcome in failures(looked_at(files, declared))}


def test_a_table_as_it_was_written_meets_every_expectation(released):
    files, declared = released
    outcomes = looked_at(files, declared)
    assert not failures(outcomes)
    assert {outcome.column for outcome in outcomes} >= {"age", "sex", "region", "admitted", "income", "education", "zip", "diagnosis"}
    refuse_failed_outbound(outcomes, "main")


CELLS, KNOWN, IDENTIFIER = (
    f"expect_column_cells_to_{rest}" for rest in ("be_generalized_as_declared", "be_known_values", "hold_no_identifier")
)
BETRAYALS = [
    ("age", "[20..111]", {(CELLS, "age")}),
    ("age", "[30..20]", {(CELLS, "age")}),
    ("age", "5", {(CELLS, "age")}),
    ("age", "", {(CELLS, "age")}),
    ("age", "CANARY-7f3a-0003", {(CELLS, "age"), (IDENTIFIER, "age")}),
    ("age", "{20|21}", {(CELLS, "age")}),
    ("sex", "{female|other}", {(CELLS, "sex")}),
    ("sex", "{male|female}", {(CELLS, "sex")}),
    ("sex", "{female", {(CELLS, "sex")}),
    ("region", "east", {(CELLS, "region")}),
    ("region", "{north-a|north-b}", {(CELLS, "region")}),
    ("admitted", "2024-02-30", {(CELLS, "admitted")}),
    ("admitted", "2023", {(CELLS, "admitted")}),
    ("admitted", "2024-01-31", {(CELLS, "admitted")}),
    ("income", "7", {(KNOWN, "income")}),
    ("education", "CANARY-phd", {(KNOWN, "education")}),
    ("education", "", {(KNOWN, "education")}),
    ("zip", "CANARY-7f3a-0003", {(KNOWN, "zip"), (IDENTIFIER, "zip")}),
    ("diagnosis", "flu|CANARY-7f3a-0003", {(KNOWN, "diagnosis"), (IDENTIFIER, "diagnosis")}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("column", "value", "failed"), BETRAYALS)
def test_one_cell_that_should_not_be_there_is_found(released, refusal, column, value, failed):
    files, declared = released
    rewrite(files, put(column, value))
    assert failed_types(files, declared) == failed
    problem = refusal(lambda: refuse_failed_outbound(looked_at(files, declared), "main"), 3)
    assert column in str(problem)


def test_columns_rows_and_groups_are_what_was_declared(released):
    files, declared = released
    whole = pd.read_csv(files[0], dtype="str", keep_default_na=False)
    rewrite(files, lambda frame: frame.assign(patient_id="x"))
    assert failed_types(files, declared) >= {
        ("expect_table_columns_to_match_ordered_list", None),
        ("expect_table_columns_to_be_absent", None),
    }
    rewrite(files, lambda _frame: whole.assign(notes="x")[["notes", *whole.columns]])
    assert ("expect_table_columns_to_be_absent", None) in failed_types(files, declared)
    rewrite(files, lambda _frame: whole.drop(columns="zip"))
    assert ("expect_column_cells_to_be_known_values", "zip") in failed_types(files, declared)
    rewrite(files, lambda _frame: whole.iloc[1:])
    assert failed_types(files, declared) == {("expect_table_row_count_to_equal", None), ("expect_group_size_to_be_at_least", "group")}
    rewrite(files, lambda _frame: put("group", "99")(whole))
    assert failed_types(files, declared) == {("expect_group_size_to_be_at_least", "group")}
    rewrite(files, lambda _frame: put("group", "")(whole))
    assert ("expect_column_values_to_not_be_null", "group") in failed_types(files, declared)


def test_formats_that_tell_different_things_are_refused(released):
    files, declared = released
    whole = pd.read_csv(files[0], dtype="str", keep_default_na=False)
    other = whole["education"].where(whole.index != 7, "primary" if whole["education"][7] != "primary" else "tertiary")
    whole.assign(education=other).to_csv(files[0], index=False)
    assert failed_types(files, declared) == {("expect_formats_to_hold_the_same_cells", None)}


def test_an_age_or_a_group_number_that_is_also_somebodys_identifier_is_no_leak(clinic, write_csv):
    order = np.random.default_rng(11).permutation(60)
    for place, row in enumerate(clinic.rows):
        row["patient_id"] = str(order[place])
    clinic.write_source(write_csv(clinic.rows).encode())
    loaded = clinic.load()
    found = ingest(loaded)
    groups = np.arange(60, dtype=np.int32) % 20  # people of one age: a bare number is published
    table = publish_form(found.table, groups, "main", SENSITIVE)
    files = [clinic.folder / file.path for file in write_published(table, clinic.folder, seed=1)]
    declared = DeclaredTable(
        "main",
        found.table,
        SENSITIVE,
        (),
        withheld_columns(loaded.policy),
        found.identifiers,
        60,
        3,
        NOTHING,
    )
    assert not failures(looked_at(files, declared))


def test_published_ends_are_those_of_the_cells_beside_them(clinic):
    loaded = clinic.load()
    found = ingest(loaded)
    quasi = (
        QuasiIdentifier(name="age", kind="integer", domain=(0, 110), bounds=("age low", "age high")),
        QuasiIdentifier(name="admitted", kind="date", domain=(19723, 20088), bounds=("from", "to")),
    )
    promise = Promise(requirements=(), quasi=quasi, sensitive=())
    table = publish_form(found.table, np.arange(60, dtype=np.int32) // 10, "main", ("income",))
    table = with_bounds(table, {each.name: each.bounds for each in quasi}, domains_of(promise))
    files = [clinic.folder / file.path for file in write_published(table, clinic.folder, seed=1)]
    declared = DeclaredTable("main", found.table, ("income",), (), withheld_columns(loaded.policy), found.identifiers, 60, 10, promise)
    assert not failures(looked_at(files, declared))
    assert declared.columns()[:3] == ["age", "age low", "age high"]
    hidden = replace(declared, promise=NOTHING)
    assert failed_types(files, hidden) == {("expect_table_columns_to_match_ordered_list", None)}
    rewrite(files, put("from", "2024-01-02"))
    assert failed_types(files, declared) == {("expect_ends_to_be_those_of_the_cell", "admitted")}

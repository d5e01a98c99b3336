"""Expectations before anything is done, and on what was written. Verdicts only: no value in an outcome, a message or a file."""

from __future__ import annotations

import dataclasses
import json
import re

import numpy as np
import pandas as pd
import pytest

from headgate.core.errors import PolicyInvalid
from tasks.expectations.inbound import expect_inbound
from tasks.expectations.running import (
    ExpectationOutcome,
    failures,
    import_great_expectations,
    refuse_failed_inbound,
)
from tasks.reading.ingest import ingest


@pytest.fixture(scope="module", autouse=True)
def _imported():
    import_great_expectations()


def types_of(outcomes):
    return {(outcome.type, outcome.column) for outcome in outcomes}


def test_the_suite_that_follows_from_the_policy_holds_on_a_source_that_was_let_in(clinic):
    clinic.policy["expect"] = {"rows": {"min": 50, "max": 70, "change": 0.1}, "missing": {"income": 0.2, "age": 0}}
    loaded = clinic.load()
    outcomes = expect_inbound(loaded, ingest(loaded), previous_rows=58)
    assert not failures(outcomes)
    found = types_of(outcomes)
    for wanted in [
        ("expect_table_columns_to_match_set", None),
        ("expect_table_row_count_to_be_between", None),
        ("expect_column_values_to_be_unique", "patient_id"),
        ("expect_column_values_to_not_be_null", "patient_id"),
        ("expect_column_values_to_not_be_null", "income"),
        ("expect_column_values_to_be_between", "age"),
        ("expect_column_numbers_to_be_whole", "age"),
        ("expect_column_values_to_be_between", "admitted"),
        ("expect_column_values_to_be_in_set", "region"),
        ("expect_column_values_to_be_in_set", "education"),
        ("expect_column_set_members_to_be_declared", "diagnosis"),
    ]:
        assert wanted in found
    assert not any(column == "notes" for _type, column in found)


class Spoilt:
    """Cells that were changed after they were let in."""

    def __init__(self, frame):
        self.rows, self.columns, self.frame = len(frame), tuple(frame.columns), lambda columns: frame[list(columns)]


def whole(found):
    return found.cells.frame(found.cells.columns)


def spoilt(frame, column, value):
    out = frame.copy()
    out[column] = out[column].where(out.index != 7, value)
    return out


SPOILT = [
    ("patient_id", None, "expect_column_values_to_not_be_null"),
    ("patient_id", "CANARY-7f3a-0008", "expect_column_values_to_be_unique"),
    ("age", 111.0, "expect_column_values_to_be_between"),
    ("age", 20.5, "expect_column_numbers_to_be_whole"),
    ("admitted", pd.Timestamp("2025-01-01"), "expect_column_values_to_be_between"),
    ("region", "CANARY-isle", "expect_column_values_to_be_in_set"),
    ("education", "CANARY-phd", "expect_column_values_to_be_in_set"),
    ("diagnosis", "flu|CANARY", "expect_column_set_members_to_be_declared"),
    ("income", -0.01, "expect_column_values_to_be_between"),
    ("age", np.nan, "expect_column_values_to_not_be_null"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("column", "value", "failed"), SPOILT)
def test_each_rule_of_the_policy_fails_alone_when_its_column_breaks_it(clinic, refusal, column, value, failed):
    """The frame is spoilt after it was let in, since ingestion refuses most of these first."""
    clinic.policy["expect"] = {"missing": {"age": 0}}
    loaded = clinic.load()
    found = ingest(loaded)
    found = dataclasses.replace(found, cells=Spoilt(spoilt(whole(found), column, value)))
    outcomes = expect_inbound(loaded, found)
    assert types_of(failures(outcomes)) == {(failed, column)}
    problem = refusal(lambda: refuse_failed_inbound(outcomes))
    assert f"{failed} on '{column}'" in problem.message
    assert "CANARY" not in repr(outcomes)


def test_a_declared_value_with_blanks_around_it_is_expected_without_them(clinic):
    """The cells that expectations look at have no blanks around them; the declared values had, so the very value declared failed."""
    clinic.policy["attributes"]["sex"]["values"] = ["female ", "male"]
    clinic.write_source(clinic.source.read_bytes().replace(b"female", b"female "))
    loaded = clinic.load()
    assert not failures(expect_inbound(loaded, ingest(loaded)))


def test_a_column_too_many_a_type_and_the_row_counts_are_seen(clinic):
    clinic.policy["expect"] = {"rows": {"change": 0.1}}
    loaded = clinic.load()
    found = ingest(loaded)
    more = whole(found).assign(extra=1)
    more["age"] = more["age"].astype("int64").astype("str")
    failed = failures(expect_inbound(loaded, dataclasses.replace(found, cells=Spoilt(more)), previous_rows=40))
    assert ("expect_table_columns_to_match_set", None) in types_of(failed)
    assert ("expect_table_row_count_to_be_between", None) in types_of(failed)
    assert ("expect_column_values_to_be_of_type", "age") in types_of(failed)


@pytest.mark.parametrize(("previous", "holds"), [(67, False), (66, True), (55, True), (54, False), (None, True)])
def test_the_row_count_may_change_by_the_declared_share_inclusive(clinic, previous, holds):
    """60 rows, a tenth: 66·0.9 = 59.4 ≤ 60, 67·0.9 = 60.3 > 60; 55·1.1 = 60.5 ≥ 60, 54·1.1 = 59.4 < 60."""
    clinic.policy["expect"] = {"rows": {"change": 0.1}}
    loaded = clinic.load()
    assert (not failures(expect_inbound(loaded, ingest(loaded), previous))) is holds


def test_the_missing_share_is_inclusive(clinic):
    missing = sum(row["income"] == "" for row in clinic.rows)
    assert missing == 7
    for share, holds in (("0.1167", True), ("0.1166", False)):
        clinic.policy["expect"] = {"missing": {"income": float(share)}}
        loaded = clinic.load()
        assert (not failures(expect_inbound(loaded, ingest(loaded)))) is holds


def steward(clinic, *expectations):
    (clinic.folder / "suite.json").write_text(json.dumps({"name": "mine", "expectations": list(expectations), "meta": {}}))
    clinic.policy["expect"] = {"suite": "suite.json"}
    loaded = clinic.load()
    return expect_inbound(loaded, ingest(loaded))


def test_the_stewards_own_suite_runs_beside_it(clinic):
    outcomes = steward(
        clinic,
        {
            "type": "expect_column_values_to_match_regex",
            "kwargs": {"column": "patient_id", "regex": "^CANARY-7f3a-[0-9]+$"},
            "meta": {"note": "x"},
        },
        {
            "type": "expect_column_values_to_be_between",
            "kwargs": {"column": "admitted", "min_value": "2024-01-01", "max_value": "2024-12-31"},
        },
        {"type": "expect_column_mean_to_be_between", "kwargs": {"column": "income", "min_value": 1e9}},
    )
    assert [outcome.success for outcome in outcomes[-3:]] == [True, True, False]
    assert failures(outcomes) == (ExpectationOutcome("expect_column_mean_to_be_between", "income", False),)


REFUSED = [
    ({"type": "expect_columm_to_exist", "kwargs": {"column": "age"}}, "did you mean expect_column_to_exist?"),
    ({"type": "unexpected_rows_expectation", "kwargs": {"unexpected_rows_query": "DROP TABLE x"}}, "Accepted"),
    ({"type": "expect_group_size_to_be_at_least", "kwargs": {"search": 1}}, "Accepted"),
    ({"type": "expect_column_values_to_match_json_schema", "kwargs": {"column": "age", "json_schema": {}}}, "Accepted"),
    ({"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "age", "row_condition": "@__import__('os')"}}, "Accepted"),
    ({"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "age", "mostly": {"$PARAMETER": "x"}}}, "lists of them"),
    ({"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "age", "mostly": 7}}, "Great Expectations"),
    ({"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "agee"}}, "did you mean age?"),
    ({"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "notes"}}, "Columns that are read"),
    ({"type": "expect_column_values_to_not_be_null"}, "Great Expectations"),
    ("expect_column_to_exist", "Write"),
]


@pytest.mark.parametrize(("expectation", "cure"), REFUSED, ids=lambda value: value["type"] if isinstance(value, dict) else None)
def test_a_suite_may_not_bring_unknown_types_code_or_foreign_columns(clinic, refusal, expectation, cure):
    assert cure in refusal(lambda: steward(clinic, expectation)).cure


@pytest.mark.parametrize("text", ["", "[]", '{"expectations": {}}', '{"expectations": [,]}'])
def test_a_suite_that_is_no_suite_is_refused(clinic, refusal, text):
    (clinic.folder / "suite.json").write_text(text or "\n")
    clinic.policy["expect"] = {"suite": "suite.json"}
    loaded = clinic.load()
    found = ingest(loaded)
    assert "suite.json" in refusal(lambda: expect_inbound(loaded, found)).message


@pytest.mark.timeout(60)
@pytest.mark.parametrize("pattern", ["^(?=C)(C|C)*$", r"(a)\1", "(?<!x)y", "["])
@pytest.mark.parametrize("key", ["regex", "regex_list"])
def test_a_pattern_that_could_be_tried_for_ever_is_refused(clinic, pattern, key):
    kind = "expect_column_values_to_match_regex" + ("_list" if key == "regex_list" else "")
    with pytest.raises(PolicyInvalid, match="not a regular expression of RE2"):
        steward(clinic, {"type": kind, "kwargs": {"column": "sex", key: [pattern] if key == "regex_list" else pattern}})


@pytest.mark.timeout(60)
@pytest.mark.parametrize("pattern", [r"^(a+\s?)+$", r"^(\w+\W?)+$", r"^(é|é|\d)*$"])
def test_a_pattern_that_pandas_would_give_to_pythons_engine_ends_at_once(clinic, pattern):
    """RE2 takes it, but pandas tries one with \\s, or one beside other letters than ASCII's, by Python's engine: for ages."""
    clinic.write_source(clinic.source.read_bytes().replace(b"female", "é".encode() * 30 + b"a" * 60 + b"!"))
    clinic.policy["attributes"]["sex"].pop("values", None)
    outcomes = steward(clinic, {"type": "expect_column_values_to_match_regex", "kwargs": {"column": "sex", "regex": pattern}})
    assert types_of(failures(outcomes)) == {("expect_column_values_to_match_regex", "sex")}


@pytest.mark.parametrize("mostly", [1, 0.5, 0.3])
@pytest.mark.parametrize("kind", ["match_regex", "not_match_regex", "match_regex_list", "not_match_regex_list", "all"])
def test_patterns_are_weighed_as_great_expectations_says(clinic, kind, mostly):
    frame, patterns = whole(ingest(clinic.load())), ["^f", "le$"]
    cells = [cell for cell in frame["sex"] if isinstance(cell, str)]
    found = [[bool(re.search(pattern, cell)) for pattern in patterns[: 2 if "list" in kind or kind == "all" else 1]] for cell in cells]
    held = [all(each) if kind == "all" else not any(each) if kind.startswith("not") else any(each) for each in found]
    kwargs = {"column": "sex", "mostly": mostly}
    kwargs |= {"regex_list": patterns} if "list" in kind or kind == "all" else {"regex": patterns[0]}
    kwargs |= {"match_on": "all"} if kind == "all" else {}
    name = f"expect_column_values_to_{'match_regex_list' if kind == 'all' else kind}"
    failed = types_of(failures(steward(clinic, {"type": name, "kwargs": kwargs})))
    assert ((name, "sex") not in failed) == (sum(held) >= mostly * len(held))


def test_an_ordinary_pattern_that_tries_every_way_ends_at_once(clinic):
    clinic.write_source(clinic.source.read_bytes().replace(b"female", b"a" * 60 + b"!"))
    clinic.policy["attributes"]["sex"].pop("values", None)
    outcomes = steward(clinic, {"type": "expect_column_values_to_match_regex", "kwargs": {"column": "sex", "regex": "^(a|a)*$"}})
    assert types_of(failures(outcomes)) == {("expect_column_values_to_match_regex", "sex")}

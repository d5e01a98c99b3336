"""Where the rows come from, in each of its kinds, and what is expected of them."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from policies.schema.loading import parse_policy
from policies.schema.source_key import CsvSource, Expectations, ParquetSource, SourceKey, SqlSource, kinds_of_source
from tests.unit.policies.refused import Case, names_of, require_refused

SOURCE = "{kind: csv, path: clinic.csv}"

BAD: list[Case] = [
    ("kind: csv", "kind: cvs", 3, ["source.kind", "'cvs'", "did you mean csv?"]),
    ("kind: csv, ", "", 3, ["source", "no 'kind'"]),
    ("kind: csv", "kind: {a: b}", 3, ["source.kind", "accepted: csv, parquet, excel, spss, stata or sql"]),
    ("{kind: csv, path: clinic.csv}", "clinic.csv", 3, ["source", "a mapping"]),
    ("path: clinic.csv", "path: clinic.csv, separator: ';;'", 3, ["source.separator", "at most 1 character"]),
    ("path: clinic.csv", "path: clinic.csv, encoding: utf-9", 3, ["source.encoding", "'utf-9'", "text encoding"]),
    ("{kind: csv, path: clinic.csv}", "{kind: sql, url: 'db://u:p@h'}", 3, ["source.url", "unknown key", "url_env"]),
    ("{kind: csv, path: clinic.csv}", "{kind: sql, url_env: DB}", 3, ["query", "required"]),
    ("publish:", "expect: {rows: {min: 5, max: 4}}\npublish:", 16, ["expect.rows.min", "at most max"]),
]


@pytest.mark.parametrize("case", BAD, ids=names_of(BAD))
def test_what_cannot_be_meant_is_refused_in_its_place(small: str, case: Case) -> None:
    require_refused(small, case)


def source_of(small: str, written: str) -> SourceKey:
    assert small.count(SOURCE) == 1
    return parse_policy(small.replace(SOURCE, written), "small.yaml").source


def test_the_kind_decides_the_form(small: str) -> None:
    assert source_of(small, SOURCE) == CsvSource(kind="csv", path="clinic.csv", separator=",", encoding="utf-8")
    assert source_of(small, "{kind: parquet, path: clinic.parquet}") == ParquetSource(kind="parquet", path="clinic.parquet")
    sql = source_of(small, "{kind: sql, url_env: CLINIC_URL, query: select * from people}")
    assert sql == SqlSource(kind="sql", url_env="CLINIC_URL", query="select * from people")
    assert list(kinds_of_source()) == ["csv", "parquet", "excel", "spss", "stata", "sql"]


def test_a_source_is_written_to_json_with_the_keys_of_its_kind(small: str) -> None:
    """Declared as the base of all kinds, it lost them all but `kind`."""
    policy = parse_policy(small, "small.yaml")
    assert policy.model_dump(mode="json")["source"] == {"kind": "csv", "path": "clinic.csv", "separator": ",", "encoding": "utf-8"}


def test_an_address_with_a_password_has_no_place_in_a_policy() -> None:
    with pytest.raises(ValidationError):
        SqlSource(kind="sql", url_env="postgresql://user:secret@host/db", query="select 1")


def test_a_share_of_missing_cells_is_at_most_all_of_them() -> None:
    assert str(Expectations.model_validate({"missing": {"age": "0.10"}}).missing["age"]) == "0.10"
    for share in ("1.1", "-0.1", "nan"):
        with pytest.raises(ValidationError):
            Expectations.model_validate({"missing": {"age": share}})

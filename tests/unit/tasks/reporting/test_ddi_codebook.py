"""The codebook against the data package that it retells: read by lxml, which shares nothing with what writes it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from lxml import etree

from policies.sealed.promise import Promise, QuasiIdentifier, SensitiveAttribute
from tasks.reporting.ddi_codebook import ddi_codebook
from tasks.reporting.package import TableEntry, package_json, package_of
from tasks.tables.read_published import Joined, PinnedFile

DDI = {"d": "ddi:codebook:2_5"}
NASTY = 'a "b" <c> & größe | low'


@pytest.fixture
def described(clinic: Any) -> tuple[Any, ...]:
    clinic.policy["about"] = {"purpose": "Teaching <1>", "licence": "CC-BY-4.0", "period": 2024, "contact": "data@clinic.example"}
    promise = Promise(
        requirements=(),
        quasi=(QuasiIdentifier(name=NASTY, kind="integer", domain=(0, 110), bounds=("l", "h")),),
        sensitive=(
            SensitiveAttribute(name="income", kind="number", domain=(0.5, 2.0)),
            SensitiveAttribute(name="school", kind="ordinal", levels=("low\x01", "high")),
        ),
    )
    files = tuple(PinnedFile("t", form, f"tables/t.{form}", 3, "ab" * 32, 42) for form in ("csv", "parquet"))
    return clinic.load().policy, promise, [TableEntry("t", ("income", "school"), (), files)], "2026-01-02T03:04:05Z"


def test_every_column_is_a_variable_of_the_files_that_hold_it(described: tuple[Any, ...]) -> None:
    book = etree.fromstring(ddi_codebook(package_of(*described)))
    fields = json.loads(package_json(package_of(*described)))["resources"][0]["schema"]["fields"]
    variables = book.findall("d:dataDscr/d:var", DDI)
    assert [variable.get("name") for variable in variables] == [field["name"] for field in fields]
    assert {variable.get("files") for variable in variables} == {"F1 F2"}
    assert [file.findtext("d:fileTxt/d:fileName", namespaces=DDI) for file in book.findall("d:fileDscr", DDI)] == [
        "tables/t.csv",
        "tables/t.parquet",
    ]
    by_name = {variable.get("name"): variable for variable in variables}
    assert dict(by_name["income"].find("d:valrng/d:range", DDI).attrib) == {"min": "0.5", "max": "2.0"}
    assert [each.text for each in by_name["school"].findall("d:catgry/d:catValu", DDI)] == ["low\ufffd", "high"]
    assert by_name[NASTY].find("d:varFormat", DDI).get("type") == "character"
    assert by_name["l"].find("d:varFormat", DDI).get("type") == "numeric"
    assert len({each.get("ID") for each in book.iter() if each.get("ID")}) == 1 + 2 + len(fields)


def test_the_study_says_what_the_policy_says(described: tuple[Any, ...]) -> None:
    book = etree.fromstring(ddi_codebook(package_of(*described)))
    assert [etree.QName(part).localname for part in book] == ["stdyDscr", "fileDscr", "fileDscr", "dataDscr"]

    def said(path: str) -> str | None:
        return book.findtext("d:stdyDscr/" + "/".join(f"d:{part}" for part in path.split("/")), namespaces=DDI)

    assert said("citation/titlStmt/titl") == "A clinic"
    assert said("citation/verStmt/version") == "2026-01-02"
    assert said("stdyInfo/abstract") == "Teaching <1>"
    assert said("stdyInfo/sumDscr/timePrd") == "2024"
    assert said("dataAccs/useStmt/contact") == "data@clinic.example"
    assert said("dataAccs/useStmt/conditions") == "CC-BY-4.0"


def test_the_same_package_gives_the_same_bytes(described: tuple[Any, ...]) -> None:
    assert ddi_codebook(package_of(*described)) == ddi_codebook(package_of(*described))


def test_the_parts_of_a_table_are_one_file_description(described: tuple[Any, ...]) -> None:
    policy, promise, (table,), created = described
    parts = tuple(
        PinnedFile("t", form, f"tables/t/part-0000{part}.{form}", 2, "ab" * 32, 42, Joined("cd" * 32, 80))
        for form in ("csv", "parquet")
        for part in range(2)
    )
    book = etree.fromstring(ddi_codebook(package_of(policy, promise, [replace(table, files=parts)], created)))
    assert [file.findtext("d:fileTxt/d:fileName", namespaces=DDI) for file in book.findall("d:fileDscr", DDI)] == [
        f"tables/t/part-00000.{form} tables/t/part-00001.{form}" for form in ("csv", "parquet")
    ]
    assert {variable.get("files") for variable in book.findall("d:dataDscr/d:var", DDI)} == {"F1 F2"}
    assert book.findtext("d:fileDscr/d:fileTxt/d:dimensns/d:caseQnty", namespaces=DDI) == "4"

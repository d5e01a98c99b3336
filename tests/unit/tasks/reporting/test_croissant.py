"""croissant.json by the rules of Croissant 1.0 (docs.mlcommons.org/croissant/docs/croissant-spec.html), as far as it uses its vocabulary.

mlcroissant cannot be locked here, since it needs a source distribution. Version 1.1.1, in an environment of its own, validated a published
folder's file and read all rows of its tables; it asked for nothing but what docs/decisions/0016 says is left out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from policies.sealed.promise import Promise, QuasiIdentifier, SensitiveAttribute
from tasks.reporting.croissant import CONTEXT, croissant
from tasks.reporting.package import DataPackage, TableEntry, package_of
from tasks.tables.read_published import Joined, PinnedFile

DATASET = {"name", "alternateName", "description", "license", "creator", "version", "dateCreated", "isLiveDataset", "citeAs", "conformsTo",
           "temporalCoverage", "conditionsOfAccess", "distribution", "recordSet", "@context", "@type"}  # fmt: skip
FILE_OBJECT = {"@type", "@id", "name", "contentUrl", "contentSize", "encodingFormat", "sha256"}
DATA_TYPES = {"sc:Text", "sc:Integer", "sc:Float", "sc:Date", "sc:Boolean", "sc:URL"}


@pytest.fixture
def package(clinic: Any) -> DataPackage:
    clinic.policy["about"] = {"purpose": "Teaching.", "licence": "CC-BY-4.0", "period": 2024, "contact": "data@clinic.example"}
    promise = Promise(
        requirements=(),
        quasi=(QuasiIdentifier(name='a "b" / größe', kind="integer", domain=(0, 110)),),
        sensitive=(SensitiveAttribute(name="income", kind="number", domain=(0.5, 2.0)),),
    )
    files = tuple(PinnedFile("t", form, f"tables/t.{end}", 3, "ab" * 32, 42) for form, end in (("csv", "csv"), ("spss", "sav")))
    more = (PinnedFile("u", "parquet", "tables/u.parquet", 3, "cd" * 32, 43),)
    tables = [TableEntry("t", ("income",), (), files), TableEntry("u", (), (), more)]
    return package_of(clinic.load().policy, promise, tables, "2026-01-02T03:04:05Z")


def require_croissant(said: dict[str, Any]) -> None:
    """The standard's required properties but `url` and `datePublished`; its types; and references that lead to something."""
    assert set(said) <= DATASET
    assert (said["@type"], said["conformsTo"]) == ("sc:Dataset", "http://mlcommons.org/croissant/1.0")
    assert {"name", "description", "license", "creator"} <= set(said)
    assert {key for key in said if key not in CONTEXT and not key.startswith("@")} <= DATASET  # the others are of schema.org
    files = {file["@id"] for file in said["distribution"]}
    assert len(files) == len(said["distribution"])
    for file in said["distribution"]:
        assert set(file) == FILE_OBJECT
        assert file["@type"] == "cr:FileObject"
        assert len(file["sha256"]) == 64
    identifiers = set(files)
    for records in said["recordSet"]:
        assert (records["@type"], set(records)) == ("cr:RecordSet", {"@type", "@id", "name", "description", "field"})
        for field in records["field"]:
            assert field["@type"] == "cr:Field"
            assert field["dataType"] in DATA_TYPES
            assert field["source"]["fileObject"]["@id"] in files
            assert field["source"]["extract"] == {"column": field["name"]}
        found = {records["@id"], *(field["@id"] for field in records["field"])}
        assert len(found) == 1 + len(records["field"])
        assert not identifiers & found
        identifiers |= found


def test_the_description_keeps_to_the_vocabulary(package: DataPackage) -> None:
    require_croissant(json.loads(croissant(package)))


def test_it_says_what_the_data_package_says(package: DataPackage) -> None:
    said = json.loads(croissant(package))
    assert (said["name"], said["alternateName"], said["temporalCoverage"]) == ("clinic", "A clinic", "2024")
    assert said["description"].startswith("Teaching. Rows stand in a random order")
    assert said["license"] == "https://spdx.org/licenses/CC-BY-4.0.html"
    assert [(file["contentUrl"], file["contentSize"]) for file in said["distribution"]] == [
        ("tables/t.csv", "42 B"),
        ("tables/t.sav", "42 B"),
        ("tables/u.parquet", "43 B"),
    ]
    table, other = said["recordSet"]
    assert [(field["name"], field["dataType"]) for field in table["field"]] == [
        ('a "b" / größe', "sc:Text"),
        ("income", "sc:Float"),
        ("group", "sc:Integer"),
    ]
    assert {field["source"]["fileObject"]["@id"] for field in table["field"]} == {"tables/t.csv"}
    assert {field["source"]["fileObject"]["@id"] for field in other["field"]} == {"tables/u.parquet"}


def test_the_same_package_gives_the_same_bytes(package: DataPackage) -> None:
    assert croissant(package) == croissant(package)


def test_the_parts_of_a_table_are_a_set_of_files_that_its_columns_come_from(clinic: Any) -> None:
    promise = Promise(requirements=(), quasi=(QuasiIdentifier(name="age", kind="integer", domain=(0, 110)),), sensitive=())
    parts = tuple(PinnedFile("t", "csv", f"tables/t/part-0000{part}.csv", 2, "ab" * 32, 42, Joined("cd" * 32, 80)) for part in range(2))
    said = json.loads(croissant(package_of(clinic.load().policy, promise, [TableEntry("t", (), (), parts)], "2026-01-02T03:04:05Z")))
    *files, together = said["distribution"]
    assert [file["@id"] for file in files] == [part.path for part in parts]
    assert {file["sha256"] for file in files} == {"ab" * 32}
    assert together["@type"] == "cr:FileSet"
    assert together["includes"] == together["@id"] == "tables/t/part-*.csv"
    assert together["containedIn"] == [{"@id": part.path} for part in parts]
    (records,) = said["recordSet"]
    assert records["@id"] == "t"
    assert {field["source"]["fileSet"]["@id"] for field in records["field"]} == {together["@id"]}

"""The data package: valid for the Frictionless tools, and a data dictionary of every published column."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest

from headgate.core.published_form.file_parts import ROWS_PER_PART
from headgate.core.published_form.published_table import publish_form
from policies.sealed.promise import Promise
from policies.sealed.specs import promise_of
from tasks.reading.dictionaries import Dictionaries
from tasks.reading.ingest import ingest
from tasks.reading.prepare import prepare_source
from tasks.reporting.package import TableEntry, package_json, package_of
from tasks.tables.read_published import read_back
from tasks.tables.write import write_published
from tests.unit.tasks.clinic import REGIONS


@pytest.fixture
def released(clinic):
    clinic.policy["attributes"]["diagnosis"] = {"role": "dropped"}
    loaded = clinic.load()
    table = ingest(loaded).table
    published = publish_form(table, np.arange(60, dtype=np.int32) // 10, "main", ("income", "education"), ("zip",))
    return loaded, promise_of(loaded.policy, table), published


def written_package(released, folder: Path, rows_per_part: int = ROWS_PER_PART) -> Path:
    loaded, promise, published = released
    _read, files = read_back(folder, write_published(published, folder, rows_per_part=rows_per_part))
    entry = TableEntry("main", ("income", "education"), ("zip",), files)
    path = folder / "datapackage.json"
    path.write_bytes(package_json(package_of(loaded.policy, promise, [entry], "2026-01-02T03:04:05Z")))
    return path


@pytest.fixture
def frictionless_report(monkeypatch):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own
        import frictionless

    def validate(path: Path):
        monkeypatch.chdir(path.parent)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return frictionless.Package(path.name).validate()

    return validate


def test_the_data_package_is_valid_and_describes_every_column(released, tmp_path, frictionless_report):
    path = written_package(released, tmp_path)
    report = frictionless_report(path)
    assert report.valid, report.flatten(["type", "note"])
    assert {task.name for task in report.tasks} == {"main", "main-parquet"}
    package = json.loads(path.read_text())
    assert package["name"] == "clinic"
    assert package["title"] == "A clinic"
    for resource, file in zip(package["resources"], ("main.csv", "main.parquet"), strict=True):
        assert resource["path"] == f"tables/{file}"
        assert resource["bytes"] == (tmp_path / resource["path"]).stat().st_size
        fields = {field["name"]: field for field in resource["schema"]["fields"]}
        assert list(fields) == ["age", "sex", "region", "admitted", "income", "education", "zip", "group"]
        assert {name: field["role"] for name, field in fields.items()} == {
            "age": "quasi",
            "sex": "quasi",
            "region": "quasi",
            "admitted": "quasi",
            "income": "sensitive",
            "education": "sensitive",
            "zip": "insensitive",
            "group": "group",
        }
        assert "[low..high]" in fields["age"]["description"]
        assert fields["age"]["domain"] == ["0", "110"]
        assert fields["admitted"]["domain"] == ["2024-01-01", "2024-12-31"]
        assert fields["region"]["hierarchy_levels"] == 3
        assert fields["income"]["type"] == "number"
        assert fields["education"]["levels"] == ["primary", "secondary", "tertiary"]


def test_the_data_package_finds_a_changed_file(released, tmp_path, frictionless_report):
    path = written_package(released, tmp_path)
    table = tmp_path / "tables" / "main.csv"
    table.write_bytes(table.read_bytes().replace(b"primary", b"PRIMARY", 1))
    assert not frictionless_report(path).valid


def test_a_parquet_file_is_a_plain_file_to_the_tools_and_a_csv_a_table(released, tmp_path):
    resources = json.loads(written_package(released, tmp_path).read_text())["resources"]
    table, file = resources
    assert (table["type"], table["profile"], table["encoding"], table["rows"]) == ("table", "tabular-data-resource", "utf-8", 60)
    assert (file["profile"], file["mediatype"]) == ("data-resource", "application/vnd.apache.parquet")
    assert not {"type", "encoding", "rows"} & set(file)


def test_the_package_keeps_to_the_second_version_of_the_standard(clinic, released, tmp_path):
    """By the rules of datapackage.org/profiles/2.0 (datapackage.json, dataresource.json) for the properties that are written here: a
    resource is a table or says no type, which was `file`; a licence's name has no plus sign."""
    clinic.policy["about"] = {"licence": "GPL-2.0+", "contact": "data@clinic.example"}
    package = json.loads(written_package(released, tmp_path).read_text())
    assert package["$schema"] == "https://datapackage.org/profiles/2.0/datapackage.json"
    for resource in package["resources"]:
        assert resource.get("type", "table") == "table"
        assert re.fullmatch("[^:]+:[a-fA-F0-9]+", resource["hash"])
        assert re.fullmatch("[^./~][^:\\\\]*", resource["path"])
        assert {field["type"] for field in resource["schema"]["fields"]} <= {"string", "number", "integer", "date"}
    about = json.loads(package_json(package_of(clinic.load().policy, released[1], [], "2026-01-02T03:04:05Z")))
    assert all(re.fullmatch("[-a-zA-Z0-9._]+", licence["name"]) for licence in about["licenses"])
    assert about["licenses"][0]["title"] == "GPL-2.0+"
    assert about["contributors"][0]["roles"] == ["contactPoint"]


def test_a_release_without_a_title_is_called_by_its_dataset(clinic, tmp_path):
    del clinic.policy["title"]
    nothing = Promise(requirements=(), quasi=(), sensitive=())
    package = json.loads(package_json(package_of(clinic.load().policy, nothing, [], "2026-01-02T03:04:05Z")))
    assert (package["name"], package["title"], package["created"]) == ("clinic", "clinic", "2026-01-02T03:04:05Z")


def test_the_dictionary_says_how_a_number_was_rounded_and_coded(clinic, tmp_path):
    clinic.policy["attributes"]["diagnosis"] = {"role": "dropped"}
    clinic.policy["attributes"]["income"] |= {"publish_as": {"round": 1000, "top": 0.5, "bottom": 3000}}
    loaded = clinic.load()
    table = prepare_source(loaded.policy, ingest(loaded), Dictionaries()).table
    published = publish_form(table, np.arange(60, dtype=np.int32) // 10, "main", ("income", "education"), ("zip",))
    path = written_package((loaded, promise_of(loaded.policy, table), published), tmp_path)
    fields = json.loads(path.read_text())["resources"][0]["schema"]["fields"]
    income = next(field for field in fields if field["name"] == "income")
    assert income["description"] == (
        "Rounded to multiples of 1000, half to even. 3000 stands for 3000 or less. 7000 stands for 7000 or more (by the share 0.5)."
    )
    assert income["published_as"] == {"declared": {"round": "1000", "bottom": "3000", "top": "0.5"}, "bottom": 3000, "top": 7000}
    assert (income["constraints"]["minimum"], income["constraints"]["maximum"]) == (3000, 7000)


def test_the_data_dictionary_says_how_rows_of_a_person_were_combined(clinic, tmp_path):
    clinic.policy["attributes"]["diagnosis"] = {"role": "dropped"}
    clinic.policy["rows"] = {"per": "patient_id", "order": "age", "income": "sum", "sex": "last"}
    loaded = clinic.load()
    table = ingest(loaded).table
    published = publish_form(table, np.arange(60, dtype=np.int32) // 10, "main", ("income", "education"), ("zip",))
    promise = promise_of(loaded.policy, table, 150)
    fields = json.loads(written_package((loaded, promise, published), tmp_path).read_text())["resources"][0]["schema"]["fields"]
    described = {field["name"]: field for field in fields}
    assert described["income"]["combined_by"] == "sum"
    assert described["income"]["description"] == "The sum of a person's rows; missing if one of them is missing."
    assert described["sex"]["description"].endswith("The last present value of a person's rows in the order of age.")
    for name in ("region", "education", "zip"):
        assert described[name]["description"].endswith("It is the same in all rows of a person.")
        assert "combined_by" not in described[name]
    assert promise.combined is not None
    assert promise.combined.sentence == (
        "The 150 rows of the source were combined into one row per person (patient_id): income (sum), sex (last), in the order of age; "
        "everything else is the same in all rows of a person."
    )


def test_the_package_says_what_the_policy_says_about_the_release(clinic, tmp_path, frictionless_report):
    clinic.policy["about"] = {
        "licence": "CC-BY-4.0", "citation": "A clinic (2024)", "contact": "data@clinic.example", "period": 2024, "purpose": "Teaching",
        "recipients": "Anybody", "controls": "None", "version": "2024.1", "changes": "Income is rounded.",
    }  # fmt: skip
    clinic.policy["attributes"]["diagnosis"] = {"role": "dropped"}
    loaded = clinic.load()
    table = ingest(loaded).table
    published = publish_form(table, np.arange(60, dtype=np.int32) // 10, "main", ("income", "education"), ("zip",))
    path = written_package((loaded, promise_of(loaded.policy, table), published), tmp_path)
    assert frictionless_report(path).valid
    package = json.loads(path.read_text())
    assert package["licenses"] == [{"name": "CC-BY-4.0"}]
    assert package["contributors"] == [{"title": "data@clinic.example", "role": "contact", "roles": ["contactPoint"]}]
    assert {name: package[name] for name in ("version", "period", "purpose", "recipients", "controls", "changes", "citation")} == {
        "version": "2024.1", "period": "2024", "purpose": "Teaching", "recipients": "Anybody", "controls": "None",
        "changes": "Income is rounded.", "citation": "A clinic (2024)",
    }  # fmt: skip


def test_without_a_version_of_its_own_a_release_is_called_by_its_day_and_a_licence_in_words_has_no_identifier(clinic):
    clinic.policy["about"] = {"licence": "For members of the network only"}
    nothing = Promise(requirements=(), quasi=(), sensitive=())
    package = json.loads(package_json(package_of(clinic.load().policy, nothing, [], "2026-01-02T03:04:05Z")))
    assert package["version"] == "2026-01-02"
    assert package["licenses"] == [{"name": "other", "title": "For members of the network only"}]
    assert not {"hierarchies", "contributors", "purpose"} & set(package)


def test_a_hierarchy_is_given_from_the_values_that_the_policy_declares_or_from_above_those_of_people(clinic):
    """A hierarchy that is made from the values present would list the postal code of somebody whose row was suppressed."""
    clinic.policy["attributes"]["zip"] = {"role": "quasi", "kind": "category", "hierarchy": {"mask": 2}}
    clinic.policy["attributes"]["age"] |= {"hierarchy": {"widths": [5, 10]}}
    clinic.policy["attributes"]["diagnosis"] = {"role": "dropped"}
    loaded = clinic.load()
    promise = promise_of(loaded.policy, ingest(loaded).table)
    package = json.loads(package_json(package_of(loaded.policy, promise, [], "2026-01-02T03:04:05Z")))
    assert package["hierarchies"]["region"] == {"lowest": 0, "paths": [[*line.split(";")] for line in REGIONS]}
    assert package["hierarchies"]["zip"] == {"lowest": 1, "paths": [["00*", "0**", "*"]]}
    assert package["hierarchies"]["age"]["lowest"] == 1
    assert ["[20..24]", "[20..29]", "*"] in package["hierarchies"]["age"]["paths"]


def test_the_data_dictionary_says_in_which_unit_a_column_is_and_how_it_was_made(clinic, tmp_path):
    clinic.policy["attributes"] |= {
        "diagnosis": {"role": "dropped"},
        "admitted": {"role": "dropped"},
        "income": {"role": "sensitive", "kind": "number", "unit": ["EUR", "€"]},
        "age": {"role": "quasi", "kind": "ordinal", "bands": [0, 40, 110]},
        "years": {"role": "quasi", "kind": "integer", "age": {"from": "admitted", "at": "2025-12-31"}},
    }
    loaded = clinic.load()
    table = ingest(loaded).table
    published = publish_form(table, np.arange(60, dtype=np.int32) // 10, "main", ("income", "education"), ("zip",))
    package = written_package((loaded, promise_of(loaded.policy, table), published), tmp_path)
    fields = json.loads(package.read_text())["resources"][0]["schema"]["fields"]
    described = {field["name"]: field["description"] for field in fields}
    assert described["income"].endswith(" In EUR.")
    assert described["years"].endswith(" Completed years at 2025-12-31.")
    assert described["age"].endswith(" Numbers from 0 to 110 in bands, of which each ends before the next one begins.")


def test_a_table_in_parts_is_one_resource_that_the_tools_join(released, tmp_path, frictionless_report):
    path = written_package(released, tmp_path, rows_per_part=25)
    report = frictionless_report(path)
    assert report.valid, report.flatten(["type", "note"])
    assert {(task.name, task.stats.get("rows")) for task in report.tasks} >= {("main", 60)}
    table, file = json.loads(path.read_text())["resources"]
    for resource, form in ((table, "csv"), (file, "parquet")):
        assert resource["path"] == [f"tables/main/part-0000{part}.{form}" for part in range(3)]
        for part in resource["parts"]:
            content = (tmp_path / part["path"]).read_bytes()
            assert (part["bytes"], part["hash"], part["rows"]) == (len(content), f"sha256:{hashlib.sha256(content).hexdigest()}", 20)
    assert (table["rows"], [part["path"] for part in table["parts"]]) == (60, table["path"])


@pytest.mark.parametrize("part", range(3))
def test_the_tools_find_a_changed_part(released, tmp_path, frictionless_report, part):
    path = written_package(released, tmp_path, rows_per_part=25)
    table = tmp_path / "tables" / "main" / f"part-0000{part}.csv"
    table.write_bytes(table.read_bytes().replace(b"primary", b"PRIMARY", 1))
    assert not frictionless_report(path).valid

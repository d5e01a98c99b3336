"""The data package: valid for the Frictionless tools, and a data dictionary of every published column."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headgate.core.published_form.published_table import publish_form
from policies.sealed.promise import Promise, QuasiIdentifier, SensitiveAttribute
from policies.sealed.specs import promise_of
from tasks.reading.dictionaries import Dictionaries
from tasks.reading.ingest import ingest
from tasks.reading.prepare import prepare_source
from tasks.reporting.package import TableEntry, datapackage
from tasks.tables.read_published import PinnedFile, read_back
from tasks.tables.write import write_published
from tests.unit.tasks.clinic import REGIONS


@pytest.fixture
def released(clinic):
    clinic.policy["attributes"]["diagnosis"] = {"role": "dropped"}
    loaded = clinic.load()
    table = ingest(loaded).table
    published = publish_form(table, np.arange(60, dtype=np.int32) // 10, "main", ("income", "education"), ("zip",))
    return loaded, promise_of(loaded.policy, table), published


def package_of(released, folder: Path) -> Path:
    loaded, promise, published = released
    _read, files = read_back(folder, write_published(published, folder))
    entry = TableEntry("main", ("income", "education"), ("zip",), files)
    path = folder / "datapackage.json"
    path.write_bytes(datapackage(loaded.policy, promise, [entry], "2026-01-02T03:04:05Z"))
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
    path = package_of(released, tmp_path)
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
    path = package_of(released, tmp_path)
    table = tmp_path / "tables" / "main.csv"
    table.write_bytes(table.read_bytes().replace(b"primary", b"PRIMARY", 1))
    assert not frictionless_report(path).valid


def described(clinic: Any, promise: Promise, insensitive: tuple[str, ...] = ()) -> dict[str, dict[str, Any]]:
    """The data dictionary of one table with all the promise's columns, by column."""
    sensitive = tuple(attribute.name for attribute in promise.sensitive)
    file = PinnedFile("t", "csv", "tables/t.csv", 3, "ab" * 32, 42)
    package = datapackage(clinic.load().policy, promise, [TableEntry("t", sensitive, insensitive, (file,))], "2026-01-02T03:04:05Z")
    (resource,) = json.loads(package)["resources"]
    return {field["name"]: field for field in resource["schema"]["fields"]}


def test_each_kind_of_sensitive_column_is_described_by_what_its_cells_may_be(clinic, tmp_path):
    sensitive = (
        SensitiveAttribute(name="ward", kind="category", declared=("a", "b")),
        SensitiveAttribute(name="code", kind="category", hierarchy=(("x1", "x", "*"), ("x2", "x", "*"))),
        SensitiveAttribute(name="stay", kind="integer", domain=(0.0, 30.0)),
        SensitiveAttribute(name="dose", kind="number", domain=(0.5, 2.0)),
        SensitiveAttribute(name="seen", kind="date", domain=(19723.0, 19724.0)),
        SensitiveAttribute(name="ill=flu", kind="category", origin="ill"),
        SensitiveAttribute(name="mood", kind="vector", components=("m1", "m2"), metric="min"),
    )
    fields = described(clinic, Promise(requirements=(), quasi=(), sensitive=sensitive))
    assert list(fields) == ["ward", "code", "stay", "dose", "seen", "ill=flu", "m1", "m2", "group"]
    assert {name: (field["type"], field.get("constraints")) for name, field in fields.items()} == {
        "ward": ("string", {"enum": ["a", "b"]}),
        "code": ("string", {"enum": ["x1", "x2"]}),
        "stay": ("integer", {"minimum": 0, "maximum": 30}),
        "dose": ("number", {"minimum": 0.5, "maximum": 2.0}),
        "seen": ("date", {"minimum": "2024-01-01", "maximum": "2024-01-02"}),
        "ill=flu": ("integer", {"enum": [0, 1]}),
        "m1": ("number", None),
        "m2": ("number", None),
        "group": ("integer", {"required": True}),
    }
    assert fields["code"]["hierarchy_levels"] == 3
    assert fields["ill=flu"]["origin"] == "ill"
    assert fields["ill=flu"]["description"] == "1 if 'ill' holds 'flu', else 0."
    assert fields["m2"]["description"] == "One component of 'mood'."


def test_a_quasi_identifier_is_a_text_whose_notation_is_explained(clinic, tmp_path):
    tree = (("n", "north", "*"), ("s", "south", "*"))
    quasi = (
        QuasiIdentifier(name="age", kind="integer", domain=(0.0, 110.0)),
        QuasiIdentifier(name="region", kind="category", hierarchy=tree, values=("n", "s")),
        QuasiIdentifier(name="eye", kind="category", values=("blue", "brown")),
    )
    fields = described(clinic, Promise(requirements=(), quasi=quasi, sensitive=()))
    assert {field["type"] for name, field in fields.items() if name != "group"} == {"string"}
    assert "node of the hierarchy" in fields["region"]["description"]
    assert "node of the hierarchy" not in fields["eye"]["description"]
    assert (fields["age"]["domain"], fields["eye"]["levels"], fields["region"]["hierarchy_levels"]) == (["0", "110"], ["blue", "brown"], 3)
    assert "domain" not in fields["eye"]


def test_numbers_with_a_hierarchy_are_published_as_its_nodes_whose_names_need_not_be_intervals(clinic, tmp_path):
    """The dictionary said that a cell is a number or [low..high], and the cell said `young`."""
    ages = (("20", "young", "*"), ("70", "old", "*"))
    quasi = (QuasiIdentifier(name="age", kind="integer", domain=(0.0, 110.0), hierarchy=ages),)
    description = described(clinic, Promise(requirements=(), quasi=quasi, sensitive=()))["age"]["description"]
    assert "a node of the hierarchy, where [low..high] is every number between, or *" in description


def test_an_insensitive_column_is_described_by_what_the_policy_declares_of_it(clinic, tmp_path):
    clinic.policy["attributes"] |= {
        "zip": {"role": "insensitive", "kind": "category", "values": ["000", "001"]},
        "age": {"role": "insensitive", "kind": "integer", "domain": [0, 110]},
        "education": {"role": "insensitive", "kind": "ordinal", "levels": ["primary", "secondary"]},
    }
    promise = Promise(requirements=(), quasi=(), sensitive=(), insensitive=("zip", "age", "education"))
    fields = described(clinic, promise, promise.insensitive)
    assert {field["role"] for name, field in fields.items() if name != "group"} == {"insensitive"}
    assert fields["zip"]["constraints"] == {"enum": ["000", "001"]}
    assert fields["age"]["constraints"] == {"minimum": 0, "maximum": 110}
    assert fields["education"]["levels"] == ["primary", "secondary"]


def test_a_parquet_file_is_a_plain_file_to_the_tools_and_a_csv_a_table(released, tmp_path):
    resources = json.loads(package_of(released, tmp_path).read_text())["resources"]
    table, file = resources
    assert (table["type"], table["profile"], table["encoding"], table["rows"]) == ("table", "tabular-data-resource", "utf-8", 60)
    assert (file["type"], file["profile"], file["mediatype"]) == ("file", "data-resource", "application/vnd.apache.parquet")
    assert not {"encoding", "rows"} & set(file)


def test_a_release_without_a_title_is_called_by_its_dataset(clinic, tmp_path):
    del clinic.policy["title"]
    nothing = Promise(requirements=(), quasi=(), sensitive=())
    package = json.loads(datapackage(clinic.load().policy, nothing, [], "2026-01-02T03:04:05Z"))
    assert (package["name"], package["title"], package["created"]) == ("clinic", "clinic", "2026-01-02T03:04:05Z")


def test_the_dictionary_says_how_a_number_was_rounded_and_coded(clinic, tmp_path):
    clinic.policy["attributes"]["diagnosis"] = {"role": "dropped"}
    clinic.policy["attributes"]["income"] |= {"publish_as": {"round": 1000, "top": 0.5, "bottom": 3000}}
    loaded = clinic.load()
    table = prepare_source(loaded.policy, ingest(loaded), Dictionaries()).table
    published = publish_form(table, np.arange(60, dtype=np.int32) // 10, "main", ("income", "education"), ("zip",))
    path = package_of((loaded, promise_of(loaded.policy, table), published), tmp_path)
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
    fields = json.loads(package_of((loaded, promise, published), tmp_path).read_text())["resources"][0]["schema"]["fields"]
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
    path = package_of((loaded, promise_of(loaded.policy, table), published), tmp_path)
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
    package = json.loads(datapackage(clinic.load().policy, Promise(requirements=(), quasi=(), sensitive=()), [], "2026-01-02T03:04:05Z"))
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
    package = json.loads(datapackage(loaded.policy, promise, [], "2026-01-02T03:04:05Z"))
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
    package = package_of((loaded, promise_of(loaded.policy, table), published), tmp_path)
    fields = json.loads(package.read_text())["resources"][0]["schema"]["fields"]
    described = {field["name"]: field["description"] for field in fields}
    assert described["income"].endswith(" In EUR.")
    assert described["years"].endswith(" Completed years at 2025-12-31.")
    assert described["age"].endswith(" Numbers from 0 to 110 in bands, of which each ends before the next one begins.")

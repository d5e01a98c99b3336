"""What the data dictionary says of each kind of column."""

from __future__ import annotations

import json
from typing import Any

from policies.sealed.promise import Promise, QuasiIdentifier, SensitiveAttribute
from tasks.reporting.data_dictionary import data_dictionary


def described(clinic: Any, promise: Promise, insensitive: tuple[str, ...] = ()) -> dict[str, dict[str, Any]]:
    """The data dictionary of one table with all the promise's columns, by column."""
    sensitive = tuple(attribute.name for attribute in promise.sensitive)
    fields = data_dictionary(clinic.load().policy, promise, sensitive, insensitive)
    return {field.name: json.loads(field.model_dump_json(exclude_none=True)) for field in fields}


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


def test_columns_have_plain_names_for_statistics_programs_where_the_policy_publishes_for_them(clinic):
    promise = Promise(requirements=(), quasi=(), sensitive=(SensitiveAttribute(name="ill=flu", kind="category", origin="ill"),))
    assert "variable" not in described(clinic, promise)["ill=flu"]
    clinic.policy["publish"]["formats"] = ["csv", "stata"]
    fields = described(clinic, promise)
    assert fields["ill=flu"]["variable"] == "ill_flu"
    assert "variable" not in fields["group"]

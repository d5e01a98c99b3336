"""Two policies, key by key."""

from __future__ import annotations

from policies.changes.policy_changes import policy_changes

BEFORE = {
    "dataset": "people",
    "anonymize": {"k": 5, "each": {}},
    "attributes": {"age": {"role": "quasi", "hierarchy": {"sha256": "a" * 64}}},
}


def changed(after: dict[str, object]) -> list[tuple[str, str | None, str | None]]:
    return [(change.key, change.before, change.after) for change in policy_changes(BEFORE, after)]


def test_a_policy_does_not_differ_from_itself() -> None:
    assert changed(dict(BEFORE)) == []


def test_keys_are_named_by_their_path_with_what_stood_there() -> None:
    after = {**BEFORE, "anonymize": {"k": 10, "each": {"income": {"delta": "0.5"}}}}
    assert changed(after) == [("anonymize.k", "5", "10"), ("anonymize.each.income.delta", None, "0.5")]


def test_a_file_is_named_by_the_beginning_of_its_digest() -> None:
    after = {**BEFORE, "attributes": {"age": {"role": "quasi", "hierarchy": {"sha256": "b" * 64}}}}
    assert changed(after) == [("attributes.age.hierarchy", "file aaaaaaaa", "file bbbbbbbb")]


def test_of_what_is_new_or_gone_only_keys_that_say_something_are_told() -> None:
    after = {**BEFORE, "attributes": {"job": {"role": "sensitive", "weight": None, "nonsensitive": [], "unique": False}}}
    assert changed(after) == [
        ("attributes.job.role", None, "sensitive"),
        ("attributes.age.role", "quasi", None),
        ("attributes.age.hierarchy", "file aaaaaaaa", None),
    ]


def test_a_switch_that_is_off_now_is_told() -> None:
    assert [(change.before, change.after) for change in policy_changes({"blind": True}, {"blind": False})] == [("true", None)]


def test_cells_of_the_source_that_a_map_names_are_in_no_path() -> None:
    """The published report names the paths that changed: it told a cell that only a suppressed person had, where a map was to hide it."""
    before = {"attributes": {"map": {"role": "quasi", "map": None}}}
    after = {"attributes": {"map": {"role": "quasi", "map": {"a case of Smallville": "other", "sha256": None}}}}
    assert [(change.key, change.before, change.after) for change in policy_changes(before, after)] == [
        ("attributes.map.map", None, '{"a case of Smallville": "other", "sha256": null}')
    ]

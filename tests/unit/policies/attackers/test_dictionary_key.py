"""What a policy may say of one dictionary; whatever else it says is refused with its line and what is accepted."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from policies.schema.digest import policy_digest
from policies.schema.loading import parse_policy
from tests.unit.policies.attackers.gate_lines import (
    BadLines,
    check_refused,
    dictionaries,
    gate_of,
    with_gate,
)
from tests.unit.policies.refused import refusal

BAD: list[BadLines] = [
    (dictionaries("{on: [age]}"), 20, ["without its content", "path: FILE"]),
    (dictionaries("{path: r.csv, marginals: m.csv, on: [age]}"), 20, ["path and marginals in one dictionary", "one of path: FILE"]),
    (dictionaries("{path: r.csv, sql: {url_env: DB, query: q}, source: true, on: [age]}"), 20, ["path and sql and source"]),
    (dictionaries("{source: false, on: [age]}"), 20, ["source", "'false'", "True"]),
    (dictionaries("{path: r.csv}"), 20, ["without shared attributes", "on: [attribute"]),
    (dictionaries("{path: r.csv, on: []}"), 20, ["on", "at least 1"]),
    (dictionaries("{path: r.csv, on: {}}"), 20, ["on", "no field"]),
    (dictionaries("{path: r.csv, on: age}"), 20, ["on", "'age'", "a list"]),
    (dictionaries("{path: r.csv, on: [age, age]}"), 20, ["on", "a list without repeated values"]),
    (dictionaries("{path: r.csv, on: {age: years, zip: years}}"), 20, ["on", "named twice", "a column of its own"]),
    (dictionaries("{path: r.csv, on: {age: ''}}"), 20, ["on.age", "at least 1 character"]),
    (dictionaries("{path: r.csv, on: [agge]}"), 20, ["'agge', which is not a quasi-identifier", "did you mean age?"]),
    (dictionaries("{path: r.csv, on: {agge: age}}"), 20, ["'agge', which is not a quasi-identifier"]),
    (dictionaries("{path: r.csv, on: [income]}"), 20, ["'income', which is not a quasi-identifier", "age or zip"]),
    (dictionaries("{source: true, on: {age: years}}"), 20, ["columns named for the source", "on: [attribute"]),
    (dictionaries("{source: true, key: person}"), 20, ["'key' with source", "only with path or sql"]),
    (dictionaries("{marginals: m.csv, on: [age], key: person}"), 20, ["'key' with marginals"]),
    (dictionaries("{marginals: m.csv, on: [zip], similar: {zip: 0.8}}"), 20, ["'similar' with marginals"]),
    (dictionaries("{path: r.csv, on: [age], individuals: 9}"), 20, ["'individuals' with path", "only with marginals"]),
    (dictionaries("{marginals: m.csv, on: [age], individuals: 0}"), 20, ["individuals", "greater than or equal to 1"]),
    (dictionaries("{marginals: m.csv, on: [age], individuals: 2.5}"), 20, ["individuals", "whole number"]),
    (dictionaries("{path: r.csv, on: [age], similar: {zip: 0.8}}"), 20, ["similar.zip", "'zip', which is not shared", "under 'on'"]),
    (dictionaries("{path: r.csv, on: [age], similar: {age: 0.8}}"), 20, ["similar.age", "which is of kind integer", "without a hier"]),
    (dictionaries("{path: r.csv, on: [zip], similar: {zip: 0}}"), 20, ["similar.zip", "greater than 0"]),
    (dictionaries("{path: r.csv, on: [zip], similar: {zip: 1.01}}"), 20, ["similar.zip", "less than or equal to 1"]),
    (dictionaries("{path: r.csv, on: [zip], similar: {zip: .nan}}"), 20, ["similar.zip", "number"]),
    (dictionaries("{sql: {query: select 1}, on: [age]}"), 20, ["sql: found nothing", "'url_env', which is required"]),
    (dictionaries("{sql: {url_env: 'db://u:p@h', query: select 1}, on: [age]}"), 20, ["url_env", "environment variable"]),
    (dictionaries("{path: r.csv, on: [age], prior: 1.1}"), 20, ["prior", "less than or equal to 1"]),
    (dictionaries("{path: r.csv, on: [age], prior: -0.1}"), 20, ["prior", "greater than or equal to 0"]),
]


@pytest.mark.parametrize(("lines", "line", "phrases"), BAD, ids=[" | ".join(case[0])[-70:] for case in BAD])
def test_a_dictionary_that_cannot_be_meant_is_refused_in_its_place(small: str, lines: Sequence[str], line: int, phrases: list[str]) -> None:
    check_refused(small, lines, line, phrases)


def test_similar_texts_are_no_matter_of_hierarchies(small: str) -> None:
    text = with_gate(small, *dictionaries("{path: r.csv, on: [zip], similar: {zip: 0.8}}"))
    parse_policy(text, "p")
    tree = text.replace("zip: {role: quasi, kind: category}", "zip: {role: quasi, kind: category, hierarchy: z.csv}")
    assert "'zip', which has a hierarchy" in refusal(tree).message


def test_a_dictionary_is_called_by_its_name_or_by_what_it_is(small: str) -> None:
    gate = gate_of(
        small,
        *dictionaries(
            "{name: voters, path: v.csv, on: [age]}",
            "{path: r.csv, on: {age: years, zip: post code}}",
            "{marginals: m.csv, on: [zip], individuals: 900}",
            "{sql: {url_env: DB, query: select 1}, on: [age], key: id}",
            "{source: true}",
        ),
    )
    assert tuple(dictionary.called for dictionary in gate.all_dictionaries) == ("voters", "r.csv", "m.csv", "query DB", "source")
    assert gate.dictionaries[0].columns == {"age": "age"}
    assert gate.dictionaries[1].columns == {"age": "years", "zip": "post code"}
    assert gate.dictionaries[1].fields == ("age", "zip")
    assert (gate.dictionaries[4].fields, gate.by_prior) == ((), False)
    assert tuple(dictionary.called for dictionary in gate_of(small, "mean: 0.1").all_dictionaries) == ("source",)


@pytest.mark.parametrize("kind", ["path: r.csv, on: [age]", "marginals: r.csv, on: [age]"])
def test_another_register_is_another_policy_and_another_name_of_its_file_is_not(small: str, kind: str) -> None:
    text = with_gate(small, *dictionaries(f"{{name: one, {kind}}}"))
    policy, moved = parse_policy(text, "p"), parse_policy(text.replace("r.csv", "elsewhere/r.csv"), "p")
    one, other = ("1" * 64, "2" * 64)
    assert policy_digest(policy, {"r.csv": one}) == policy_digest(moved, {"elsewhere/r.csv": one})
    assert policy_digest(policy, {"r.csv": one}) != policy_digest(policy, {"r.csv": other})

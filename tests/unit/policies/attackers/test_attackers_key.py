"""All that a policy says of attackers: no two dictionaries have one name, and what is said of them is part of the policy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from policies.attackers.attackers_key import AttackersKey
from policies.gates import every_gate
from policies.gates.gate import Gate
from policies.schema import requirements
from policies.schema.digest import policy_digest
from policies.schema.loading import parse_policy
from policies.schema.policy import Policy
from tests.unit.policies.attackers.gate_lines import (
    GATES,
    REGISTER,
    BadLines,
    check_refused,
    dictionaries,
    digest_of,
    sensitivity,
    with_gate,
)
from tests.unit.policies.refused import refusal

BAD: list[BadLines] = [
    (dictionaries(REGISTER, REGISTER), 19, ["two dictionaries with the same name", "a 'name' for each"]),
    (dictionaries(REGISTER, "{name: r.csv, marginals: m.csv, on: [age]}"), 19, ["two dictionaries with the same name"]),
    (dictionaries("{source: true}", "{name: source, path: r.csv, on: [age]}"), 19, ["two dictionaries with the same name"]),
    (dictionaries("{name: source, path: r.csv, on: [age]}"), 19, ["called 'source' that is not the source", "another name"]),
    (dictionaries("{name: prior, path: r.csv, on: [age]}"), 19, ["called 'prior'", "another name"]),
]


@pytest.mark.parametrize(("lines", "line", "phrases"), BAD, ids=[" | ".join(case[0])[-70:] for case in BAD])
def test_names_that_tell_dictionaries_not_apart_are_refused_in_their_place(
    small: str, lines: Sequence[str], line: int, phrases: list[str]
) -> None:
    check_refused(small, lines, line, phrases)


def test_another_table_of_weights_or_another_query_is_another_policy(small: str, edited: Callable[..., Policy]) -> None:
    weighed = parse_policy(with_gate(small, *sensitivity("people: {path: p.csv, key: person}")), "p")
    assert policy_digest(weighed, {"p.csv": "1" * 64}) != policy_digest(weighed, {"p.csv": "2" * 64})
    asked = "gates: {linkability: 0.8, disclosure: {max: 1, dictionaries: [{sql: {url_env: DB, query: select 1}, on: [age]}]}}\n"
    assert digest_of(small.replace(GATES, asked)) != digest_of(small.replace(GATES, asked.replace("select 1", "select 2")))
    assert policy_digest(edited(), {}) != digest_of(small + "suppress_cells: {keep: 5}\n")


def test_what_a_policy_says_of_attackers_stands_at_the_gate_that_reckons_with_them(small: str) -> None:
    gates = parse_policy(with_gate(small, *dictionaries(REGISTER)), "p").gates
    assert gates.attackers == gates.disclosure
    assert gates.attackers_path == ("gates", "disclosure")
    assert parse_policy(small, "p").gates.attackers is None


def test_a_gate_from_elsewhere_may_reckon_with_attackers_too(small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Elsewhere(Gate):
        name = "elsewhere"

        def attackers(self, keys: Any) -> AttackersKey:
            return AttackersKey(dictionaries=keys.disclosure.dictionaries)

    gates = parse_policy(with_gate(small, *dictionaries(REGISTER)), "p").gates
    monkeypatch.setattr(requirements, "GATES", (Elsewhere(),))
    assert gates.attackers == AttackersKey(dictionaries=gates.disclosure.dictionaries)
    assert gates.attackers_path == ("gates", "elsewhere")


def test_attackers_at_two_gates_are_refused_since_only_those_of_one_would_be_read(small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Linkability(Gate):
        name = "linkability"

        def attackers(self, keys: Any) -> AttackersKey:
            return AttackersKey()

    text = with_gate(small, *dictionaries(REGISTER))
    for gates, place, other in (
        ((*every_gate.GATES, Linkability()), "linkability", "disclosure"),
        ((Linkability(), *every_gate.GATES), "disclosure", "linkability"),
    ):
        monkeypatch.setattr(requirements, "GATES", gates)
        sentence = f"gates.{place}: found attackers here and in '{other}'; accepted: one gate that reckons with attackers"
        assert sentence in refusal(text).message
    monkeypatch.setattr(requirements, "GATES", (Linkability(),))
    assert parse_policy(text, "p").gates.attackers == AttackersKey()

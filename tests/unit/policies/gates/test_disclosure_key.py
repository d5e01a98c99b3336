"""What a policy may bound against attackers, and which cells it suppresses; whatever else it says is refused with its line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

import pytest

from policies.attackers.attacker import sensitivity_of
from policies.gates.disclosure_key import CANDIDATES, MAX, MEAN, SHARE, DisclosureBound
from policies.schema.anonymization import SuppressCells
from policies.schema.loading import parse_policy
from policies.schema.policy import Policy, files_of
from tests.unit.policies.attackers.gate_lines import (
    GATES,
    REGISTER,
    BadLines,
    check_refused,
    dictionaries,
    gate_of,
    with_gate,
)
from tests.unit.policies.refused import refusal

BAD: list[BadLines] = [
    (["dictionaries: []"], 17, ["without a bound", "min_candidates"]),
    (["share: {above: 0.1}"], 18, ["share: found nothing", "'at_most', which is required"]),
    (["share: {at_most: 0.1}"], 18, ["share: found nothing", "'above', which is required"]),
    (["share: {above: 0.1, at_most: 1.1}"], 18, ["share.at_most", "less than or equal to 1"]),
    (["share: {above: -1, at_most: 0}"], 18, ["share.above", "greater than or equal to 0"]),
    (["share: {above: .inf, at_most: 0}"], 18, ["share.above", "number"]),
    (["mean: -0.1"], 18, ["mean", "greater than or equal to 0"]),
    (["mean: .nan"], 18, ["mean", "number"]),
    (["max: .inf"], 18, ["max", "number"]),
    (["min_candidates: 0"], 18, ["min_candidates", "greater than or equal to 1"]),
    (["min_candidates: 2.5"], 18, ["min_candidates", "whole number"]),
    (["maximum: 1"], 18, ["unknown key", "did you mean max?"]),
    (["mean: 1", *dictionaries("{source: true, prior: 0.5}", REGISTER)], 20, ["a prior for 1 of 2", "a prior for each, or for none"]),
    (
        ["mean: 1", *dictionaries("{source: true, prior: 0.5}", "{path: r.csv, on: [age], prior: 0.4999999999}")],
        20,
        ["sum to 0.9999999999", "that sum to 1"],
    ),
    (dictionaries("{source: true, prior: 1}"), 19, ["priors without a bound that uses them", "mean: …"]),
]


@pytest.mark.parametrize(("lines", "line", "phrases"), BAD, ids=[" | ".join(case[0])[-70:] for case in BAD])
def test_a_gate_that_cannot_be_meant_is_refused_in_its_place(small: str, lines: Sequence[str], line: int, phrases: list[str]) -> None:
    check_refused(small, lines, line, phrases)


@pytest.mark.parametrize(
    ("written", "line", "phrases"),
    [
        ("{keep: 0}", 17, ["suppress_cells.keep", "greater than or equal to 1"]),
        ("{keep: 1.5}", 17, ["suppress_cells.keep", "whole number"]),
        ("{among: [age]}", 17, ["keep", "required"]),
        ("{keep: 6}", 17, ["suppress_cells.keep", "6 of 5 attributes", "at most 5"]),
        ("{keep: 3, among: [age, zip]}", 17, ["suppress_cells.keep", "3 of 2 attributes", "at most 2"]),
        ("{keep: 1, among: []}", 17, ["suppress_cells.among", "at least 1"]),
        ("{keep: 1, among: [age, age]}", 17, ["suppress_cells.among", "a list without repeated values"]),
        ("{keep: 1, among: [age, ward]}", 17, ["suppress_cells.among", "'ward'", "quasi-identifier or sensitive"]),
        ("{keep: 1, among: [age, incom]}", 17, ["suppress_cells.among", "'incom'", "did you mean income?"]),
        ("{keep: 1, dictionary: register}", 17, ["suppress_cells.dictionary", "'register'", "source"]),
        ("{keep: 1, dictionary: tables}", 17, ["suppress_cells.dictionary", "'tables'", "source or r.csv"]),
        ("{keep: 1, dictionary: everybody}", 17, ["suppress_cells.dictionary", "'everybody'", "source or r.csv"]),
        ("{keep: 1, kept: 2}", 17, ["unknown key 'kept'", "did you mean keep?"]),
    ],
)
def test_cells_that_cannot_be_suppressed_so_are_refused(small: str, written: str, line: int, phrases: list[str]) -> None:
    others = "{name: tables, marginals: m.csv, on: [age]}, {name: everybody, source: true}"
    gate = f"disclosure: {{max: 1, dictionaries: [{REGISTER}, {others}]}}"
    text = small.replace(GATES, f"gates: {{linkability: 0.8, {gate}}}\n") + f"suppress_cells: {written}\n"
    message = refusal(text).message
    for phrase in phrases:
        assert phrase in message, message
    assert f"small.yaml, line {line}, " in message


def test_all_attributes_may_be_kept_and_a_register_chosen_by(small: str) -> None:
    text = with_gate(small, *dictionaries("{name: voters, path: r.csv, on: [age]}", "{source: true, name: everybody}"))
    assert parse_policy(text + "suppress_cells: {keep: 5}\n", "p").suppress_cells == SuppressCells(keep=5)
    chosen = parse_policy(text + "suppress_cells: {keep: 2, among: [age, income], dictionary: voters}\n", "p").suppress_cells
    assert chosen == SuppressCells(keep=2, among=("age", "income"), dictionary="voters")
    assert parse_policy(small, "p").suppress_cells is None
    for name in ("source", "voters"):
        parse_policy(text + f"suppress_cells: {{keep: 5, dictionary: {name}}}\n", "p")


@pytest.mark.parametrize(
    "priors", [("0.7", "0.2", "0.1"), ("0.1", "0.2", "0.70"), ("1", "0", "0"), ("0.3333333333", "0.3333333333", "0.3333333334")]
)
def test_priors_are_summed_as_they_are_written(small: str, priors: tuple[str, str, str]) -> None:
    """As floats 0.7 + 0.2 + 0.1 is less than 1."""
    written = [f"{{path: {place}.csv, on: [age], prior: {prior}}}" for place, prior in enumerate(priors)]
    assert gate_of(small, "mean: 1", *dictionaries(*written)[1:]).by_prior


def test_a_policy_with_every_key_survives_json_and_back(small: str) -> None:
    text = with_gate(
        small,
        "mean: 0.1",
        "share: {above: 0.5, at_most: 0.01}",
        "min_candidates: 3",
        *dictionaries(
            "{path: r.csv, on: {age: years, zip: post}, key: id, similar: {zip: 0.85}, prior: 0.5}",
            "{marginals: m.csv, on: [zip], individuals: 900, prior: 0.25}",
            "{sql: {url_env: DB, query: select 1}, on: [age], prior: 0.25}",
        ),
        "sensitivity:",
        "  form: interactions",
        "  weights: {illness: .inf}",
        "  pairs: [{of: [age, income], weight: .inf}, {of: [zip, income], weight: 0.5}]",
        "  people: {path: p.csv, key: person}",
    )
    text += "suppress_cells: {keep: 2, dictionary: r.csv}\n"
    policy = parse_policy(text, "p")
    assert Policy.model_validate_json(policy.model_dump_json(by_alias=True)) == policy
    cost = policy.gates.disclosure.sensitivity if policy.gates.disclosure else None
    assert cost is not None
    assert sensitivity_of(cost).pairs == {("age", "income"): math.inf, ("zip", "income"): 0.5}
    assert cost.weighed == ("illness", "age", "income", "zip")
    assert set(files_of(policy).values()) == {"r.csv", "m.csv", "p.csv"}


def test_losses_are_at_most_what_is_asked_and_candidates_at_least() -> None:
    for name in (MEAN, MAX, SHARE):
        assert [DisclosureBound(name, Decimal("0.5")).holds(figure) for figure in (0.4, 0.5, 0.6, None)] == [True, True, False, False]
    assert [DisclosureBound(CANDIDATES, 3).holds(figure) for figure in (2.0, 3.0, 4.0, None)] == [False, True, True, False]

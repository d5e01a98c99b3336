"""Shared by the tests of policies: the contract's own example, and small policies made from it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from policies.schema.loading import parse_policy
from policies.schema.policy import Policy

EXAMPLE = (Path(__file__).parent / "contract_example.yaml").read_text(encoding="utf-8")

SMALL = """\
schema: 1
dataset: clinic
source: {kind: csv, path: clinic.csv}
attributes:
  person: {role: identifier}
  age: {role: quasi, kind: integer}
  zip: {role: quasi, kind: category}
  illness: {role: sensitive, kind: set, values: [flu, gout], nonsensitive: [flu]}
  income: {role: sensitive, kind: number, domain: [0, 1000], weight: 2}
  school: {role: sensitive, kind: ordinal, levels: [low, middle, high]}
  ward: {role: insensitive, kind: category}
  notes: {role: dropped}
projection: {method: codip*}
anonymize: {k: 3, epsilon: 0.1, delta: 0.5}
gates: {linkability: 0.8}
publish: {to: clinic}
"""


@pytest.fixture(scope="session")
def example() -> str:
    """The example of the policy contract, word for word but for the weights it leaves open."""
    return EXAMPLE


@pytest.fixture(scope="session")
def small() -> str:
    return SMALL


@pytest.fixture(scope="session")
def edited() -> Callable[..., Policy]:
    """A small policy with some of its text replaced; each replacement must find its place."""

    def make(*replacements: tuple[str, str]) -> Policy:
        text = SMALL
        for old, new in replacements:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        return parse_policy(text, "small.yaml")

    return make


@pytest.fixture(scope="session")
def narrowed(edited: Callable[..., Policy]) -> Callable[..., Policy]:
    """The small policy about ages, incomes and schools alone, with some more of its text replaced."""

    def make(*replacements: tuple[str, str]) -> Policy:
        return edited(
            ("  illness: {role: sensitive, kind: set, values: [flu, gout], nonsensitive: [flu]}\n", ""),
            ("  ward: {role: insensitive, kind: category}\n", ""),
            ("  zip: {role: quasi, kind: category}\n", ""),
            *replacements,
        )

    return make

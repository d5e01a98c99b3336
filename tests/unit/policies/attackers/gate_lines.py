"""Policies with a gate that reckons with attackers, written line by line; and how a wrong line is refused."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from policies.attackers.sensitivity_key import SensitivityKey
from policies.gates.disclosure_key import DisclosureKey
from policies.schema.digest import policy_digest
from policies.schema.loading import parse_policy
from policies.schema.policy import files_of
from tests.unit.policies.refused import refusal

# The lines of the gate, the line of the file that the problem is reported on, and phrases of the message.
BadLines = tuple[Sequence[str], int, list[str]]
REGISTER = "{path: r.csv, on: [age]}"
GATES = "gates: {linkability: 0.8}\n"


def with_gate(small: str, *lines: str) -> str:
    """The gate on lines of its own, from line 18 on: after `disclosure:` in line 17."""
    written = "".join(f"    {line}\n" for line in lines)
    return small.replace(GATES, f"gates:\n  linkability: 0.8\n  disclosure:\n{written}")


def gate_of(small: str, *lines: str) -> DisclosureKey:
    gate = parse_policy(with_gate(small, *lines), "small.yaml").gates.disclosure
    assert gate is not None
    return gate


def cost_of(small: str, *lines: str) -> SensitivityKey:
    cost = gate_of(small, "max: 1", "sensitivity:", *(f"  {line}" for line in lines)).sensitivity
    assert cost is not None
    return cost


def dictionaries(*written: str) -> tuple[str, ...]:
    return ("max: 1", "dictionaries:", *(f"  - {one}" for one in written))


def sensitivity(*written: str) -> tuple[str, ...]:
    return ("max: 1", "sensitivity:", *(f"  {one}" for one in written))


def check_refused(small: str, lines: Sequence[str], line: int, phrases: list[str]) -> None:
    """A gate that cannot be meant is refused in its place."""
    message = refusal(with_gate(small, *lines)).message
    for phrase in phrases:
        assert phrase in message, message
    assert re.search(rf"small\.yaml, line {line}, gates\.disclosure", message), message


def digest_of(text: str) -> str:
    policy = parse_policy(text, "small.yaml")
    return policy_digest(policy, {path: hashlib.sha256(path.encode()).hexdigest() for path in files_of(policy).values()})

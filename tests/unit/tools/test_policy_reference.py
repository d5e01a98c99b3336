"""The page says of every gate by which methods it is kept, as the methods themselves do."""

from __future__ import annotations

from typing import Any

import pytest

from headgate.methods.choice import METHODS
from tools import policy_reference


def kept_by() -> dict[str, str]:
    rows = [line.split(" | ") for line in policy_reference.gate_meanings().splitlines()[2:] if line]
    return {row[0].strip("| `"): row[3] for row in rows}


def test_limits_are_kept_by_every_method_and_conditions_by_those_that_look_at_them() -> None:
    said = kept_by()
    assert {name for name, by in said.items() if by == "every method"} == {"k", "households", "dissimilarity", "linkability", "delta_l"}
    assert said["closeness"] == said["distinct_l"] == "`mondrian` and `full-domain`; with others it judges the result"
    assert said["reidentification"] == said["utility"] == "no method: it judges the result"


def test_a_new_method_that_looks_at_conditions_is_named_without_editing_a_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    class Toy:
        key = "toy"
        looks_at_conditions = True

    toy: Any = Toy
    monkeypatch.setattr(policy_reference, "METHODS", (*METHODS, toy))
    assert kept_by()["closeness"] == "`mondrian`, `full-domain` and `toy`; with others it judges the result"

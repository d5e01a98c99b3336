"""Hierarchies that the library is told in a policy's words: {widths: [5, 10]} and {mask: 2}."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import headgate as hg
from headgate.core.errors import InputRejected

FRAME = pd.DataFrame(
    {
        "age": [20, 21, 24, 25, 28, 29, 31, 33, 38, 39, 30, 32],
        "share": np.linspace(0, 1, 12),
        "zip": [f"10{i % 3}{i % 2}" for i in range(12)],
        "ill": ["flu", "gout"] * 6,
    }
)


def listed(widths: list[int]) -> list[list[str]]:
    """By hand: the multiple of the width at or below the value, and the number before the next."""
    return [[str(age), *(f"[{age - age % wide}..{age - age % wide + wide - 1}]" for wide in widths), "*"] for age in sorted(FRAME["age"])]


@pytest.mark.parametrize("kinds", [None, {"age": "integer"}])
@pytest.mark.parametrize("widths", [[5, 10], (5,), [2, 4, 20]])
def test_widths_are_the_intervals_that_could_have_been_listed(widths: list[int], kinds: dict[str, str] | None) -> None:
    described = hg.full_domain(FRAME, {"age": {"widths": widths}}, k=3, kinds=kinds)
    wanted = hg.full_domain(FRAME, {"age": listed(list(widths))}, k=3, kinds=kinds)
    assert described.levels == wanted.levels
    assert described.groups.tolist() == wanted.groups.tolist()
    assert described.ncp == wanted.ncp


def test_a_mask_hides_characters_from_the_right_and_missing_cells_have_no_line() -> None:
    holed = FRAME.assign(zip=FRAME["zip"].where(FRAME.index > 0))
    described = hg.full_domain(holed, {"zip": {"mask": 2}}, k=1)
    wanted = hg.full_domain(holed, {"zip": [(text, text[:3] + "*", text[:2] + "**", "*") for text in sorted(set(FRAME["zip"]))]}, k=1)
    assert described.nodes == wanted.nodes == 4
    assert described.groups.tolist() == wanted.groups.tolist()


def test_every_method_takes_them_and_releases_by_them() -> None:
    made = hg.mondrian(FRAME, ["age"], k=4, hierarchies={"age": {"widths": [10]}})
    assert set(made.release(FRAME)["age"]) == {"[20..29]", "[30..39]"}


@pytest.mark.parametrize(
    ("name", "given", "message", "cure"),
    [
        ("age", Path("ages.csv"), "'age' is not a table of levels", "pd.read_csv"),
        ("age", "ages.csv", "'age' is not a table of levels", "pd.read_csv"),
        ("age", ["20;*", "21;*"], "'age' is not a table of levels", "pd.read_csv"),
        ("age", 5, "'age' is not a table of levels", "pd.read_csv"),
        ("age", {"widths": [5, 12]}, "widths of 'age' do not nest", "multiple"),
        ("age", {"widths": [1, 5]}, "widths of 'age' do not nest", "above 1"),
        ("age", {"widths": []}, "widths of 'age' do not nest", "such as"),
        ("age", {"widths": [2.5]}, "widths of 'age' do not nest", "such as"),
        ("age", {"widths": 5}, "widths of 'age' do not nest", "such as"),
        ("share", {"widths": [5]}, "not a whole number", "widths are for whole numbers"),
        ("zip", {"widths": [5]}, "'zip' is a category", "whole numbers only"),
        ("age", {"mask": 1}, "'age' is a number", "`kinds` makes it one"),
        ("zip", {"mask": 0}, "not a number of characters", "from 1 up"),
        ("zip", {"mask": True}, "not a number of characters", "from 1 up"),
        ("zip", {"mask": 4}, "hides the whole", "below 4"),
        ("zip", {}, "neither widths nor a mask", "{'mask': 2}"),
        ("zip", {"mask": 2, "widths": [5]}, "neither widths nor a mask", "{'mask': 2}"),
    ],
)
def test_what_is_no_hierarchy_is_refused_with_the_cure(name: str, given: Any, message: str, cure: str) -> None:
    with pytest.raises(InputRejected) as refusal:
        hg.full_domain(FRAME, {name: given}, k=2)
    assert message in refusal.value.message
    assert cure in refusal.value.cure

"""What the keys of an attribute's cells do not go with, asked of each rule alone; test_intake_keys.py asks it of whole policies."""

from __future__ import annotations

from typing import Any

import pytest

from headgate.core.columns import Kind
from policies.schema.intake_keys import IntakeKeys
from policies.schema.intake_problems import problems_of_intake


def places(
    kind: Kind, levels: bool = False, listed: tuple[str, ...] | None = None, domain: Any = None, **keys: Any
) -> list[tuple[Any, ...]]:
    return [problem.path for problem in problems_of_intake(IntakeKeys.model_validate(keys), kind, domain, levels, listed)]


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        (Kind.NUMBER, {"decimal": ",", "thousands": ".", "unit": ["kg"]}),
        (Kind.DATE, {"date": ["%d.%m.%Y"], "map": {"unknown": None}}),
        (Kind.ORDINAL, {"bands": [0, 18, 65], "decimal": ","}),
        (Kind.CATEGORY, {"map": {"1": "male"}, "unmapped": "keep"}),
    ],
)
def test_what_goes_together_has_no_problem(kind: Kind, keys: dict[str, Any]) -> None:
    assert places(kind, **keys) == []


def test_each_problem_is_named_at_its_key() -> None:
    assert places(Kind.NUMBER, thousands=".") == [("thousands",)]
    assert places(Kind.NUMBER, unmapped="keep") == [("unmapped",)]
    assert places(Kind.NUMBER, map={"many": "lots"}) == [("map", "many")]
    assert places(Kind.DATE, map={"new year": "1.1.2024"}) == [("map", "new year")]
    assert places(Kind.DATE, date=["%d.%m.%y"]) == [("date",)]
    assert places(Kind.ORDINAL, levels=True, bands=[0, 18, 65]) == [("levels",)]
    assert places(Kind.ORDINAL, decimal=",") == [("decimal",)]
    assert places(Kind.CATEGORY, listed=("male", "female"), map={"1": "mal"}) == [("map", "1")]

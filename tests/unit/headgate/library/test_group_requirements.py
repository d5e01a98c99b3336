"""What callers of the library may require of every group, against what `hg.check` measures of the frame that is released."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import headgate as hg
from headgate.core.errors import InputRejected
from headgate.library.group_requirements import Requirements

OWN = {
    "each": {"pay": {"epsilon": 0.05, "delta": 0.7}},
    "linkability": {"illness": 0.3},
    "delta_l": {"pay": {"interval": 20, "l": 3}},
}


@pytest.fixture
def frame() -> pd.DataFrame:
    draw = np.random.default_rng(4)
    return pd.DataFrame(
        {
            "age": draw.integers(20, 60, 300),
            "illness": draw.choice(list("abcdefg"), 300, p=[0.28, 0.12, 0.12, 0.12, 0.12, 0.12, 0.12]),
            "pay": draw.integers(0, 1000, 300),
        }
    )


def xcolor(frame: pd.DataFrame, **options: Any) -> np.ndarray:
    return hg.xcolor(frame, ["age"], ["illness", "pay"], k=6, epsilon=0.05, delta=0.3, **options).groups


def mondrian(frame: pd.DataFrame, **options: Any) -> np.ndarray:
    return hg.mondrian(frame, ["age"], k=6, sensitive=["illness", "pay"], **options).groups


def full_domain(frame: pd.DataFrame, **options: Any) -> np.ndarray:
    return hg.full_domain(frame, {"age": {"widths": [2, 4, 8, 16]}}, k=6, sensitive=["illness", "pay"], **options).groups


METHODS = [xcolor, mondrian, full_domain]


def measured(frame: pd.DataFrame, groups: np.ndarray) -> dict[str, float]:
    released = frame.assign(group=groups)
    pay = hg.check(released, [], ["pay"], group="group", epsilon=0.05, interval=20)
    assert pay.proximity is not None
    assert pay.sensitive["pay"].delta_l is not None
    alpha = hg.alpha_k(hg.count(hg.encode(released, "illness"), hg.classes(released, [], "group"))).alpha.value
    return {"each": 1 - pay.proximity.risk, "linkability": 1 - alpha, "delta_l": pay.sensitive["pay"].delta_l.definition}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("name", "least"), [("each", 0.7), ("linkability", 0.7), ("delta_l", 3.0)])
def test_every_method_keeps_what_is_required_of_single_attributes(
    frame: pd.DataFrame, method: Callable[..., np.ndarray], name: str, least: float
) -> None:
    assert measured(frame, method(frame))[name] < least  # without it being asked for
    assert measured(frame, method(frame, **{name: OWN[name]}))[name] >= least - 1e-9


@pytest.mark.parametrize("method", METHODS)
def test_one_share_is_for_every_sensitive_attribute(frame: pd.DataFrame, method: Callable[..., np.ndarray]) -> None:
    assert measured(frame, method(frame, linkability=0.3))["linkability"] >= 0.7 - 1e-9
    assert measured(frame, method(frame, linkability=1))["linkability"] >= 0.0


def test_full_domain_keeps_the_window_reading_of_delta_l(frame: pd.DataFrame) -> None:
    asked = {"pay": {"interval": 20, "l": 4, "reading": "window"}}
    released = frame.assign(group=full_domain(frame, delta_l=asked))
    found = hg.check(released, [], ["pay"], group="group", interval=20).sensitive["pay"].delta_l
    assert found is not None
    assert found.window >= 4 - 1e-9
    for method in (xcolor, mondrian):
        with pytest.raises(InputRejected, match="Only `full_domain` can keep the window reading"):
            method(frame, delta_l=asked)


def test_only_what_one_attribute_is_promised_can_be_required(frame: pd.DataFrame) -> None:
    found = hg.xcolor(frame, ["age"], ["illness", "pay"], k=6, epsilon=None, delta=None, linkability=0.3)
    assert found.reached
    assert found.risk is None


def test_what_one_attribute_is_promised_is_not_relaxed() -> None:
    frame = pd.DataFrame({"age": range(40), "illness": ["a"] * 30 + ["b"] * 10})
    found = hg.mondrian(frame, ["age"], 4, ["illness"], each={"illness": {"epsilon": 0, "delta": 0.6}}, infeasible={"relax": 0})
    assert not found.reached


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"each": {"pay": 0.1}}, "'each' for 'pay' is not understood"),
        ({"each": {"pay": {"epsilon": 0.1}}}, "'each' for 'pay' is not understood"),
        ({"each": 0.1}, "'each' does not say what is required of which attribute"),
        ({"each": {"age": {"epsilon": 0.1, "delta": 0.5}}}, "'each' names 'age', which is not sensitive"),
        ({"delta_l": {"pay": {"interval": 1, "l": 2, "reading": "star"}}}, "The reading of \\(δ, l\\) for 'pay' is unknown"),
        ({"delta_l": {"pay": {"interval": 1, "l": 2, "more": 1}}}, "'delta_l' for 'pay' is not understood"),
        ({"delta_l": {"illness": {"interval": 1, "l": 2}}}, "needs numbers"),
        ({"linkability": 0}, "Linkability 0 cannot be kept"),
        ({"linkability": {"job": 0.5}}, "names 'job', which is not sensitive"),
    ],
)
def test_what_is_not_understood_is_refused_in_one_sentence(frame: pd.DataFrame, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputRejected, match=message) as refused:
        xcolor(frame, **options)
    assert refused.value.cure


def test_a_group_of_one_is_none_where_some_delta_is_above_0() -> None:
    """As for the composite: |G| > 1 unless δ = 0 (DEFINITIONS §3)."""
    assert Requirements(each={"pay": {"epsilon": 0, "delta": 0}}).group_size(1) == 1
    assert Requirements(each={"pay": {"epsilon": 0, "delta": 0.1}}).group_size(1) == 2
    assert Requirements(0, 0.1).group_size(1) == 2

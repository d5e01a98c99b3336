"""The forms of sensitivity, and weights without sense."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from headgate.core.errors import InputRejected
from headgate.risk.disclosure.expected_loss import disclosure_risk
from headgate.risk.disclosure.sensitivity import Form, Sensitivity


def test_an_infinite_weight_forbids_disclosure_unless_nobody_is_consistent() -> None:
    released, people = pd.DataFrame({"x": ["a", "b"], "hiv": ["+", "+"]}), pd.DataFrame({"x": ["a", "a"]})
    found = disclosure_risk(released, people, ["x"], Sensitivity.additive({"hiv": math.inf}))
    assert found.per_record.tolist() == [math.inf, 0.0]
    assert found.max == math.inf
    assert found.unmatched == 0.5


@pytest.mark.parametrize(
    ("sensitivity", "wanted"),
    [
        (Sensitivity.fixed(4), [4, 4, 4]),
        (Sensitivity.additive({"x": 1, "y": 2}), [3, 1, 0]),
        (Sensitivity.additive({"x": [1, 5, 9], "y": 2}), [3, 5, 0]),
        (Sensitivity.additive({"x": 1, "y": 2}, records=[2, 3, 4]), [6, 3, 0]),
        (Sensitivity.count([2, 3, 4]), [4, 3, 0]),
        (Sensitivity.interactions({"x": 1, "y": 2}, {("x", "y"): 10}), [13, 1, 0]),
        (Sensitivity.multiplicative({"x": 1, "y": 2}), [math.e**3, math.e, 1]),
        (Sensitivity.additive({"x": math.inf}, records=[0, 1, 1]), [0, math.inf, 0]),
    ],
)
def test_the_forms_of_sensitivity(sensitivity: Sensitivity, wanted: list[float]) -> None:
    disclosed = {"x": np.array([True, True, False]), "y": np.array([True, False, False])}
    assert sensitivity.of(disclosed, 3).tolist() == pytest.approx(wanted)


def test_weights_that_say_nothing_are_refused() -> None:
    for weights in ({"x": -1}, {"x": math.nan}):
        with pytest.raises(InputRejected, match="negative or not a number"):
            Sensitivity.additive(weights)
    with pytest.raises(InputRejected, match="not in the release"):
        Sensitivity.additive({"other": 1}).of({"x": np.array([True])}, 1)
    with pytest.raises(InputRejected, match="2 sensitivity weights for 1 records"):
        Sensitivity.additive({"x": [1, 2]}).of({"x": np.array([True])}, 1)


@pytest.mark.parametrize("form", list(Form))
def test_a_form_may_be_given_by_its_name(form: Form) -> None:
    given: dict[str, Any] = {} if form in (Form.CONSTANT, Form.COUNT) else {"weights": {"x": 2.0}}
    given |= {"records": 3.0} if form is Form.COUNT else {}
    disclosed = {"x": np.array([True, False])}
    wanted = {"constant": [1, 1], "count": [3, 0], "multiplicative": [math.e**2, 1]}.get(form, [2, 0])
    for one in (Sensitivity(form, **given), Sensitivity(form.value, **given)):  # type: ignore[arg-type]
        assert one.of(disclosed, 2).tolist() == pytest.approx(wanted)

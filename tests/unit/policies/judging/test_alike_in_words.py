"""What a promise's ε amounts to, table by table; and that what is read back from published files is compared in the same way."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.published_form.published_table import from_frame, publish_form, to_frame
from policies.judging.alike_in_words import alike_in
from policies.judging.measure import measure_table
from policies.schema.policy import Policy
from policies.sealed.promise import Promise
from policies.sealed.specs import column_specs, promise_of, specs_of
from tests.unit.policies.ten_people import GROUPS, PEOPLE

INCOME = "income: {role: sensitive, kind: number, domain: [0, 1000], weight: 2}"
ON_LOG = "income: {role: sensitive, kind: number, domain: [10, 1000], scale: log}"
EPSILON = "epsilon: 0.1, delta: 0.5"


@pytest.fixture
def promised(narrowed: Callable[..., Policy]) -> Callable[..., Promise]:
    def make(*replacements: tuple[str, str]) -> Promise:
        policy, frame = narrowed(*replacements), pd.DataFrame(PEOPLE).assign(income=lambda f: f["income"].clip(lower=10))
        return promise_of(policy, encode_table(frame, {name: spec for name, spec in column_specs(policy).items() if name in frame}))

    return make


def test_a_table_says_its_composite_and_what_is_promised_of_single_attributes(promised: Callable[..., Promise]) -> None:
    promise = promised((EPSILON, "epsilon: 0.1, delta: 0.5, each: {school: {epsilon: 0.5, delta: 0.2}}"))
    assert alike_in(promise, ["income", "school"]) == (
        "People who differ in one attribute alone are alike (ε 0.1 of all attributes together): income, within 150 of each other; "
        "school, only if they are equal.",
        "Values of school are alike within 1 level of each other (ε 0.5 of the 2 steps between its levels).",
    )
    assert alike_in(promise, ["income"]) == ("Values of income are alike within 100 of each other (ε 0.1 of the domain 0 to 1,000).",)


def test_own_units_ratios_and_callables_are_said_as_what_they_are(promised: Callable[..., Promise]) -> None:
    own = promised((EPSILON, "epsilon: {income: 0.1, school: 1}, delta: 0.5"), (INCOME, ON_LOG))
    assert alike_in(own, ["income", "school"]) == (
        "Values of income are alike within 10 % of each other (ε 0.1, in its own units).",
        "Values of school are alike within 1 level of each other (ε 1, in its own units).",
    )
    assert alike_in(own, []) == ()
    called = promised().model_copy(update={"callable": "mine:distance"})
    assert alike_in(called, ["income"]) == ("People are alike at a distance of at most 0.1 by mine:distance.",)


def test_the_columns_of_a_set_are_said_as_one(edited: Callable[..., Policy]) -> None:
    frame = pd.DataFrame({"illness=flu": [0, 1], "illness=gout": [1, 0], "income": [1.0, 2.0]})
    policy = edited()
    specs = column_specs(policy)
    bits = dict.fromkeys(("illness=flu", "illness=gout"), specs["illness"])
    made = {
        name: replace(spec, name=name, kind=Kind.CATEGORY, declared=("0", "1"), nonsensitive=frozenset({"0"}), origin="illness", weight=0.5)
        for name, spec in bits.items()
    }
    table = encode_table(frame, {**made, "income": specs["income"]})
    (said,) = alike_in(promise_of(policy, table), table.sensitive)
    assert said.endswith("(ε 0.1 of all attributes together): illness, only if they are equal; income, within 150 of each other.")


@pytest.mark.parametrize("written", [EPSILON, "epsilon: {income: 0.5, school: none}, delta: 0.2"])
def test_published_numbers_are_compared_again_by_the_scale_and_the_units_of_the_promise(
    promised: Callable[..., Promise], written: str
) -> None:
    """What `verify` does: the promise is read from a manifest, the table from a file. By difference 10 and 90 would be
    alike (80 of 990 at most 0.1), by ratio only 100 and 149, and 600 and 900, are: one of three others."""
    promise = Promise.model_validate(json.loads(promised((EPSILON, written), (INCOME, ON_LOG)).model_dump_json()))
    frame = pd.DataFrame(PEOPLE).assign(income=[10.0, 90.0, 1000.0, 10.0, 40.0, 900.0, 100.0, 149.0, 600.0, 900.0])
    specs = specs_of(promise)
    table = encode_table(frame, {**specs, "age": _age()})
    published = publish_form(table, np.array(GROUPS, dtype=np.int32), "t", ["income", "school"])
    read = from_frame(to_frame(published, 1), "t", ["age"], specs)
    assert measure_table(promise, read).figure("single_risk", "income") == pytest.approx(1 / 3)


def _age() -> ColumnSpec:
    return ColumnSpec("age", Kind.INTEGER, Role.QUASI)

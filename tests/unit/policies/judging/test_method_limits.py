"""What a promise lets every method look at while it makes groups of one projected table."""

from __future__ import annotations

import pandas as pd

from headgate.core.columns import Kind, Role, Table
from headgate.core.encode import ColumnSpec, encode_table
from policies.gates.verdict import Requirement
from policies.judging.method_limits import limits_of
from policies.sealed.promise import Promise
from tests.unit.claimed import proximity, required


def small_table() -> Table:
    frame = pd.DataFrame({"age": [20, 30, 40], "disease": ["a", "b", "c"], "income": [1.0, 2.0, 3.0]})
    specs = {
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI, domain=(0, 99)),
        "disease": ColumnSpec("disease", Kind.CATEGORY, Role.SENSITIVE),
        "income": ColumnSpec("income", Kind.NUMBER, Role.SENSITIVE, domain=(0, 10)),
    }
    return encode_table(frame, specs)


def promising(*requirements: Requirement) -> Promise:
    return Promise(requirements=requirements, quasi=(), sensitive=())


def test_promises_about_absent_attributes_are_left_out() -> None:
    promise = promising(
        proximity("0.1", "0.5"),
        proximity("0.1", "0.5", "income"),
        proximity("0.1", "0.5", "disease"),
        required("linkability", "0.8"),
        required("delta_l", "2", "income", interval="1000"),
    )
    limits = limits_of(promise, small_table(), ["disease"])
    assert [limit.name for limit in limits] == ["dissimilarity", "dissimilarity of disease", "linkability of disease"]
    assert limits_of(promising(required("linkability", "1")), small_table(), ["disease"]) == ()


def test_a_limit_carries_the_cure_of_its_gate() -> None:
    promise = promising(proximity("0.1", "0.5"), required("linkability", "0.8"), required("delta_l", "2", "income", interval="1"))
    cures = {limit.name: limit.cure for limit in limits_of(promise, small_table(), ["income"])}
    assert cures["linkability of income"].startswith("Raise gates.linkability")
    assert cures["dissimilarity"].startswith("Lower δ or ε")
    assert cures["delta_l of income"].startswith("Lower l or the interval")

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import headgate as hg
from headgate.core.errors import RequirementNotMet
from headgate.grouping.conditions import conditions_of
from headgate.grouping.limits import dissimilarity
from headgate.methods.anonymize import anonymize
from headgate.methods.mondrian.mondrian_method import Mondrian
from headgate.methods.settings import Infeasible, Settings
from tests.unit.headgate.methods.mondrian.definitions import encoded


def test_equal_quasi_identifiers_are_never_separated_by_strict_cuts_and_may_be_by_relaxed_ones():
    draw = np.random.default_rng(4)
    frame = pd.DataFrame({"age": draw.integers(0, 12, 400), "sex": draw.choice(["f", "m"], 400), "pay": draw.integers(0, 9, 400)})
    strict = hg.mondrian(frame, ["age", "sex"], 5)
    relaxed = hg.mondrian(frame, ["age", "sex"], 5, strict=False)
    assert frame.assign(group=strict.groups).groupby(["age", "sex"])["group"].nunique().max() == 1
    assert frame.assign(group=relaxed.groups).groupby(["age", "sex"])["group"].nunique().max() > 1
    assert relaxed.partition.count > strict.partition.count


def test_suppression_and_relaxing_work_as_for_the_other_methods():
    draw = np.random.default_rng(3)
    frame = pd.DataFrame({"age": draw.integers(0, 90, 200), "illness": draw.permutation(["flu"] * 120 + [f"v{i}" for i in range(80)])})
    table = encoded(frame, ["age"])
    limit = dissimilarity(table.select(["illness"]), "0", "0.6")
    plain = Settings(10, (limit,), conditions=conditions_of(["illness"], closeness="0.9"))
    refused = anonymize(Mondrian(), table, ["illness"], plain, 0)
    assert not refused.reached
    assert refused.certificate is not None
    with pytest.raises(RequirementNotMet):
        refused.require()
    fewer = anonymize(Mondrian(), table, ["illness"], replace(plain, infeasible=Infeasible.of({"suppress": "0.5"})), 0)
    assert fewer.reached
    assert 0 < fewer.suppressed == (fewer.groups < 0).sum() <= 100
    for group in range(fewer.count):
        inside = frame["illness"][fewer.groups == group]
        assert len(inside) >= 10
        assert (inside == "flu").sum() - 1 <= 0.4 * (len(inside) - 1) + 1e-9
    relaxed = anonymize(Mondrian(), table, ["illness"], replace(plain, infeasible=Infeasible.of({"relax": "0.2"})), 0)
    assert relaxed.reached
    assert 0.2 <= relaxed.delta_asked < 0.6

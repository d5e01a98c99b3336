"""Full-domain generalization chosen like any method."""

from __future__ import annotations

import pandas as pd
import pytest

import headgate as hg
from headgate.grouping.conditions import conditions_of
from headgate.methods.anonymize import anonymize
from headgate.methods.full_domain.full_domain_method import FullDomain
from headgate.methods.settings import Infeasible, Settings


@pytest.mark.parametrize("objective", ["ncp", "discernibility", "arx"])
def test_it_finds_what_the_library_finds_by_the_same_objective(objective: str) -> None:
    frame = pd.DataFrame({"age": [i % 17 for i in range(120)], "sex": ["f", "m", "m"] * 40, "word": list("abcdef") * 20})
    trees = {"age": {"widths": [5, 10]}}
    searched = hg.full_domain(frame, trees, 6, "0.1", objective, ["age", "sex"], ["word"], distinct_l=3)
    table = hg.table(frame, ["age", "sex"], ["word"], hierarchies=trees)
    settings = Settings(6, (), conditions_of(["word"], distinct_l=3), Infeasible.of({"suppress": "0.1"}))
    partition = anonymize(FullDomain(objective), table, ["word"], settings, 0)
    assert partition.levels == searched.levels
    assert partition.groups.tolist() == searched.groups.tolist()
    assert partition.suppressed == searched.suppressed

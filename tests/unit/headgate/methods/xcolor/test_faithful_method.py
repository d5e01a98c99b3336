"""`variant: faithful` chosen like any method."""

from __future__ import annotations

import numpy as np
import pandas as pd

import headgate as hg
from headgate.bounds.certificates import FAITHFUL
from headgate.grouping.limits import dissimilarity
from headgate.methods.anonymize import anonymize
from headgate.methods.settings import Settings
from headgate.methods.xcolor.faithful_method import Faithful


def test_its_groups_are_equal_in_size_and_the_seed_decides_nothing() -> None:
    frame = pd.DataFrame({"age": range(103), "word": [f"v{i % 11}" for i in range(103)]})
    table = hg.table(frame, ["age"], ["word"])
    settings = Settings(10, (dissimilarity(table.select(["word"]), "0", "0.8"),))
    one, other = (anonymize(Faithful(), table, ["word"], settings, seed) for seed in (1, 2))
    assert one.reached
    assert set(np.bincount(one.groups)) == {10, 11}
    assert one.groups.tolist() == other.groups.tolist()


def test_a_proof_that_rests_on_equal_sizes_counts_for_it() -> None:
    """DEFINITIONS §4: at n = 1000, k = 10, δ = 0.6 groups of ten hold 400 equal rows; groups of other sizes hold 454."""
    frame = pd.DataFrame({"age": range(1000), "word": ["flu"] * 401 + [f"v{i}" for i in range(599)]})
    table = hg.table(frame, ["age"], ["word"])
    refused = anonymize(Faithful(), table, ["word"], Settings(10, (dissimilarity(table.select(["word"]), "0", "0.6"),)), 0)
    assert not refused.reached
    assert refused.certificate is not None
    assert refused.certificate.refutes == FAITHFUL
    assert "infeasible" in refused.remedy()
    assert "No partition" not in refused.remedy()

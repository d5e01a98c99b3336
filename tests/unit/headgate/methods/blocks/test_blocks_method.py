"""`variant: blocks` chosen like any method."""

from __future__ import annotations

import numpy as np
import pandas as pd

import headgate as hg
from headgate.grouping.limits import dissimilarity
from headgate.methods.anonymize import anonymize
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.settings import Settings


def test_its_groups_follow_from_the_seed_and_hold_what_is_promised() -> None:
    frame = pd.DataFrame({"age": np.arange(120) * 7 % 120, "word": [f"v{number % 11}" for number in range(120)]})
    table = hg.table(frame, ["age"], ["word"])
    settings = Settings(10, (dissimilarity(table.select(["word"]), "0", "0.8"),))
    first, again = (anonymize(Blocks(), table, ["word"], settings, 7) for _ in range(2))
    assert first.reached
    assert first.groups.tolist() == again.groups.tolist()
    for group in range(first.count):
        words = frame["word"][first.groups == group]
        assert len(words) >= 10
        assert max(words.value_counts()) - 1 <= 0.2 * (len(words) - 1)


def test_near_ages_share_a_group() -> None:
    """Without a limit, groups of five among twice five people of twenty and of eighty hold one age each."""
    frame = pd.DataFrame({"age": [20, 80] * 5, "word": [f"v{number}" for number in range(10)]})
    groups = anonymize(Blocks(), hg.table(frame, ["age"], ["word"]), ["word"], Settings(5), 0).groups
    assert frame.groupby(groups)["age"].nunique().tolist() == [1, 1]


def test_it_is_what_the_library_and_a_policy_choose_where_they_name_no_variant() -> None:
    assert (Blocks.key, Blocks.variant) == ("xcolor", "blocks")
    assert not Blocks.suppresses
    assert not Blocks.whole_levels
    assert not Blocks.looks_at_conditions

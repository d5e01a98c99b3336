import numpy as np
import pandas as pd
import pytest

from benchmarks.every_partition import EveryPartition, groups_of
from benchmarks.planted_tables import planted, small
from headgate.grouping.limits import dissimilarity
from headgate.methods.anonymize import anonymize
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.mondrian.mondrian_method import Mondrian
from headgate.methods.settings import Settings
from headgate.methods.xcolor.faithful_method import Faithful


def test_blocks_lose_little_more_than_mondrian_on_easy_settings(people):
    table = people(6000, diseases=12)
    limit = dissimilarity(table.select(table.sensitive), "0.05", "0.5")
    blocks = anonymize(Blocks(), table, table.sensitive, Settings(10, (limit,)), 0)
    plain = anonymize(Mondrian(), table, table.sensitive, Settings(10), 0)
    assert blocks.reached
    assert blocks.loss <= 1.5 * plain.loss


def test_blocks_lose_far_less_than_the_papers_coloring(people):
    """DEFINITIONS §4, Utility: the paper's initial coloring ignores quasi-identifiers."""
    table = people(1000, diseases=12)
    limit = dissimilarity(table.select(["disease"]), "0", "0.6")
    blocks = anonymize(Blocks(), table, ["disease"], Settings(10, (limit,)), 0)
    faithful = anonymize(Faithful(), table, ["disease"], Settings(10, (limit,)), 0)
    assert blocks.reached
    assert faithful.reached
    assert blocks.loss < 0.5 * faithful.loss


def test_larger_groups_are_used_where_groups_of_k_cannot_hold_the_similar_rows(make_table):
    """DEFINITIONS §4: 1000 rows, k = 10, δ = 0.6. 430 equal rows fit into groups of 11, not of 10."""
    values = ["x"] * 430 + [f"v{i}" for i in range(570)]
    frame = pd.DataFrame({"age": np.random.default_rng(1).permutation(1000), "illness": np.random.default_rng(2).permutation(values)})
    table = make_table(frame, ["age"])
    found = anonymize(Blocks(), table, ["illness"], Settings(10, (dissimilarity(table.select(["illness"]), "0", "0.6"),)), 0)
    assert found.reached
    assert np.bincount(found.groups).mean() > 10


def test_dealt_groups_that_would_be_published_alike_count_as_one_class(make_table):
    """All rows have one quasi-identifier value: whatever the groups, the published class is the table."""
    frame = pd.DataFrame({"age": [30] * 40, "illness": ["x"] * 16 + [f"v{i}" for i in range(24)]})
    table = make_table(frame, ["age"])
    limit = dissimilarity(table.select(["illness"]), "0", "0.62")
    found = anonymize(Blocks(), table, ["illness"], Settings(4, (limit,)), 0)
    assert found.risk == pytest.approx(15 / 39)  # of the whole table: 16 of 40 rows are alike
    assert not found.reached
    assert found.certificate is not None
    assert found.certificate.ways == 1


def test_what_a_group_holds_too_many_of_goes_to_the_nearest_that_can_take_it(make_table):
    """Groups by age, each with illnesses of its own but for three alike among the youngest, where two may be."""
    values = ["x", "x", "x", "a", "b", "c"] + [f"v{i}" for i in range(18)]
    table = make_table(pd.DataFrame({"age": [*range(6), *range(20, 26), *range(50, 56), *range(80, 86)], "illness": values}), ["age"])
    limit = dissimilarity(table.select(["illness"]), "0", "0.75")
    found = anonymize(Blocks(), table, ["illness"], Settings(5, (limit,)), 0)
    assert found.reached
    alike = np.bincount(found.groups[:3])
    assert sorted(alike[alike > 0].tolist()) == [1, 2]
    assert max(found.groups[18:].tolist().count(group) for group in set(found.groups[18:].tolist())) == 6  # the oldest are left alone


@pytest.mark.parametrize("seed", [2, 4, 47, 68, 74, 110])
def test_in_a_small_table_no_partition_that_exists_is_missed_and_none_loses_less(seed):
    """Blocks alone missed each of them."""
    case = small(seed)
    found = anonymize(Blocks(), case.table, case.table.sensitive, case.settings(), 0)
    assert found.reached
    assert case.holds(groups_of(found.groups))
    assert found.loss == pytest.approx(EveryPartition(case).least_loss())


@pytest.mark.parametrize("seed", [12, 13, 43, 57, 259, 276])
def test_a_partition_that_a_table_was_made_around_is_not_missed(seed):
    """Nor is another one: any will do. The paper's coloring of the whole table found none of these."""
    case = planted(seed)
    found = anonymize(Blocks(), case.table, case.table.sensitive, case.settings(), 0)
    assert found.reached
    assert case.holds(groups_of(found.groups))

"""The optimum of the lattice as a partition: its own refusal, and the share of rows that may go."""

from __future__ import annotations

import pandas as pd
import pytest

import headgate as hg
from headgate.core.columns import Table
from headgate.core.errors import RequirementNotMet
from headgate.grouping.limits import dissimilarity
from headgate.methods.full_domain.level_partition import level_partition
from headgate.methods.settings import Infeasible, Settings


@pytest.fixture
def table() -> Table:
    """One person lives alone in t3; the others are four a town."""
    frame = pd.DataFrame({"town": ["t0"] * 4 + ["t1"] * 4 + ["t2"] * 4 + ["t3"], "word": list("abcd" * 3 + "a")})
    rows = [[f"t{i}", "north" if i < 2 else "south", "*"] for i in range(4)]
    return hg.table(frame, ["town"], ["word"], hierarchies={"town": rows})


def test_the_level_found_its_groups_and_its_loss_are_given(table: Table) -> None:
    partition = level_partition(table, ["word"], Settings(4, (dissimilarity(table.select(["word"]), "0", "0.6"),)))
    assert partition.reached
    assert partition.levels == {"town": 1}
    assert (partition.count, partition.smallest, partition.suppressed) == (2, 5, 0)
    assert partition.risk == pytest.approx(0.25)
    assert partition.delta_reached == pytest.approx(0.75)
    assert partition.loss == pytest.approx(0.5)  # each node covers two of four towns


def test_rows_are_suppressed_up_to_the_share_that_the_settings_allow(table: Table) -> None:
    partition = level_partition(table, ["word"], Settings(4, infeasible=Infeasible.of({"suppress": "0.08"})))
    assert partition.levels == {"town": 0}
    assert partition.suppressed == 1
    assert partition.groups.tolist() == [0] * 4 + [1] * 4 + [2] * 4 + [-1]


def test_where_no_choice_of_levels_does_it_the_refusal_is_about_levels(table: Table) -> None:
    partition = level_partition(table, ["word"], Settings(4, (dissimilarity(table.select(["word"]), "0", "0.9"),)))
    assert not partition.reached
    assert partition.levels is None
    with pytest.raises(RequirementNotMet, match="no choice of levels") as refused:
        partition.require("in table-1")
    assert "suppression" in refused.value.cure

from __future__ import annotations

import pytest

from headgate.core.columns import Kind
from headgate.core.errors import InputRejected
from headgate.core.published_form.cell_reader import CellReader
from headgate.core.published_form.domain_column import domain_column


def test_a_domain_has_no_rows_and_reads_cells() -> None:
    eyes = domain_column("eye", Kind.CATEGORY, None, ["blue", "brown"])
    assert len(eyes) == 0
    assert CellReader(eyes).covers("{|brown}").tolist() == [False, True, True]
    towns = domain_column("town", Kind.CATEGORY, paths=[["t1", "north", "*"], ["t2", "south", "*"]])
    assert CellReader(towns).covers("south").tolist() == [False, True, False]
    ages = domain_column("age", Kind.INTEGER, (0, 110))
    assert (ages.domain, CellReader(ages).interval("[20..29]")) == ((0, 110), (20, 29))
    assert domain_column("grade", Kind.ORDINAL, None, ["low", "high"]).domain == (0, 1)


def test_a_hierarchy_that_is_no_tree_is_refused() -> None:
    with pytest.raises(InputRejected):
        domain_column("town", Kind.CATEGORY, paths=[["t1", "north", "*"], ["t1", "south", "*"]])

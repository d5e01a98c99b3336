from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from benchmarks.every_partition import EveryPartition, groups_of
from benchmarks.planted_tables import small
from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.grouping.limits import dissimilarity
from headgate.methods.anonymize import anonymize
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.otherwise import suppress
from headgate.methods.partition import Partition
from headgate.methods.settings import Infeasible, Settings
from tests.unit.headgate.methods.crowded import crowded


def test_suppression_stays_within_its_share_and_reports_the_lower_bound(make_table):
    table, limit = crowded(make_table)
    found = anonymize(Blocks(), table, ["illness"], Settings(10, (limit,), infeasible=Infeasible.of({"suppress": "0.5"})), 0)
    assert found.reached
    assert found.suppressed == (found.groups < 0).sum() <= 100
    assert found.certificate is not None
    assert found.certificate.to_suppress is not None
    assert found.certificate.to_suppress <= found.suppressed
    kept = found.groups >= 0
    for group in range(found.count):
        inside = table["illness"].codes[kept & (found.groups == group)]
        assert len(inside) >= 10
        assert np.bincount(inside).max() - 1 <= 0.4 * (len(inside) - 1) + 1e-9
    assert set(table["illness"].values[table["illness"].codes[~kept]].tolist()) == {"x"}  # most violations first


def test_too_small_a_share_suppresses_nothing(make_table):
    table, limit = crowded(make_table)
    found = anonymize(Blocks(), table, ["illness"], Settings(10, (limit,), infeasible=Infeasible.of({"suppress": "0.05"})), 0)
    assert not found.reached
    assert found.suppressed == 0


def test_no_more_rows_are_suppressed_than_the_share_of_input_rows_however_often_it_is_tried():
    """By an anonymizer that makes one group and never reaches anything. 0.12 of 200 rows are 24, the share included."""
    specs = {"age": ColumnSpec("age", Kind.INTEGER, Role.QUASI), "word": ColumnSpec("word", Kind.CATEGORY, Role.SENSITIVE)}
    table = encode_table(pd.DataFrame({"age": range(200), "word": ["x"] * 200}), specs)
    asked = Settings(2, (dissimilarity(table.select(["word"]), "0", "0.9"),), infeasible=Infeasible.of({"suppress": "0.12"}))
    rows = []

    def group(part, settings):
        rows.append(part.rows)
        assert [limit.rows for limit in settings.limits] == [part.rows]
        return replace(nothing, groups=np.zeros(part.rows, dtype=np.int32))

    nothing = Partition(np.zeros(200, dtype=np.int32), False, 1.0, None, 0, 0.0, 0.9, (), 200, 200, 1, 0.0)
    assert suppress(table, asked, nothing, group, 0).suppressed == 0
    assert len(rows) > 1
    assert rows == sorted(rows, reverse=True)
    assert rows[-1] == 200 - 24


def test_of_a_small_table_the_fewest_rows_are_suppressed() -> None:
    """By trying all sets of rows. Greedily it were up to twice as many."""
    for seed in (31, 84, 102, 103, 110, 160):
        case = small(seed, 9)
        fewest = EveryPartition(case).fewest_suppressed()
        assert 0 < fewest < case.rows
        found = anonymize(Blocks(), case.table, case.table.sensitive, case.settings({"suppress": "0.95"}), seed)
        assert found.reached
        assert found.suppressed == fewest == int((found.groups < 0).sum()), seed
        assert case.holds(groups_of(found.groups))


def test_fewer_than_the_share_that_would_be_needed_are_not_suppressed() -> None:
    case = small(31, 9)
    fewest = EveryPartition(case).fewest_suppressed()
    for rows, reached in ((fewest, True), (fewest - 1, False)):
        found = anonymize(Blocks(), case.table, case.table.sensitive, case.settings({"suppress": f"{rows}/{case.rows}"}), 0)
        assert found.reached == reached

"""What approvers are shown beside figures."""

from __future__ import annotations

from tasks.release.closing.shown_rows import SAMPLE_ROWS, shown_rows
from tests.unit.tasks.release.finished import Made


def test_each_table_has_its_sample_and_quasi_identifiers_their_spread(finished: Made) -> None:
    shown = shown_rows(finished.run, finished.transformed, finished.planned, finished.written, finished.gated)
    assert [(sample.table, len(sample.rows)) for sample in shown.samples] == [("table-1", SAMPLE_ROWS), ("table-2", SAMPLE_ROWS)]
    assert set(shown.spread) <= {"age", "sex", "region", "admitted"}
    assert set(shown.examples) <= {"table-1", "table-2"}


def test_without_tables_nothing_is_beside_the_source(finished: Made) -> None:
    shown = shown_rows(finished.run, finished.transformed, finished.planned, (), ())
    assert (shown.samples, dict(shown.examples), dict(shown.spread)) == ((), {}, {})

"""How many cells MinRisk took out is told of published rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tasks.release.steps.anonymize_tables import Agreed
from tasks.release.steps.count_suppressed_cells import count_suppressed_cells
from tasks.release.steps.ingest_source import ingest_source
from tasks.release.steps.transform_source import suppress_cells
from tests.unit.tasks.clinic import Clinic
from tests.unit.tasks.release.finished import run_in


@pytest.mark.slow
def test_cells_of_people_who_are_suppressed_are_not_counted(tmp_path: Path) -> None:
    """The counts were those of all rows: what was missing among the published ones was taken from somebody who is suppressed."""
    (tmp_path / "clinic").mkdir()
    clinic = Clinic(tmp_path / "clinic")
    clinic.policy["suppress_cells"] = {"keep": 2, "among": ["age", "sex", "education"], "dictionary": "source"}
    run = run_in(tmp_path / "home", clinic.load())
    read = ingest_source(run)
    suppressed = suppress_cells(run, read)
    after, before = run.spool.get(suppressed.table), run.spool.get(read.ingested).table
    kept = np.arange(60) % 4 != 3
    counted = count_suppressed_cells(run, read, suppressed, Agreed(run.spool.put(kept), 15))
    gone = {name: int((after[name].codes != before[name].codes)[kept].sum()) for name in ("age", "sex", "education")}
    assert counted.cells == {name: number for name, number in gone.items() if number}
    assert sum(counted.cells.values()) == kept.sum()
    assert sum(suppressed.cells.values()) == 60

"""What a share stands for follows from what is published, and from nobody else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headgate.core.errors import InputRejected
from tasks.reading.references import LoadedPolicy
from tasks.release.run import Run
from tasks.release.steps.anonymize_tables import Agreed
from tasks.release.steps.ingest_source import ingest_source
from tasks.release.steps.promise_published import promise_published
from tasks.release.steps.resolve_shares import resolve_shares
from tasks.release.steps.transform_source import transform_source
from tests.unit.tasks.clinic import Clinic, csv_text, decoded
from tests.unit.tasks.release.finished import Made, finish, run_in

KEPT = np.arange(60) % 6 != 1
INCOME = {"role": "sensitive", "kind": "number", "domain": [0, 500000], "publish_as": {"round": 100, "top": 0.8, "bottom": 0.2}}


def clinic_with(folder: Path, suppressed: str | None) -> LoadedPolicy:
    """`suppressed`: the income of everybody who is not published; else as it is."""
    folder.mkdir()
    clinic = Clinic(folder)
    clinic.policy["attributes"]["income"] = INCOME
    for place in np.flatnonzero(~KEPT):
        clinic.rows[place]["income"] = clinic.rows[place]["income"] if suppressed is None else suppressed
    clinic.write_source(csv_text(clinic.rows).encode())
    return clinic.load()


def published_income(run: Run, kept: np.ndarray) -> tuple[Any, list[Any]]:
    read = ingest_source(run)
    transformed = transform_source(run, read)
    agreed = Agreed(run.spool.put(kept), int((~kept).sum()))
    resolved = resolve_shares(run, read, transformed, agreed)
    table = run.spool.get(resolved.encoded).table
    cells, original = decoded(table, "income"), decoded(run.spool.get(resolved.encoded).original, "income")
    assert run.spool.get(resolved.columns) is table
    assert all(cell in (None, before) for cell, before in zip(cells, original, strict=True))
    return table["income"], [cell for cell, here in zip(cells, kept, strict=True) if here]


@pytest.mark.slow
def test_a_bound_that_is_a_share_tells_nothing_of_people_who_are_suppressed(tmp_path: Path) -> None:
    """It was resolved on all rows: who compared it with the published rows could tell on which side of it the others lay."""
    told = []
    for name, income in (("as", None), ("poor", "2000"), ("rich", "500000"), ("unknown", "")):
        column, cells = published_income(run_in(tmp_path / f"{name} home", clinic_with(tmp_path / name, income)), KEPT)
        told.append((column.number_form, column.domain, cells))
    assert told[0] == told[1] == told[2] == told[3]
    form, domain, cells = told[0]
    assert (float(form.bottom), float(form.top)) == domain == ends_of(KEPT)
    present = [cell for cell in cells if cell is not None]
    assert (min(present), max(present)) == domain


def ends_of(rows: np.ndarray) -> tuple[float, float]:
    """Bottom and top by brute force, of these rows of the clinic."""
    present = sorted(float(np.round(1000.5 * (row % 17) / 100) * 100) for row in np.flatnonzero(rows) if row % 9)
    place = int(np.ceil(0.8 * len(present)))
    return present[-place], present[place - 1]


def test_where_too_few_of_those_who_are_published_lie_beyond_a_bound_it_is_refused(tmp_path: Path) -> None:
    loaded = clinic_with(tmp_path / "clinic", None)
    with pytest.raises(InputRejected, match=r"In 'income', [0-4] rows? lies? below publish_as.bottom 0.2; at least k = 5 must"):
        published_income(run_in(tmp_path / "home", loaded), np.arange(60) < 20)


def test_without_a_share_nothing_changes(finished: Made) -> None:
    assert resolve_shares(finished.run, finished.read, finished.transformed, finished.agreed) is finished.transformed


@pytest.mark.slow
def test_a_release_with_shares_passes_all_steps_and_promises_the_bounds_of_what_is_published(tmp_path: Path) -> None:
    run = run_in(tmp_path / "home", clinic_with(tmp_path / "clinic", None))
    made = finish(Made(run, ingest_source(run)))
    income = next(column for column in run.spool.get(made.planned.promise).sensitive if column.name == "income")
    assert income.published_as is not None
    assert income.published_as.top is not None
    kept = np.arange(60) % 17 < 13  # those with most are not published
    agreed = Agreed(run.spool.put(kept), int((~kept).sum()))
    fewer = promise_published(run, resolve_shares(run, made.read, made.transformed, agreed), made.planned, agreed)
    other = next(column for column in run.spool.get(fewer.promise).sensitive if column.name == "income")
    assert other.published_as is not None
    assert other.published_as.top < income.published_as.top

"""Step 7: MLflow is told of a release that passed and of one that was refused; it is a list here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import StoreUnavailable
from policies.ledger.events import RunTracked
from tasks.release.closing import track_release as tracking
from tasks.release.closing.assemble import report_content
from tasks.release.closing.so_far import SoFar
from tasks.release.closing.track_release import track_release
from tasks.reporting.mlflow_record import TrackedRelease
from tasks.reporting.report import candidate_page
from tests.unit.tasks.release.finished import PICTURES, Made


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[TrackedRelease, Path]]:
    records: list[tuple[TrackedRelease, Path]] = []
    monkeypatch.setattr(tracking, "draw_release", lambda _: PICTURES)
    monkeypatch.setattr(tracking, "record_in_mlflow", lambda record, home: records.append((record, home)) or "m-7")
    return records


def test_the_run_of_mlflow_is_an_event_of_the_release(finished: Made, told: Any) -> None:
    tracked = track_release(finished.run, finished.so_far())
    assert tracked.mlflow_run_id == "m-7"
    assert (tracked.happened.kind, tracked.happened.payload) == (RunTracked, {"mlflow_run_id": "m-7"})
    ((record, home),) = told
    assert home == finished.run.home.root
    assert record.measured.passed
    assert record.measured.refusal == ""


def test_pictures_are_drawn_once_for_mlflow_and_for_the_page(finished: Made, told: Any) -> None:
    tracked = track_release(finished.run, finished.so_far())
    ((record, _),) = told
    assert record.pictures is PICTURES
    page = candidate_page(report_content(finished.run, finished.so_far(pictures=tracked.pictures)))
    assert page.pictures == {"plan": "<svg />"}
    assert [table.pictures for table in page.tables] == [{} for _ in finished.gated]


def test_a_release_that_its_gates_refuse_is_told_with_the_reason(finished: Made, told: Any) -> None:
    get, put = finished.run.spool.get, finished.run.spool.put
    judgement = get(finished.judged.judgement)
    missed = judgement.verdicts[0].model_copy(update={"passed": False, "required": 50.0})
    judged = replace(finished.judged, judgement=put(replace(judgement, verdicts=(missed, *judgement.verdicts[1:]))))
    track_release(finished.run, finished.so_far(judged=judged))
    ((record, _),) = told
    assert not record.measured.passed
    assert "50" in record.measured.refusal


def test_a_release_that_has_no_verdicts_yet_is_told_as_far_as_it_came(finished: Made, told: Any) -> None:
    track_release(finished.run, SoFar(read=finished.read, transformed=finished.transformed))
    ((record, _),) = told
    assert (record.measured.rows, record.measured.tables, record.measured.refusal, record.measured.passed) == (60, (), "", False)


def test_tracking_that_fails_stops_the_release(finished: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(*_: Any) -> str:
        raise StoreUnavailable("MLflow did not answer.", "Start it.")

    monkeypatch.setattr(tracking, "record_in_mlflow", absent)
    with pytest.raises(StoreUnavailable):
        track_release(finished.run, finished.so_far())

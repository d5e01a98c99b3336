"""Step 6, its end: one verdict for each gate and table, and what the release loses as a whole."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from policies.ledger.events import GatesJudged
from tasks.release.steps.anonymize_tables import Agreed
from tasks.release.steps.judge_release import Judged, judge_release, refusal_of
from tests.unit.claimed import claiming, required
from tests.unit.tasks.release.finished import Made


def judged_again(made: Made, **changes: Any) -> Judged:
    names = ("planned", "agreed", "gated", "attacked", "compared")
    given = {name: getattr(made, name) for name in names} | changes
    return judge_release(made.run, made.read, None, made.transformed, *(given[name] for name in names))


def test_there_is_one_verdict_for_each_gate_table_and_bound(finished: Made) -> None:
    verdicts = finished.run.spool.get(finished.judged.judgement).verdicts
    assert [(verdict.gate, verdict.table, verdict.attribute) for verdict in verdicts] == [
        ("k", "table-1", None),
        ("linkability", "table-1", None),
        ("k", "table-2", None),
        ("linkability", "table-2", None),
        ("closeness", "table-2", "education"),
        ("utility", "", None),
    ]
    assert (finished.judged.verdicts, finished.judged.failed) == (6, 0)
    assert finished.judged.happened.kind is GatesJudged
    assert finished.judged.happened.payload == {"verdicts": 6, "passed": 6, "failed": ()}
    assert refusal_of(finished.run, finished.judged) == ""


def test_the_release_loses_by_rows_and_shares_the_rows_suppressed(finished: Made) -> None:
    kept = finished.agreed.kept
    utility = finished.run.spool.get(judged_again(finished, agreed=Agreed(kept, 15)).judgement).utility
    losses = [finished.run.spool.get(table.measurement).table.figures.ncp for table in finished.gated]
    assert utility.ncp == pytest.approx(sum(losses) / 2)
    assert utility.suppressed_share == 0.25
    errors = [error for table in finished.gated for error in finished.run.spool.get(table.measurement).query_errors]
    assert utility.query_error_mean == pytest.approx(sum(errors) / len(errors), rel=0.01)


def test_one_gate_that_is_missed_refuses_the_release_by_its_own_sentence(finished: Made) -> None:
    get, put = finished.run.spool.get, finished.run.spool.put
    stricter = replace(
        finished.planned, promise=put(get(finished.planned.promise).requiring(required("k", 50), required("linkability", "0.1")))
    )
    judged = judged_again(finished, planned=stricter)
    assert judged.happened.payload == {"verdicts": 6, "passed": 2, "failed": ("k", "linkability")}
    assert judged.failed == 4
    assert "50" in refusal_of(finished.run, judged)


def test_what_could_not_be_measured_has_not_passed(finished: Made) -> None:
    get, put = finished.run.spool.get, finished.run.spool.put
    measurement = get(finished.gated[1].measurement)
    blind = replace(measurement, table=replace(measurement.table, figures=claiming(measurement.table.figures, closeness=None)))
    judged = judged_again(finished, gated=(finished.gated[0], replace(finished.gated[1], measurement=put(blind))))
    assert judged.happened.payload["failed"] == ("closeness",)
    assert "could not be measured" in refusal_of(finished.run, judged)

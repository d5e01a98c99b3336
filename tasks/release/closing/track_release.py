"""Step 7: parameters, figures and pictures in MLflow. Tracking that fails stops the release. The page shows the same pictures."""

from __future__ import annotations

from dataclasses import dataclass, replace

from policies.jobs.spool import Reference
from policies.ledger.events import RunTracked
from tasks.release.closing.assemble import tracked_release
from tasks.release.closing.so_far import SoFar
from tasks.release.run import Happened, Run
from tasks.release.steps.judge_release import refusal_of
from tasks.reporting.mlflow_runs import track_release as record_in_mlflow
from tasks.reporting.release_charts import Pictures, draw_release


@dataclass(frozen=True)
class Tracked:
    mlflow_run_id: str
    pictures: Reference[Pictures]
    happened: Happened


def track_release(run: Run, done: SoFar) -> Tracked:
    refusal = "" if done.judged is None else refusal_of(run, done.judged)
    record = tracked_release(run, done, refusal)
    pictures = draw_release(record.measured)
    mlflow_run_id = record_in_mlflow(replace(record, pictures=pictures), run.home.root)
    return Tracked(mlflow_run_id, run.spool.put(pictures), Happened(RunTracked, {"mlflow_run_id": mlflow_run_id}))

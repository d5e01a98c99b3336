"""Step 7: parameters, figures and plots in MLflow. Tracking that fails stops the release."""

from __future__ import annotations

from dataclasses import dataclass

from policies.ledger.events import RunTracked
from tasks.release.closing.assemble import tracked_release
from tasks.release.closing.so_far import SoFar
from tasks.release.run import Happened, Run
from tasks.release.steps.judge_release import refusal_of
from tasks.reporting.mlflow_runs import track_release as record_in_mlflow


@dataclass(frozen=True)
class Tracked:
    mlflow_run_id: str
    happened: Happened


def track_release(run: Run, done: SoFar) -> Tracked:
    refusal = "" if done.judged is None else refusal_of(run, done.judged)
    mlflow_run_id = record_in_mlflow(tracked_release(run, done, refusal), run.home.root)
    return Tracked(mlflow_run_id, Happened(RunTracked, {"mlflow_run_id": mlflow_run_id}))

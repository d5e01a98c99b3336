"""A sweep of settings: each a child run in MLflow, with figures only; nothing is shown that could not be recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


def runs_of(home: Path, parent: str) -> tuple[Any, list[Any], Any]:
    from mlflow import MlflowClient

    client = MlflowClient(tracking_uri=f"sqlite:///{home}/mlflow.db")
    run = client.get_run(parent)
    children = client.search_runs([run.info.experiment_id], f"tags.`mlflow.parentRunId` = '{parent}'")
    return run, list(children), client


@pytest.fixture(autouse=True)
def embedded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)


def explored(project: Any) -> dict[str, Any]:
    """One sweep for all tests that only look at what came of it."""

    def explore() -> dict[str, Any]:
        sweep = ("--k", "5,10", "--delta", "0.3,0.5", "--delta", "0.99", "--epsilon", "0,0.05", "--json")
        outcome = project.run("explore", project.policy, *sweep)
        assert outcome.code == 0, outcome.err
        return dict(outcome.json)

    return dict(project.once("explored", explore))


def test_every_setting_is_a_child_run_with_its_figures(project: Any) -> None:
    found = explored(project)
    parent, children, client = runs_of(project.home, found["mlflow_run_id"])
    assert len(children) == 12 * len(found["tables"]) == len(found["runs"])
    assert parent.info.status == "FINISHED"
    by_name = {tuple(run.data.params[name] for name in ("table", "k", "delta", "epsilon")): run for run in children}
    assert len(by_name) == len(children)
    for told in found["runs"]:
        run = by_name[str(told["table"]), str(told["k"]), f"{told['delta']:g}", f"{told['epsilon']:g}"]
        assert run.data.metrics["reached"] == told["reached"]
        if told["reached"]:
            assert run.data.metrics["ncp"] == told["ncp"]
            assert run.data.metrics["risk"] == pytest.approx(1 - told["delta_reached"])
            assert run.data.metrics["groups"] == told["groups"]
            assert {"delta_reached", "query_error_mean", "query_error_median", "linkability"} <= set(run.data.metrics)
    folder = Path(client.download_artifacts(found["mlflow_run_id"], "pictures", str(project.folder)))
    assert (folder / "frontier.png").read_bytes().startswith(b"\x89PNG")


def test_the_frontier_is_what_no_other_setting_beats(project: Any) -> None:
    found = explored(project)
    reached = [one for one in found["settings"] if one["reached"]]
    for one in reached:
        others = [other for other in reached if other["epsilon"] == one["epsilon"] and other is not one]
        beaten = any(
            other["delta_reached"] >= one["delta_reached"]
            and other["ncp"] <= one["ncp"]
            and (other["delta_reached"], other["ncp"]) != (one["delta_reached"], one["ncp"])
            for other in others
        )
        assert not (beaten and one["frontier"])
    assert any(one["frontier"] for one in reached)


def test_mlflow_is_told_no_value_and_no_name_of_an_attribute(project: Any) -> None:
    found = explored(project)
    parent, children, _ = runs_of(project.home, found["mlflow_run_id"])
    for run in (parent, *children):
        told = f"{run.data.params} {run.data.metrics} {run.data.tags} {run.info.run_name}"
        assert not [name for name in ("diagnosis", "income", "education", "flu", "tertiary", "region", "person-") if name in told]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--k", "1"), "k = 1"),
        (("--k", "5,many"), "k = many"),
        (("--k", "5,,10"), "empty"),
        (("--epsilon", "-0.1"), "ε = -0.1"),
        (("--epsilon", "near"), "ε = near"),
        (("--delta", "1.5"), "--delta"),
        (("--k", "301"), "300 rows"),
    ],
)
def test_settings_that_mean_nothing_end_in_two_before_anything_is_tried(project: Any, options: tuple[str, str], said: str) -> None:
    outcome = project.run("explore", project.policy, *options, "--json")
    assert outcome.code == 2
    assert said in outcome.json["error"]["message"]
    assert outcome.json["error"]["cure"]


def test_without_a_store_for_runs_nothing_is_explored(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    outcome = project.run("explore", project.policy, "--k", "5", "--delta", "0.3", "--json")
    assert outcome.code == 6
    assert "settings" not in outcome.json

"""A sweep of settings: what is tried, what is told of it and what is not. The store of runs is a list here."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import InputRejected, StoreUnavailable
from tasks.advice import explore as exploring
from tasks.advice.advice_trials import TrialSetting
from tasks.advice.explore import DELTAS, Explored, Grid, explore
from tasks.reporting.mlflow_record import RunContent
from tasks.runtime.home import Home

OWN = TrialSetting(5, "0.05", "0.55")


def test_a_grid_is_read_as_a_person_writes_it_and_equal_numbers_are_one() -> None:
    grid = Grid.of(["10", "5", "10"], ["0.10", "0", "0.1"], ["0.7", "1/2", "0.50"])
    assert grid == Grid((5, 10), ("0", "0.1"), ("0.5", "0.7"))
    assert Grid.of([], [], []) == Grid()


@pytest.mark.parametrize(
    ("sizes", "epsilons", "deltas", "said"),
    [
        (["1"], [], [], "k = 1 is not"),
        (["many"], [], [], "k = many is not"),
        (["-5"], [], [], "k = -5 is not"),
        (["٥"], [], [], "is not a valid group size"),
        ([], ["-0.1"], [], "ε = -0.1 is not"),
        ([], ["near"], [], "ε = near is not"),
        ([], [], ["1.5"], "--delta is not a number between 0 and 1"),
        ([], [], ["0.1234567"], "more than six decimals"),
    ],
)
def test_a_setting_that_means_nothing_is_refused(sizes: list[str], epsilons: list[str], deltas: list[str], said: str) -> None:
    with pytest.raises(InputRejected) as caught:
        Grid.of(sizes, epsilons, deltas)
    assert said in caught.value.message
    assert caught.value.code == 2
    assert caught.value.cure


def test_what_was_not_said_lies_around_the_policys_own_setting() -> None:
    grid = Grid().around(OWN, (2, 5, 10))
    assert (grid.sizes, grid.epsilons) == ((2, 5, 10), ("0.05",))
    assert grid.deltas == tuple(sorted([*DELTAS, "0.55"]))
    assert Grid().around(TrialSetting(5), (5,)).epsilons == ("0.1",)
    said = Grid((3,), ("0",), ("0.5",))
    assert said.around(OWN, ()) == said


def test_settings_are_those_whose_groups_the_table_has_rows_for() -> None:
    grid = Grid((5, 10, 61), ("0", "0.1"), ("0.3", "0.5"))
    settings = grid.settings(60)
    assert len(settings) == len(set(settings)) == 2 * 2 * 2
    assert {setting.k for setting in settings} == {5, 10}
    with pytest.raises(InputRejected, match="4 rows are too few for every k"):
        grid.settings(4)


@dataclass
class Store:
    """What was told, in the order in which it happened."""

    happened: list[str] = field(default_factory=list)
    parent: RunContent | None = None
    children: list[RunContent] = field(default_factory=list)

    def require(self, dataset: str, _home: Path) -> None:
        self.happened.append(f"store opened for {dataset}")

    def track(self, dataset: str, _runner: str, parent: RunContent, children: Any, _home: Path) -> str:
        self.happened.append(f"told of {dataset}")
        self.parent, self.children = parent, list(children)
        return "run-7"


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Store:
    store = Store()
    monkeypatch.setattr(exploring, "require_tracking", store.require)
    monkeypatch.setattr(exploring, "track_runs", store.track)
    return store


@pytest.fixture
def explored(policy_path: Path, store: Store, tmp_path: Path) -> Explored:
    grid = Grid.of(["5", "10"], ["0.05"], ["0.1", "0.9"])
    return explore(policy_path, grid, Home.open(tmp_path / "home"), lambda done, expected, rows: store.happened.append("tried"))


def test_every_setting_is_told_and_the_store_is_opened_before_anything_is_tried(explored: Explored, store: Store) -> None:
    assert store.happened[0] == "store opened for clinic"
    assert store.happened[-1] == "told of clinic"
    assert store.happened.count("tried") >= 4
    assert explored.run_id == "run-7"
    assert [(run.parameters["k"], run.parameters["delta"]) for run in store.children] == [
        ("5", "0.1"),
        ("5", "0.9"),
        ("10", "0.1"),
        ("10", "0.9"),
    ]
    assert store.parent is not None
    assert store.parent.last_values["settings"] == 4
    assert store.parent.last_values["settings_reached"] == sum(setting.reached for setting in explored.settings)


def test_what_is_told_of_a_setting_are_its_figures_and_of_one_not_reached_none(explored: Explored, store: Store) -> None:
    for run, (number, setting, tried) in zip(store.children, explored.of_tables, strict=True):
        values = run.last_values
        assert run.name == f"table-{number} k {setting.k} epsilon 0.05 delta {setting.delta}"
        assert values["reached"] == tried.reached
        if tried.reached:
            assert (values["ncp"], values["groups"]) == (tried.loss, tried.groups)
            assert values["risk"] == pytest.approx(1 - values["delta_reached"])
        else:
            assert set(values) == {"reached", "passed"}
    assert {tried.reached for _, _, tried in explored.of_tables} == {True, False}


def test_nothing_that_is_told_names_an_attribute_or_a_value(explored: Explored, store: Store) -> None:
    runs = [store.parent, *store.children]
    told = " ".join(f"{run.name} {run.parameters} {run.points} {run.tags}" for run in runs if run is not None)
    assert not [name for name in ("income", "age", "sex", "region", "north", "female", "CANARY") if name in told]


def test_a_setting_that_a_table_did_not_reach_has_no_figures_and_is_not_on_the_frontier(explored: Explored) -> None:
    missed = [place for place, setting in enumerate(explored.settings) if not setting.reached]
    assert missed
    assert not explored.frontier & set(missed)
    for place in missed:
        assert explored.settings[place].refused == ("not reached",)
    reached = [place for place, setting in enumerate(explored.settings) if setting.reached]
    assert min(reached, key=lambda place: explored.settings[place].loss or 0) in explored.frontier


def test_the_document_holds_every_setting_and_every_run(explored: Explored) -> None:
    document = json.loads(json.dumps(explored.to_json()))
    assert (document["dataset"], document["mlflow_run_id"], document["tables"]) == ("clinic", "run-7", [["income"]])
    assert [(setting["k"], setting["epsilon"], setting["delta"]) for setting in document["settings"]] == [
        (5, 0.05, 0.1), (5, 0.05, 0.9), (10, 0.05, 0.1), (10, 0.05, 0.9),
    ]  # fmt: skip
    assert [run["table"] for run in document["runs"]] == [1] * 4
    assert [setting["frontier"] for setting in document["settings"]] == [place in explored.frontier for place in range(4)]


def test_more_settings_than_can_be_told_are_refused_before_the_store_is_opened(
    policy_path: Path, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exploring, "MOST_RUNS", 3)
    with pytest.raises(InputRejected, match="4 settings on 1 table need more than 3 runs") as caught:
        explore(policy_path, Grid.of(["5", "10"], ["0.05"], ["0.1", "0.9"]), Home.open(tmp_path / "home"))
    assert "shorter lists" in caught.value.cure
    assert store.happened == []


def test_without_a_store_nothing_is_tried(policy_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(*_: Any) -> None:
        raise StoreUnavailable("MLflow did not answer.", "Start it.")

    monkeypatch.setattr(exploring, "require_tracking", absent)
    tried: list[Any] = []
    with pytest.raises(StoreUnavailable):
        explore(policy_path, Grid.of(["5"], ["0.05"], ["0.1"]), Home.open(tmp_path / "home"), lambda *done: tried.append(done))
    assert tried == []

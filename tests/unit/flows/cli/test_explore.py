"""`headgate explore`: what it is asked to try, and how it shows what was tried."""

from __future__ import annotations

from typing import Any

import pytest

from flows.cli.explore import _split
from headgate.core.errors import InputRejected
from tasks.advice import explore as exploration
from tasks.advice.explore import Explored, Grid


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch, without_server: None) -> list[Grid]:
    """The grids that were to be tried; nothing is grouped, and MLflow hears of nothing."""
    grids: list[Grid] = []

    def explored(path: Any, grid: Grid, home: Any, progress: Any) -> Explored:
        grids.append(grid)
        setting = exploration.ExploredSetting
        reached = setting(5, "0.1", "0.5", 0.62, 0.25, 0.125, 0.1, 0.15, 0.5, ("closeness of job", "k", "linkability"))
        unreached = setting(10, "0.1", "0.9", None, None, None, None, None, None, ("not reached",))
        return Explored("clinic", "run-1", (("job",), ("a=x", "a=y")), (reached, unreached), frozenset({0}), ())

    monkeypatch.setattr(exploration, "explore", explored)
    return grids


def test_lists_have_commas_and_an_option_may_be_repeated(run: Any, clinic: Any, tried: list[Grid]) -> None:
    clinic.load()
    explored = run("explore", clinic.folder / "policy.yaml", "--k", "10, 5", "--k", "5", "--epsilon", "0,0.10", "--delta", "0.5", "--json")
    assert (explored.code, explored.err) == (0, "")
    assert tried == [Grid((5, 10), ("0", "0.1"), ("0.5",))]


def test_the_document_is_what_was_explored(run: Any, clinic: Any, tried: list[Grid]) -> None:
    clinic.load()
    document = run("explore", clinic.folder / "policy.yaml", "--json").json
    assert list(document) == ["dataset", "mlflow_run_id", "tables", "settings", "runs"]
    assert [setting["frontier"] for setting in document["settings"]] == [True, False]
    assert tried == [Grid()]


def test_people_see_a_line_per_setting_the_frontier_and_the_first_gates_that_refuse(run: Any, clinic: Any, tried: list[Grid]) -> None:
    clinic.load()
    shown = run("explore", clinic.folder / "policy.yaml")
    lines = shown.out.splitlines()
    assert (shown.code, shown.err) == (0, "")
    assert lines[0] == "clinic: 2 settings of 2 tables"
    assert lines[1:3] == ["table-1: job", "table-2: a=x, a=y"]
    assert lines[4].split() == [
        "5",
        "0.1",
        "0.5",
        "0.62",
        "0.25",
        "12.5",
        "%",
        "(≤",
        "15.0",
        "%)",
        "0.50",
        "◆",
        "closeness",
        "of",
        "job,",
        "k",
    ]
    assert lines[5].split() == ["10", "0.1", "0.9", "–", "–", "–", "–", "not", "reached"]
    assert lines[-1] == "mlflow run run-1"


@pytest.mark.parametrize(("option", "text"), [("--k", "5,,10"), ("--k", "1"), ("--k", "some"), ("--epsilon", "-1"), ("--delta", "1.5")])
def test_a_list_that_means_nothing_is_bad_input_before_anything_is_tried(
    run: Any, clinic: Any, tried: list[Grid], option: str, text: str, tmp_path: Any
) -> None:
    clinic.load()
    assert run("explore", clinic.folder / "policy.yaml", option, text, "--json").error["code"] == 2
    assert tried == []
    assert not (tmp_path / "home").exists()


def test_an_entry_is_never_empty() -> None:
    assert _split(["5, 10", "20"]) == ["5", "10", "20"]
    assert _split([]) == []
    with pytest.raises(InputRejected, match="empty entry"):
        _split(["5,"])

"""A step passes on what it is given, by place or by name, and says which table it is about."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from headgate.core.errors import Defect
from tasks.release import release_steps as steps
from tasks.release.release_steps import Step


@dataclass(frozen=True)
class Subject:
    table: str


@pytest.fixture
def timed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What the run's clock was told; steps are called without Prefect."""
    calls: list[tuple[str, str]] = []

    def without_prefect(_name: str, _retries: int, _run_name: Any) -> Any:
        return lambda function: lambda run, *given: function(run.unwrap(), *given)

    monkeypatch.setattr(steps, "prefect_task", without_prefect)
    return calls


@pytest.fixture
def run(timed: list[tuple[str, str]]) -> Any:
    return SimpleNamespace(clock=SimpleNamespace(timed=lambda step, table: timed.append((step, table)) or nullcontext()))


def act(_run: Any, first: int, subject: Subject, last: int = 0) -> tuple[int, str, int]:
    return first, subject.table, last


def test_what_is_given_by_name_arrives(timed: Any, run: Any) -> None:
    """It was dropped without a word, and the step worked on its default."""
    step = Step("act", act, about="subject")
    assert step(run, 1, Subject("table-2"), last=3) == (1, "table-2", 3)
    assert step(run, last=3, subject=Subject("table-1"), first=1) == (1, "table-1", 3)
    assert timed == [("act", "table-2"), ("act", "table-1")]


def test_a_step_is_about_a_table_only_where_it_says_so(timed: Any, run: Any) -> None:
    """The last argument was taken for it, whatever it was."""
    assert Step("act", act)(run, 1, Subject("table-1")) == (1, "table-1", 0)
    assert Step("named", lambda _run, table: table, about="table")(run, "table-2") == "table-2"
    assert timed == [("act", ""), ("named", "table-2")]


def test_a_step_cannot_be_about_an_argument_that_it_has_not() -> None:
    with pytest.raises(Defect, match="'table'"):
        Step("act", act, about="table")


def test_what_a_step_no_longer_uses_goes_back_to_the_system(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Previously what each took at its height stayed beside what the next one took: of two million rows 400 MB."""
    given_back: list[str] = []
    monkeypatch.setattr(steps, "give_back", lambda: given_back.append("memory"))
    Step("act", act)(run, 1, Subject("table-1"))
    assert given_back == ["memory"]

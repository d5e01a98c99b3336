from __future__ import annotations

import json
from pathlib import Path

import pytest

from tasks.release.listener import Listener
from tasks.release.observed_steps import observed
from tasks.release.stopwatch import Stopwatch
from tasks.runtime.json_log import VARIABLE
from tasks.runtime.traces import ENDPOINTS


class Heard(Listener):
    def __init__(self) -> None:
        self.said: list[tuple[object, ...]] = []

    def began(self, step: str, table: str = "") -> None:
        self.said.append(("began", step, table))

    def ended(self, step: str, table: str, seconds: float, well: bool) -> None:
        self.said.append(("ended", step, table, well))

    def working(self, step: str, done: int, total: int, what: str) -> None:
        self.said.append(("working", step, done, total, what))


@pytest.fixture(autouse=True)
def _nobody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*ENDPOINTS, VARIABLE):
        monkeypatch.delenv(name, raising=False)


def test_where_nobody_asks_the_listener_is_the_one_that_was_given() -> None:
    heard = Heard()
    with observed(heard, "r1", "people") as listener:
        assert listener is heard


def test_each_step_is_a_line_and_so_is_the_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, f"json:{tmp_path / 'log'}")
    heard = Heard()

    def release() -> None:
        with observed(heard, "r1", "people") as listener:
            watch = Stopwatch(listener)
            with watch.timed("ingest"):
                listener.working("ingest", 1, 2, "rows")
            with watch.timed("gate", "table-1"):
                raise ValueError("a cell of somebody")

    with pytest.raises(ValueError, match="somebody"):
        release()
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [(line["event"], line.get("step"), line.get("table"), line["outcome"]) for line in lines] == [
        ("step", "ingest", None, "done"),
        ("step", "gate", "table-1", "stopped"),
        ("release", None, None, "stopped"),
    ]
    assert {(line["release"], line["dataset"]) for line in lines} == {("r1", "people")}
    assert all(line["seconds"] >= 0 for line in lines)
    assert heard.said == [
        ("began", "ingest", ""),
        ("working", "ingest", 1, 2, "rows"),
        ("ended", "ingest", "", True),
        ("began", "gate", "table-1"),
        ("ended", "gate", "table-1", False),
    ]

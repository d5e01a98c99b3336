"""What `headgate serve` starts so that people are told, and what it says."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from flows.notice_watch import COMMAND, NoticeWatch, _start, take_addresses
from tasks.runtime.home import Home
from tests.unit.tasks.ledger.conftest import tamper


class Started:
    """In the place of a process that sends."""

    def __init__(self) -> None:
        self.commands: list[tuple[str, ...]] = []
        self.ended = True

    def __call__(self, command: Any, environment: Any) -> Any:
        assert environment == {"OPS": "json://s3cr3t"}
        self.commands.append(tuple(command))
        return self

    def poll(self) -> int | None:
        return 0 if self.ended else None

    def kill(self) -> None:
        self.ended = True

    def wait(self, _seconds: float) -> None:
        return


@pytest.fixture
def started() -> Started:
    return Started()


@pytest.fixture
def watch(world: Any, started: Started) -> NoticeWatch:
    (world.home.root / "operator.yaml").write_text("notify: [{to: 'env:OPS', kinds: [candidate-waits]}]\n")
    made = NoticeWatch(world.home, {"OPS": "json://s3cr3t"}, started)
    made.look()
    assert started.commands == []
    return made


def test_where_something_is_to_be_sent_one_process_is_started_at_a_time(watch: NoticeWatch, started: Started, world: Any) -> None:
    watch.look()
    assert started.commands == []
    world.seal()
    started.ended = False
    watch.look()
    watch.look()
    assert started.commands == [COMMAND]
    started.ended = True
    watch.look()
    assert started.commands == [COMMAND] * 2


def test_a_process_that_hangs_is_ended_and_another_is_started(watch: NoticeWatch, started: Started, world: Any) -> None:
    watch._sender.most_seconds = -1.0
    world.seal()
    started.ended = False
    watch.look()
    watch.look()
    assert started.commands == [COMMAND] * 2


def test_once_a_day_the_whole_is_audited_where_somebody_wants_to_know(watch: NoticeWatch, started: Started, world: Any) -> None:
    (world.home.root / "operator.yaml").write_text("notify: [{to: 'env:OPS'}]\n")
    watch.look()
    assert started.commands == [(*COMMAND, "--verify")]
    watch.look()
    world.seal()
    started.ended = False
    watch.look()
    assert started.commands == [(*COMMAND, "--verify"), COMMAND]  # one that came to no end is tried later, and keeps no message waiting


def test_a_ledger_that_does_not_verify_is_said_once(watch: NoticeWatch, world: Any, capsys: pytest.CaptureFixture[str]) -> None:
    world.seal()
    tamper(world.home.ledger, "UPDATE events SET actor = 'eve' WHERE seq = 3")
    watch.look()
    watch.look()
    assert capsys.readouterr().err.count("notifications: the ledger does not verify") == 1


def test_whatever_is_wrong_serve_goes_on(watch: NoticeWatch, world: Any, capsys: pytest.CaptureFixture[str]) -> None:
    (world.home.root / "operator.yaml").write_text("notify: nobody\n")
    watch.look()
    watch.look()
    assert capsys.readouterr().err.count("notifications: Not accepted: operator.yaml") == 1


def test_where_nobody_is_to_be_told_nothing_is_made(world: Any, started: Started) -> None:
    NoticeWatch(world.home, {}, started).look()
    assert not (world.home.state / "outbox.db").exists()


def test_addresses_are_taken_from_what_runs_inherit(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {**os.environ, "OPS": "json://s3cr3t"})
    (world.home.root / "operator.yaml").write_text("notify: [{to: 'env:OPS'}, {to: 'file:/etc/ops'}]\n")
    assert take_addresses(world.home)["OPS"] == "json://s3cr3t"
    assert "OPS" not in os.environ


def test_the_process_that_sends_is_quiet_and_ends_with_the_watch(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    made = NoticeWatch(Home(tmp_path), {})
    speaking = (sys.executable, "-c", "import sys, time; print(1); print(2, file=sys.stderr, flush=True); time.sleep(60)", "--verify")
    process = _start(speaking, {})
    made._auditor.fill(process)
    assert os.getpriority(os.PRIO_PROCESS, process.pid) == 19
    made.stop()
    assert process.poll() is not None
    with _start((sys.executable, "-c", "import sys; print(2, file=sys.stderr)"), {"HEADGATE_LOG": "json"}) as heard:
        assert heard.wait(60) == 0
    assert capfd.readouterr() == ("", "2\n")


def test_what_happened_while_there_was_no_operator_yaml_is_told_to_nobody(watch: NoticeWatch, started: Started, world: Any) -> None:
    """With an empty one it was so; without one everything was told as soon as it was back."""
    file = world.home.root / "operator.yaml"
    said = file.read_text()
    file.unlink()
    world.seal()
    watch.look()
    file.write_text(said)
    watch.look()
    assert started.commands == []

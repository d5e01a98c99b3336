from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from headgate.core.errors import InputRejected
from tasks.runtime.json_log import VARIABLE, LogLine, is_logging, log, place_of, rendered

NOW = datetime(2025, 6, 1, 12, 0, 0, 1000, UTC)


def test_a_line_is_one_object_with_the_time_the_level_and_what_happened() -> None:
    line = LogLine("step", "info", "r1", "people", "anonymize", "table-1", outcome="done", seconds=1.23456)
    text = rendered(line, NOW)
    assert text.endswith("}\n")
    assert text.count("\n") == 1
    assert json.loads(text) == {
        "time": "2025-06-01T12:00:00.001+00:00",
        "level": "info",
        "event": "step",
        "release": "r1",
        "dataset": "people",
        "step": "anonymize",
        "table": "table-1",
        "outcome": "done",
        "seconds": 1.235,
    }


HOSTILE = ["a cell of somebody", "O'Hara", 'x","level":"info', "a\nb", "a\x1b[2J", "Zoë", "/home/anna/x.csv", "x" * 200, "", "-x", "a=b"]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_what_is_no_plain_word_stands_in_no_line(hostile: str) -> None:
    said = json.loads(rendered(LogLine("step", hostile, hostile, hostile, hostile, hostile, hostile, hostile, hostile), NOW))
    assert set(said) == {"time", "level", "event"}
    assert said["level"] == "error"


def test_no_field_takes_what_is_no_word_or_number() -> None:
    assert "secret" not in rendered(LogLine("failed", error=str(ValueError("a secret cell"))), NOW)


def test_lines_are_added_to_a_file_that_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "log.jsonl"
    monkeypatch.setenv(VARIABLE, f"json:{place}")
    for event in ("one", "two"):
        log(LogLine(event))
    assert [json.loads(line)["event"] for line in place.read_text().splitlines()] == ["one", "two"]
    assert place.stat().st_mode & 0o777 == 0o600


def test_without_a_file_lines_go_to_stderr_as_the_process_has_it(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(VARIABLE, "json")
    log(LogLine("one"))
    seen = capfd.readouterr()
    assert seen.out == ""
    assert json.loads(seen.err)["event"] == "one"


def test_nothing_is_logged_where_nobody_asks(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    log(LogLine("one"))
    assert not is_logging()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("asked", ["text", "json:relative.jsonl", "json:/no/such/folder/log", "json:/dev/full"])
def test_a_log_that_cannot_be_written_stops_nothing(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, asked)
    log(LogLine("one"))


def test_what_is_not_understood_is_named() -> None:
    with pytest.raises(InputRejected, match="HEADGATE_LOG"):
        place_of("text")

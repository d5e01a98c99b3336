"""What stops a command becomes one message, one exit code and, where asked for, one JSON object."""

import json
import os
import signal

import pytest

from flows.cli import app
from flows.terminal.exit_codes import OUTCOMES, reported, run_application
from headgate.core.errors import (
    InputRejected,
    IntegrityBroken,
    PolicyInvalid,
    Refusal,
    RequirementNotMet,
    StoreUnavailable,
    TransitionRefused,
)

REFUSALS = [
    (PolicyInvalid("p", "c"), 2),
    (InputRejected("i", "c"), 2),
    (RequirementNotMet("The risk is 0.5; at most 0.4 is allowed.", "c", "risk", 0.5, 0.4), 3),
    (TransitionRefused([Refusal("rule", "reason")], "c"), 4),
    (IntegrityBroken("i", "c"), 5),
    (StoreUnavailable("s", "c"), 6),
    (ValueError("CANARY"), 1),
    (KeyboardInterrupt(), 130),
]


def outcome(problem: BaseException | None, capsys: pytest.CaptureFixture[str], **options: bool) -> tuple[int, str, str]:
    @reported
    def command(json: bool = False) -> None:
        if problem is not None:
            raise problem

    code = 0
    try:
        command(**options)
    except SystemExit as stop:
        code = int(stop.code or 0)
    seen = capsys.readouterr()
    return code, seen.out, seen.err


@pytest.mark.parametrize(("problem", "code"), REFUSALS, ids=lambda value: type(value).__name__)
def test_each_error_ends_with_its_exit_code_and_no_traceback(problem: BaseException, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    found, out, err = outcome(problem, capsys)
    assert found == code
    assert out == ""
    assert "Traceback" not in err
    assert "Cure:" in err


@pytest.mark.parametrize(("problem", "code"), REFUSALS, ids=lambda value: type(value).__name__)
def test_json_is_one_object_on_stdout_on_failure_too(problem: BaseException, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = outcome(problem, capsys, json=True)
    error = json.loads(out)["error"]
    assert error["code"] == code
    assert error["message"]
    assert error["cure"]


def test_the_text_of_a_foreign_exception_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, err = outcome(ValueError("CANARY"), capsys, json=True)
    assert "CANARY" not in out + err
    assert "ValueError" in out


def test_a_command_that_ends_well_exits_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(None, capsys) == (0, "", "")


def test_sigterm_ends_a_command_as_ctrl_c_does(capsys: pytest.CaptureFixture[str]) -> None:
    @reported
    def command() -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        signal.pause()

    with pytest.raises(SystemExit) as stop:
        command()
    assert stop.value.code == 130


@pytest.mark.parametrize("arguments", [["check"], ["nonsense"], ["release"], ["approve", "abcdefgh"], ["--unknown"]])
def test_what_cannot_be_parsed_is_bad_input(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_application(app, [*arguments, "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == 2


@pytest.mark.parametrize(("problem", "code"), REFUSALS, ids=lambda value: type(value).__name__)
def test_the_log_says_how_a_command_ended_and_not_why(problem, code, capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("HEADGATE_LOG", f"json:{tmp_path / 'log'}")
    outcome(problem, capsys)
    line = json.loads((tmp_path / "log").read_text())
    assert (line["event"], line["command"], line["outcome"]) == ("command", "command", OUTCOMES[code])
    assert set(line) == {"time", "level", "event", "command", "outcome", "seconds"}

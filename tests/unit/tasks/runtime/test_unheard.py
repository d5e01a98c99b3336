"""Nobody hears what somebody else's code says."""

from __future__ import annotations

import logging
import sys
import threading
import warnings

import pytest

from tasks.runtime.unheard import unheard


def talk() -> None:
    print("CANARY")
    print("CANARY", file=sys.stderr)
    sys.stdout.writelines(["CANARY\n"])
    sys.stdout.buffer.write(b"CANARY\n")
    sys.stderr.write(warnings.formatwarning("CANARY", UserWarning, "somebodys.py", 1, ""))  # as warnings are shown
    logging.getLogger("somebody.else").propagate = False
    logging.getLogger("somebody.else").error("CANARY")


@pytest.fixture(autouse=True)
def _own_streams(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, getattr(sys, name))


def test_prints_warnings_and_logs_are_dropped(capsys: pytest.CaptureFixture[str]) -> None:
    talk()
    assert capsys.readouterr().err.count("CANARY") == 3  # otherwise they are heard
    with unheard():
        talk()
    seen = capsys.readouterr()
    assert (seen.out, seen.err) == ("", "")


def test_what_headgate_says_itself_is_heard_before_after_and_in_other_threads(capsys: pytest.CaptureFixture[str]) -> None:
    print("before")
    with unheard(), unheard():
        print("CANARY")
        other = threading.Thread(target=print, args=("meanwhile",))
        other.start()
        other.join()
    print("after")
    assert capsys.readouterr().out == "before\nmeanwhile\nafter\n"


def test_an_exception_ends_the_silence(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError), unheard():
        raise ValueError
    print("heard")
    assert capsys.readouterr().out == "heard\n"

"""Code that a policy names runs only if the operator has listed its module."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from headgate.core.distance import FunctionFailed
from headgate.core.errors import InputRejected
from tasks.runtime.callables import callable_distance

MODULE = "a_distance_of_somebodys"


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module that leaves a trace as soon as it is imported."""
    (tmp_path / f"{MODULE}.py").write_text(
        f"open({str(tmp_path / 'imported')!r}, 'w').close()\n"
        "def apart(a, b):\n    return float(a != b)\n"
        "def talkative(a, b):\n    raise ValueError(f'CANARY {a}')\n"
        "number = 1\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("HEADGATE_CALLABLES", raising=False)
    yield tmp_path / "imported"
    sys.modules.pop(MODULE, None)


def promised(name: str) -> Any:
    return SimpleNamespace(callable=f"{MODULE}:{name}")


@pytest.mark.parametrize("listed", [None, "", "os,json", f"{MODULE}.more", MODULE[:-1]])
def test_a_module_that_is_not_listed_is_not_even_imported(module: Path, monkeypatch: pytest.MonkeyPatch, listed: str | None) -> None:
    if listed is not None:
        monkeypatch.setenv("HEADGATE_CALLABLES", listed)
    with pytest.raises(InputRejected, match="operator's list") as refusal:
        callable_distance(promised("apart"))
    assert refusal.value.cure
    assert not module.exists()


def test_a_listed_one_is_the_distance_and_its_exceptions_stay_inside(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADGATE_CALLABLES", f"other, {MODULE}")
    found = callable_distance(promised("apart"))
    assert found is not None
    assert found.function is not None
    assert (found.function("a", "a"), found.function("a", "b")) == (0.0, 1.0)
    talkative = callable_distance(promised("talkative"))
    assert talkative is not None
    assert talkative.function is not None
    with pytest.raises(FunctionFailed, match=rf"^ValueError at {MODULE}\.py:5$") as caught:
        talkative.function("CANARY-cell", "b")
    assert caught.value.__context__ is None
    for name in ("number", "absent"):
        with pytest.raises(InputRejected, match="does not exist or cannot be called"):
            callable_distance(promised(name))


def test_a_promise_without_a_callable_needs_none() -> None:
    assert callable_distance(SimpleNamespace(callable=None)) is None  # type: ignore[arg-type]


def test_what_a_listed_module_says_is_not_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "a_talkative_module_of_somebodys"
    (tmp_path / f"{name}.py").write_text(
        "import sys\nprint('CANARY')\ndef apart(a, b):\n    print(a)\n    sys.stderr.write(a)\n    return 1.0\n"
        "class Bare(BaseException): pass\ndef bare(a, b):\n    raise Bare(a)\ndef leaving(a, b):\n    sys.exit(a)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("HEADGATE_CALLABLES", name)
    for stream in ("stdout", "stderr"):
        monkeypatch.setattr(sys, stream, getattr(sys, stream))
    distances = {word: callable_distance(SimpleNamespace(callable=f"{name}:{word}")) for word in ("apart", "bare", "leaving")}  # type: ignore[arg-type]
    assert distances["apart"].function("CANARY", "b") == 1.0  # type: ignore[union-attr, misc]
    for word in ("bare", "leaving"):
        with pytest.raises(FunctionFailed) as caught:
            distances[word].function("CANARY", "b")  # type: ignore[union-attr, misc]
        assert "CANARY" not in str(caught.value)
    seen = capsys.readouterr()
    assert "CANARY" not in seen.out + seen.err


def test_a_module_that_breaks_when_it_is_imported_tells_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a_broken_module_of_somebodys.py").write_text("raise SystemExit('CANARY')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("HEADGATE_CALLABLES", "a_broken_module_of_somebodys")
    with pytest.raises(InputRejected, match="raised SystemExit at a_broken_module_of_somebodys.py:1 when it was imported") as caught:
        callable_distance(SimpleNamespace(callable="a_broken_module_of_somebodys:apart"))  # type: ignore[arg-type]
    assert "CANARY" not in str(caught.value)

"""Which engine works on a release."""

from __future__ import annotations

import subprocess
import sys

import pytest

from headgate.core.errors import InputRejected
from tasks.cluster import engine_choice
from tasks.cluster.engine_choice import EngineChoice, chosen_engine, engine_here, working_with

ADDRESS = "tls://10.0.0.1:8786"


@pytest.fixture(autouse=True)
def _nothing_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADGATE_ENGINE", "")
    monkeypatch.setenv("HEADGATE_SCHEDULER", "")


def test_it_is_this_process_unless_somebody_says_otherwise() -> None:
    assert engine_here() == chosen_engine() == EngineChoice("local", None)
    assert chosen_engine("dask") == EngineChoice("dask", None)
    assert chosen_engine(None, ADDRESS) == chosen_engine("dask", ADDRESS) == EngineChoice("dask", ADDRESS)


def test_the_environment_says_it_for_schedules_and_a_command_has_the_last_word() -> None:
    EngineChoice("dask", ADDRESS).hand_down()
    assert engine_here() == EngineChoice("dask", ADDRESS)
    assert chosen_engine("local") == EngineChoice("local", None)
    assert chosen_engine("dask") == EngineChoice("dask", ADDRESS)
    EngineChoice("dask").hand_down()
    assert engine_here() == EngineChoice("dask", None)
    with working_with(EngineChoice("local")):
        assert engine_here().is_local
    assert not engine_here().is_local


@pytest.mark.parametrize("address", ["tcp://10.0.0.1:8786", "10.0.0.1:8786", "ucx://10.0.0.1:8786", "inproc://", "TLS://10.0.0.1:8786"])
def test_a_scheduler_without_tls_is_refused(address: str) -> None:
    with pytest.raises(InputRejected, match="tls://"):
        chosen_engine(None, address)


def test_what_does_not_fit_together_is_refused() -> None:
    with pytest.raises(InputRejected, match="no such engine"):
        chosen_engine("spark")
    with pytest.raises(InputRejected, match="the engine is local"):
        chosen_engine("local", ADDRESS)


def test_without_dask_its_installation_is_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_choice, "find_spec", lambda _name: None)
    with pytest.raises(InputRejected, match=r"headgate\[dask\]"):
        chosen_engine("dask")
    assert chosen_engine("local").is_local


def test_who_does_not_choose_dask_does_not_import_it() -> None:
    said = (
        "import sys, tasks.release.run, flows.cli; print([name for name in sys.modules if name.split('.')[0] in ('dask', 'distributed')])"
    )
    assert subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True).stdout.strip() == "[]"

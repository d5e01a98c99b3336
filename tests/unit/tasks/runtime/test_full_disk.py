"""A server that broke because its disk is full."""

from __future__ import annotations

import shutil
from collections import namedtuple
from pathlib import Path

import httpx
import pytest

from headgate.core.errors import StoreUnavailable
from tasks.runtime.boundary import outward_form
from tasks.runtime.full_disk import CURE, prefect_has_no_room
from tasks.runtime.prefect_server import prefect_api

Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path))
    monkeypatch.setattr(shutil, "disk_usage", lambda place: {str(tmp_path): Usage(2**30, 2**30, 4096)}[str(place)])


def test_a_disk_with_room_and_one_that_cannot_be_asked_are_not_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path))
    assert not prefect_has_no_room()
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "gone"))
    assert not prefect_has_no_room()
    monkeypatch.delenv("PREFECT_HOME")
    assert not prefect_has_no_room()


def test_an_error_of_prefects_server_on_a_full_disk_is_said_to_be_that(full: None) -> None:
    """Previously the command was to be run again first."""
    broken = outward_form(httpx.HTTPError("500"), "write")
    assert broken.message == "Step write got an error from Prefect's server: the disk of its home is full."
    assert broken.cure == CURE


def test_a_server_that_stops_answering_on_a_full_disk_is_said_to_be_full(full: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Previously nobody said a word of the disk, and the next run ended in the same way."""
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:9/api")
    monkeypatch.setattr("tasks.runtime.prefect_server._require_answer", lambda _url: None)
    with pytest.raises(StoreUnavailable) as lost, prefect_api():
        raise RuntimeError
    assert lost.value.message == "Prefect's server stopped answering before the end: the disk of its home is full."
    assert lost.value.cure == "Free space, see with `headgate releases` what came of it, then run the command again."

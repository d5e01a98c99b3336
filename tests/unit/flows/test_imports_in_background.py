"""What a process imports in the background, once; a failure is no answer for good."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from flows import release
from tasks.expectations import running
from tasks.reporting import mlflow_runs


@pytest.fixture
def imported(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    done: list[str] = []

    def fails_once() -> None:
        done.append("tried")
        if len(done) == 1:
            raise ImportError("not this time")

    monkeypatch.setattr(running, "import_great_expectations", fails_once)
    monkeypatch.setattr(mlflow_runs, "import_mlflow", lambda: None)
    release._imports.cache_clear()
    yield done
    release._imports.cache_clear()


def test_an_import_that_failed_is_tried_again_by_the_next_release(imported: list[str]) -> None:
    """The failure was kept for as long as the process lived."""
    with pytest.raises(ImportError):
        release.import_in_background().result(5)
    release.import_in_background().result(5)
    assert release.import_in_background() is release.import_in_background()
    assert len(imported) == 2

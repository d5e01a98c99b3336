"""What Prefect's own server keeps of a run that goes on for a while."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from flows.shown_progress import shown_progress
from tasks.release import kept_progress as kept
from tasks.release.kept_progress import kept_progress
from tasks.release.listener import Listener
from tasks.release.run import Run
from tasks.runtime.home import Home
from tasks.runtime.prefect_server import prefect_api


@pytest.mark.slow
@pytest.mark.usefixtures("prefect_server")
def test_a_runs_page_in_prefect_has_a_bar_of_its_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from prefect import flow

    monkeypatch.setattr(kept, "EVERY_SECONDS", 0.0)
    run = cast(Run, SimpleNamespace(home=Home(tmp_path / "home"), release_id="r1"))

    @flow(name="followed", persist_result=False)
    def followed() -> str:
        from prefect.runtime import flow_run

        with kept_progress(run.home, run.release_id, Listener()) as listener, shown_progress(run, 0.05):
            listener.began("anonymize", "table-1")
            listener.working("anonymize", 300, 400, "rows grouped")
            time.sleep(0.5)
        return str(flow_run.id)

    with prefect_api():
        bars = asyncio.run(_bars(followed()))
    assert bars == [(75.0, "Anonymizing table-1: 300 of 400 rows grouped")]


async def _bars(flow_run: str) -> list[tuple[object, str | None]]:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterKey

    async with get_client() as client:
        bars = await client.read_artifacts(artifact_filter=ArtifactFilter(key=ArtifactFilterKey(any_=["progress-r1"])))
        return [(bar.data, bar.description) for bar in bars if str(bar.flow_run_id) == flow_run]

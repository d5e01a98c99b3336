"""Which releases at a Prefect server a home starts again."""

from __future__ import annotations

import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flows import start_missed as flow
from flows.schedules.wanted_deployments import made_by
from flows.start_missed import served_there
from tasks.runtime.prefect_deployments import Deployed
from tasks.signing.home_keys import home_fingerprint


def release(dataset: str, *tags: str) -> Deployed:
    words = {"parameters": {"policy": f"/policies/{dataset}.yaml"}}
    return Deployed(uuid.UUID(int=1), f"release/{dataset}", ("headgate", *tags), False, words)


def test_those_of_this_home_and_of_a_file_but_of_no_other_home(world: Any) -> None:
    own = made_by(home_fingerprint(world.home.keys))
    there = (
        release("ours", own),
        release("of-a-file"),
        release("theirs", made_by("SHA256:another")),
        replace(release("paused", own), paused=True),
        replace(release("of-an-earlier-version", own), words={"parameters": {"policy": "shipped:no-more"}}),
        replace(release("of-nobody", own), words={"parameters": {"policy": "~no-such-user/policy.yaml"}}),
        replace(release("not-headgates"), tags=()),
        replace(release("queue", own), full_name="publish-approved/publish-approved"),
    )
    served = served_there(world.home, there)
    assert {dataset: one.path for dataset, one in served.items()} == {
        "ours": Path("/policies/ours.yaml"),
        "of-a-file": Path("/policies/of-a-file.yaml"),
    }


def test_what_nobody_does_any_more_is_ended_before_anything_is_started(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setenv("HEADGATE_HOME", str(world.home.root))
    monkeypatch.setattr(flow, "crash_abandoned", lambda own_server: done.append(f"ended, own server: {own_server}"))
    monkeypatch.setattr(flow, "deployments_there", lambda: done.append("read") or ())
    flow.start_missed.fn()
    assert done == ["ended, own server: False", "read"]

"""A release by Dask workers: what it publishes is what this process would have published."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import psutil
import pytest

from tasks.cluster import opened_cluster
from tasks.release import run as release_run
from tasks.release.steps import attack_tables, gate_tables, ingest_source


@pytest.fixture(autouse=True)
def _one_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two releases of one seed make the same groups; each shuffles its rows with a key of its own."""
    monkeypatch.setattr(release_run, "secrets", SimpleNamespace(token_bytes=lambda many: b"s" * many))
    monkeypatch.setattr(opened_cluster, "cores", lambda: 2)


def published(outcome: Any) -> dict[str, list[list[tuple[str, ...]]]]:
    """The rows of each group of each table, sorted: groups have no numbers then."""
    tables = {}
    for table in outcome.json["tables"]:
        frame = pd.read_csv(Path(outcome.json["folder"]) / table["path"], dtype=str, keep_default_na=False)
        groups = frame.groupby("group", sort=False)
        tables[table["name"]] = sorted(sorted(rows.drop(columns="group").itertuples(index=False, name=None)) for _, rows in groups)
    return tables


@contextmanager
def one_killed(home: Path) -> Iterator[list[int]]:
    """The first worker that there is dies once there is work."""
    killed: list[int] = []
    over = threading.Event()

    def kill() -> None:
        while not over.wait(0.02):
            if [path for path in home.glob("staging/*-shared/*") if path.is_file()]:
                workers = [child for child in psutil.Process().children(recursive=True) if "spawn_main" in " ".join(child.cmdline())]
                if workers:
                    workers[0].kill()
                    killed.append(workers[0].pid)
                    return

    killing = threading.Thread(target=kill)
    killing.start()
    try:
        yield killed
    finally:
        over.set()
        killing.join()


@pytest.mark.long
def test_two_workers_of_which_one_is_killed_publish_what_this_process_does(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    here = project.run("release", project.policy, "--engine", "local", "--json")
    assert here.code == 0, here.err

    def not_here(*_given: Any) -> Any:
        raise AssertionError("workers read the source, measure tables and attack them")

    for module, function in ((ingest_source, "ingest"), (gate_tables, "measure_closely"), (attack_tables, "try_attacks")):
        monkeypatch.setattr(module, function, not_here)  # in this process
    with one_killed(project.home) as killed:
        there = project.run("release", project.policy, "--engine", "dask", "--json")
    assert there.code == 0, there.err
    assert killed
    assert published(there) == published(here)
    assert there.json["plan"] == here.json["plan"]
    assert [{**verdict, "table": ""} for verdict in there.json["gates"]] == [{**verdict, "table": ""} for verdict in here.json["gates"]]
    assert Counter(path.name for path in (project.home / "staging").iterdir()) == Counter()
    ended = time.monotonic() + 30
    while any("spawn_main" in " ".join(child.cmdline()) for child in psutil.Process().children(recursive=True)):
        assert time.monotonic() < ended, "workers end with their release"
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--scheduler", "tcp://127.0.0.1:8786"), "tls://"),
        (("--engine", "local", "--scheduler", "tls://127.0.0.1:8786"), "the engine is local"),
        (("--engine", "spark"), "no such engine"),
    ],
)
def test_where_no_work_may_be_sent_nothing_is_begun(project: Any, arguments: tuple[str, ...], sentence: str) -> None:
    outcome = project.run("release", project.policy, *arguments)
    assert outcome.code == 2
    assert sentence in outcome.err.replace("\n", " ")
    assert not (project.home / "ledger.db").exists()

"""`headgate metrics`: the figures of a home, once on stdout."""

from __future__ import annotations

from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from headgate.core.errors import StoreUnavailable
from tasks.metrics.home_metrics import HomeMetrics
from tests.free_port import free_port


def test_the_figures_are_on_stdout_and_nothing_is_written(run: Any, world: Any) -> None:
    world.seal()
    before = sorted(path for path in world.home.root.rglob("*"))
    told = run("metrics")
    families = {family.name: family for family in text_string_to_metric_families(told.out)}
    assert (told.code, told.err) == (0, "")
    assert families["headgate_releases"].samples[0].labels == {"dataset": "people", "state": "awaiting_approval"}
    assert sorted(path for path in world.home.root.rglob("*")) == before


def test_a_home_without_a_ledger_is_refused(run: Any) -> None:
    assert run("metrics").code == StoreUnavailable.code


def test_others_need_a_token(run: Any, world: Any) -> None:
    refused = run("metrics", "--port", "9464", "--listen", "0.0.0.0")
    assert (refused.code, "HEADGATE_METRICS_TOKEN" in refused.err) == (2, True)


def test_whoever_stops_it_sees_no_failure(run: Any, world: Any, monkeypatch: Any) -> None:
    """A service manager does so with SIGTERM, and would have called it failed."""

    def stopped(self: HomeMetrics) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(HomeMetrics, "read_through", stopped)
    monkeypatch.setattr("tasks.runtime.parent_watch.end_with_server", lambda: None)
    ended = run("metrics", "--port", str(free_port()))
    assert (ended.code, "Stopped before" in ended.err) == (0, False)

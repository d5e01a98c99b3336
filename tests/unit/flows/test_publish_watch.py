"""What people have approved is published within moments, and where there is nothing to publish nothing is started."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from flows import publish_watch
from flows.publish_watch import PublishWatch
from headgate.core.errors import StoreUnavailable
from policies.sealed.manifest import PublicationMoment
from tasks.approval.purging_by_rule import LOOKED
from tasks.ledger import open_ledger
from tasks.publication import publication_queue

EVERY_MINUTE = PublicationMoment(cron="* * * * *", timezone="Europe/Rome")


class Starts:
    """In the place of Prefect's server."""

    def __init__(self) -> None:
        self.runs, self.busy = 0, False

    def __call__(self) -> bool:
        self.runs += not self.busy
        return not self.busy


@pytest.fixture
def starts() -> Starts:
    return Starts()


@pytest.fixture
def watch(world: Any, starts: Starts, monkeypatch: pytest.MonkeyPatch) -> PublishWatch:
    """It goes by the machine's clock, so the world does too."""
    world.clock.moment = datetime.now(UTC).replace(microsecond=0)
    monkeypatch.setattr(open_ledger, "read_ledger", lambda _home: world.ledger)
    world.home.state.mkdir(mode=0o700, exist_ok=True)
    (world.home.state / LOOKED).write_text("{}")
    return PublishWatch(world.home, starts)


def test_nothing_is_started_until_enough_people_have_approved(watch: PublishWatch, starts: Starts, world: Any) -> None:
    watch.look()
    candidate = world.seal()
    watch.look()
    world.approve(candidate, "ann")
    watch.look()
    assert starts.runs == 0
    world.approve(candidate, "bob")
    watch.look()
    assert starts.runs == 1


def test_a_ledger_that_has_not_grown_is_not_read_again(
    watch: PublishWatch, starts: Starts, world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    queue = publication_queue.publication_queue
    monkeypatch.setattr(publication_queue, "publication_queue", lambda ledger: read.append(1) or queue(ledger))
    world.seal()
    for _ in range(3):
        watch.look()
    assert len(read) == 1
    world.seal()
    watch.look()
    assert len(read) == 2


def test_what_is_published_later_is_started_at_its_moment(watch: PublishWatch, starts: Starts, world: Any) -> None:
    candidate = world.seal(not_before=EVERY_MINUTE)
    world.approve(candidate, "ann", "bob")
    watch.look()
    assert starts.runs == 0
    world.clock.moment += timedelta(minutes=1)
    watch.look()
    assert starts.runs == 1


def test_a_deadline_that_has_passed_is_recorded(watch: PublishWatch, starts: Starts, world: Any) -> None:
    world.expires = timedelta(days=30)
    world.seal()
    watch.look()
    assert starts.runs == 0
    world.clock.moment += timedelta(days=400)
    watch.look()
    assert starts.runs == 1


def test_what_is_kept_too_long_is_looked_for_now_and_then(watch: PublishWatch, starts: Starts, world: Any) -> None:
    long_ago = time.time() - 7 * 3600
    os.utime(world.home.state / LOOKED, (long_ago, long_ago))
    watch.look()
    assert starts.runs == 1


def test_what_cannot_be_published_is_tried_again_but_not_at_once(
    watch: PublishWatch, starts: Starts, world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr(publish_watch.time, "monotonic", lambda: now[0])
    world.approve(world.seal(), "ann", "bob")
    watch.look()
    watch.look()
    assert starts.runs == 1
    now[0] += publish_watch.PUBLISH_SECONDS
    starts.busy = True
    watch.look()
    assert starts.runs == 1
    starts.busy = False
    watch.look()
    assert starts.runs == 1
    now[0] += publish_watch.BUSY_SECONDS
    watch.look()
    assert starts.runs == 2


def test_what_keeps_it_from_looking_is_said_once_and_it_looks_again(
    watch: PublishWatch, starts: Starts, world: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    world.approve(world.seal(), "ann", "bob")
    with monkeypatch.context() as away:
        away.setattr(open_ledger, "read_ledger", lambda _home: (_ for _ in ()).throw(StoreUnavailable("No database.", "Start it.")))
        watch.look()
        watch.look()
    assert capsys.readouterr().err.count("publication: Store unavailable: No database.") == 1
    watch.look()
    assert starts.runs == 1


def test_in_a_home_that_is_gone_nothing_is_started(
    watch: PublishWatch, starts: Starts, world: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    world.approve(world.seal(), "ann", "bob")
    world.home.root.rename(world.home.root.with_name("elsewhere"))
    watch.look()
    assert (starts.runs, capsys.readouterr().err.count("publication: ")) == (0, 1)

"""Whoever starts a release hears of it, and of no other."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from tasks.release.listener import Listener, listener_here, listening


def test_a_listener_is_heard_inside_its_block_only_and_blocks_nest() -> None:
    outer, inner = Listener(), Listener()
    with listening(outer):
        assert listener_here() is outer
        with listening(inner):
            assert listener_here() is inner
        assert listener_here() is outer
    assert listener_here() not in (outer, inner)


def test_a_block_that_breaks_lets_its_listener_go() -> None:
    listener = Listener()

    def start() -> None:
        with listening(listener):
            raise ValueError

    with pytest.raises(ValueError):
        start()
    assert listener_here() is not listener


def test_releases_in_other_threads_do_not_tell_this_listener() -> None:
    here, there = Listener(), Listener()
    seen: list[Listener] = []

    def other() -> None:
        seen.append(listener_here())
        with listening(there):
            seen.append(listener_here())

    with listening(here):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert listener_here() is here
    assert seen[0] is not here
    assert seen[1] is there


def test_without_a_listener_a_release_tells_one_of_its_own() -> None:
    """What one release says at its end must not be another's account."""
    assert listener_here() is not listener_here()


def test_the_account_is_kept_at_the_end() -> None:
    listener, account = Listener(), object()
    listener.began("ingest")
    listener.working("plan", 1, 2, "rows")
    listener.ended("ingest", "", 0.1, True)
    assert listener.account is None
    given: Any = account
    listener.finished(given)
    assert listener.account is account
    assert Listener.account is None

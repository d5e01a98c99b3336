"""`headgate withdraw`: signed, with a reason; `latest` goes back."""

from __future__ import annotations

import os
import signal
from typing import Any

from policies.ledger.states import State
from tasks.ledger.history import read_history
from tasks.stores.store_folder import FolderSeries


def test_withdrawing_brings_the_version_before_it_back(run: Any, world: Any, key_file: Any) -> None:
    first, second = world.published(), world.published()
    newest = run("withdraw", second.release.candidate[:8], "--key", key_file("ann"), "--reason", "a wrong column")
    assert (newest.code, newest.err) == (0, "")
    assert newest.out == f"Withdrawn: {second.release.candidate[:12]}; `latest` is version 1.\n"
    last = run("withdraw", "release-1", "--key", key_file("cyd"), "--reason", "wrong too", "--json")
    assert (last.code, last.err) == (0, "")
    assert last.json == {"candidate": first.release.candidate, "state": "withdrawn", "latest": None}


def test_a_stranger_or_a_blank_reason_withdraws_nothing(run: Any, world: Any, key_file: Any) -> None:
    world.published()
    assert run("withdraw", "release-1", "--key", key_file("stranger"), "--reason", "mine", "--json").error["code"] == 4
    assert run("withdraw", "release-1", "--key", key_file("ann"), "--reason", " ", "--json").error["code"] == 2
    assert run("withdraw", "no-such-release", "--key", key_file("ann"), "--reason", "wrong", "--json").error["code"] == 2
    assert read_history(world.ledger).find("release-1").state is State.PUBLISHED


def test_a_candidate_that_awaits_approval_is_withdrawn_by_who_ran_it(run: Any, world: Any, key_file: Any) -> None:
    candidate = world.seal()
    withdrawn = run("withdraw", candidate.id, "--key", key_file("runner"), "--reason", "a better one follows")
    assert (withdrawn.code, withdrawn.err) == (0, "")
    assert withdrawn.out == f"Withdrawn: {candidate.id[:12]}; it was never published.\n"


def test_withdrawing_again_says_who_did_and_is_not_for_strangers(run: Any, world: Any, key_file: Any) -> None:
    made = world.published()
    assert run("withdraw", "release-1", "--key", key_file("ann"), "--reason", "a wrong column").code == 0
    again = run("withdraw", "release-1", "--key", key_file("cyd"), "--reason", "another")
    day = world.ledger.entries()[-1].at[:10]
    said = f"{made.release.candidate[:12]} was withdrawn by ann on {day}; no version is left for `latest`.\n"
    assert (again.code, again.out) == (0, said)
    refused = run("withdraw", "release-1", "--key", key_file("stranger"), "--reason", "mine")
    assert (refused.code, refused.out) == (4, "")


def test_a_signal_during_the_withdrawal_does_not_make_it_say_that_nothing_happened(
    run: Any, world: Any, key_file: Any, monkeypatch: Any
) -> None:
    world.published()
    honest, signals = FolderSeries.point_latest, [signal.SIGTERM]

    def interrupted(self: FolderSeries, number: int | None) -> None:
        if signals:
            os.kill(os.getpid(), signals.pop())
        honest(self, number)

    monkeypatch.setattr(FolderSeries, "point_latest", interrupted)
    withdrawn = run("withdraw", "release-1", "--key", key_file("ann"), "--reason", "a wrong column", "--json")
    assert (withdrawn.code, withdrawn.json["state"]) == (0, "withdrawn")

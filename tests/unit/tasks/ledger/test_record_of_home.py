from __future__ import annotations

from dataclasses import replace

import pytest

from headgate.core.errors import InputRejected, IntegrityBroken, TransitionRefused
from policies.ledger.events import RunTracked
from policies.ledger.events_of_home import HOME, PersonInvited
from tasks.ledger.event_log import Ledger
from tasks.ledger.followed_ledger import FollowedLedger
from tasks.ledger.history import read_history, read_whole
from tasks.ledger.open_ledger import read_ledger
from tasks.ledger.record_of_home import ATTEMPTS, record_of_home
from tasks.runtime.home import Home
from tasks.verification.audit import export_ledger, verify_audit


def invited(person: str, by: str = "operator"):
    return lambda at: PersonInvited(at=at, person=person, invited_by=by)


def test_what_is_of_no_release_is_chained_with_the_rest_and_makes_no_release(world) -> None:
    first = record_of_home(world.ledger, invited("ann"), "operator")
    candidate = world.seal()
    record_of_home(world.ledger, invited("bob"), "operator")
    followed = FollowedLedger(world.ledger).history()
    assert [event.person for _, event in followed.of_home] == ["ann", "bob"]
    assert followed.of_home[0] == (1, first)
    for history in (followed, read_whole(world.ledger)):
        assert [release.candidate for release in history.releases()] == [candidate.id]
        with pytest.raises(InputRejected):
            history.find(HOME)
    assert [entry.version for entry in read_history(world.ledger).of(HOME)] == [1, 2]
    report = verify_audit(world.home, world.ledger)
    assert (report.events, report.releases) == (len(world.ledger.entries()), 1)
    assert export_ledger(world.ledger).count('"release": "home"') == 2


def test_the_first_event_of_all_may_be_of_the_home(tmp_path) -> None:
    home = Home.open(tmp_path / "home")
    record_of_home(read_ledger(home), invited("ann"), "operator")
    read_ledger(home).require_remembered()
    assert verify_audit(home, read_ledger(home)).events == 1


def test_two_that_record_at_once_are_both_recorded(world, monkeypatch: pytest.MonkeyPatch) -> None:
    append, overtaken = Ledger.append, []

    def slow(ledger, release, events, after, actor):
        if len(overtaken) < most:
            overtaken.append(actor)
            append(world.ledger, HOME, (invited("bob")(world.ledger.now().isoformat()),), after, "operator")
        return append(ledger, release, events, after, actor)

    monkeypatch.setattr(Ledger, "append", slow)
    most = 1
    record_of_home(replace(world.ledger), invited("ann"), "operator")
    assert [event.person for event in world.ledger.events_of(HOME)] == ["bob", "ann"]
    most = ATTEMPTS + 1
    with pytest.raises(TransitionRefused):
        record_of_home(world.ledger, invited("cyd"), "operator")


def test_a_release_is_never_named_like_the_home(world) -> None:
    at = world.ledger.now().isoformat()
    world.ledger.append(HOME, (RunTracked(release_id=HOME, at=at, mlflow_run_id="m"),), 0, "runner")
    with pytest.raises(IntegrityBroken):
        FollowedLedger(world.ledger).history()
    with pytest.raises(IntegrityBroken):
        read_whole(world.ledger)

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from headgate.core.errors import InputRejected, IntegrityBroken
from policies.gates.series_figures import SeriesFigures
from tasks.approval.inspection import view_candidate


def test_looking_at_a_candidate_is_recorded_with_the_account_and_changes_no_state(world) -> None:
    candidate, account = world.seal(), subprocess.check_output(["id", "-un"], text=True).strip()
    for times in (1, 2):
        viewed = view_candidate(world.home, world.ledger, candidate.id[:8])
        assert viewed.candidate == candidate
        assert viewed.release.state == "awaiting_approval"
        events = [event for event in world.ledger.events_of("release-1") if event.event == "viewed"]
        assert [event.viewer for event in events] == [account] * times


def test_a_candidate_is_found_by_its_releases_id_too(world) -> None:
    candidate = world.seal()
    assert view_candidate(world.home, world.ledger, "release-1").candidate == candidate
    with pytest.raises(InputRejected):
        view_candidate(world.home, world.ledger, "release-9")


def test_nobody_looks_at_a_candidate_in_anothers_name(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    account = subprocess.check_output(["id", "-un"], text=True).strip()
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.setenv(name, "somebody-else")
    view_candidate(world.home, world.ledger, world.seal().id)
    assert [event.viewer for event in world.ledger.events_of("release-1") if event.event == "viewed"] == [account]


def test_what_is_not_shown_is_not_recorded(world) -> None:
    candidate = world.seal()
    before = world.ledger.entries()
    with pytest.raises(InputRejected):
        view_candidate(world.home, world.ledger, "f" * 64)
    (candidate.folder / "report.html").chmod(0o644)
    (candidate.folder / "report.html").write_text("changed")
    with pytest.raises(IntegrityBroken):
        view_candidate(world.home, world.ledger, candidate.id)
    assert world.ledger.entries() == before


def test_the_versions_that_it_was_measured_with_are_named(world: Any) -> None:
    published = world.published().release
    series = SeriesFigures(earlier=(published.candidate, "ef" * 32), people=60, several=50, came=10, left=10)
    candidate = world.seal(series=series)
    seen = view_candidate(world.home, world.ledger, candidate.id)
    assert seen.versions == {published.candidate: f"version 1 of {published.started[:10]}"}

"""What a list of releases leaves out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from flows.terminal.release_filters import ReleaseFilters
from headgate.core.errors import InputRejected
from policies.ledger.standing import Release
from policies.ledger.states import State


@pytest.mark.parametrize(
    ("since", "kept"),
    [
        ("2026-11-19", True),
        ("2026-11-20", False),
        ("2026-11-19T20:39", True),
        ("2026-11-19T20:40", False),
        ("2026-11-19T21:39+01:00", True),
        ("2026-11-19T21:40+01:00", False),
    ],
)
def test_a_release_is_kept_from_the_moment_on_in_utc_or_in_the_zone_that_is_given(since: str, kept: bool, begun: Release) -> None:
    assert bool(ReleaseFilters.of(None, None, since).among([begun])) == kept


@pytest.fixture
def begun(world: object) -> Release:
    from tasks.ledger.history import read_whole

    world.seal()  # type: ignore[attr-defined]
    (release,) = read_whole(world.ledger).releases()  # type: ignore[attr-defined]
    return replace(release, started="2026-11-19T20:39:30+00:00")


@pytest.mark.parametrize("text", ["awaiting_approval", "awaiting-approval", " Awaiting approval "])
def test_a_state_is_written_as_it_is_shown_or_as_it_is_stored(text: str) -> None:
    assert ReleaseFilters.of(None, text, None).state is State.AWAITING_APPROVAL


@pytest.mark.parametrize("since", ["", "19.11.2026", "2026-13-01", "yesterday"])
def test_what_is_no_day_is_refused_with_an_example(since: str) -> None:
    with pytest.raises(InputRejected, match="not a day") as refusal:
        ReleaseFilters.of(None, None, since)
    assert "2026-11-19" in refusal.value.cure

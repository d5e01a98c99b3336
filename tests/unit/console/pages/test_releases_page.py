from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from console.pages.releases_page import waited
from tasks.approval.decisions import approve
from tests.unit.console.conftest import Client, House


def test_releases_say_what_waits_for_whom_and_what_is_published(client: Client, house: House) -> None:
    client.sign_in("bert")
    shown = client.see("/").text
    assert "Waiting for you" in shown
    assert f'href="/candidates/{house.candidates["awaiting"].id}"' in shown
    assert "1 person with the role" not in shown
    for section in ("Waiting for people", "To be published", "Datasets"):
        assert f"<h2>{section}</h2>" in shown
    assert "version 2" in shown


def test_what_somebody_has_signed_waits_for_others(client: Client) -> None:
    client.sign_in("steward")
    assert "Waiting for you" not in client.see("/").text


def test_a_dataset_shows_its_series(client: Client, house: House) -> None:
    client.sign_in("auditor")
    shown = client.see("/datasets/people").text
    assert all(candidate.id in shown for candidate in house.candidates.values())
    assert client.get("/datasets/none").status_code == 404
    assert client.get("/datasets/people?part=2").status_code == 404
    assert client.get("/datasets/people?part=0").status_code == 404


@pytest.mark.parametrize(
    ("passed", "said"),
    [
        (timedelta(seconds=30), (0, "minutes")),
        (timedelta(minutes=3), (3, "minutes")),
        (timedelta(hours=30), (30, "hours")),
        (timedelta(days=2), (2, "days")),
    ],
)
def test_how_long_something_waits_is_said_in_a_fitting_unit(passed: timedelta, said: tuple[int, str]) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert waited(now, now - passed) == said


def test_the_moment_of_a_hidden_vote_is_on_no_page(client: Client, house: House) -> None:
    candidate = house.world.seal("steward", blind=True, source_hmac="e" * 64)
    house.world.clock.moment += timedelta(minutes=7)
    approve(house.home, house.ledger, candidate.id, house.keys["anna"], "read")
    vote = house.ledger.last()
    assert vote is not None
    house.world.clock.moment += timedelta(minutes=7)
    client.sign_in("bert")
    for path in (
        "/",
        "/datasets/people",
        f"/runs/{vote.release}",
        f"/candidates/{candidate.id}",
        f"/audit?release={vote.release}",
        f"/audit/events/{vote.seq}",
    ):
        assert vote.at[:16] not in client.see(path).text.replace(" ", "T"), path

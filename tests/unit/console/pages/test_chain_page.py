from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from tasks.signing.keys import make_key
from tasks.verification.cosigned_heads import cosign
from tests.unit.console.conftest import Client, House


def test_the_chain_is_checked_when_somebody_asks_and_says_up_to_where_it_is_whole(client: Client, house: House) -> None:
    client.sign_in("auditor")
    assert client.post("/audit/chain").status_code == 303
    house.console.check.wait(60)
    page = client.see("/audit/chain").text
    assert house.console.check.last is not None
    assert house.console.check.last.holds, house.console.check.last
    assert "Whole up to event" in page
    assert "whole up to event" in client.see("/audit").text


def test_after_a_restart_the_page_still_says_up_to_where_it_was_whole(client: Client, house: House, monkeypatch) -> None:
    client.sign_in("auditor")
    client.post("/audit/chain")
    house.console.check.wait(60)
    event = house.ledger.events_of("home")[-1]
    monkeypatch.setattr(house.console.check, "last", None)
    page = client.see("/audit/chain").text
    assert f"Whole up to event {event.up_to:,}." in page
    assert "for auditor." in page
    assert f"whole up to event {event.up_to:,}" in client.see("/audit").text


def test_while_it_is_checked_the_page_says_how_far_and_reloads_without_a_script(client: Client, house: House, monkeypatch) -> None:
    check = house.console.check
    monkeypatch.setattr(type(check), "running", property(lambda self: True))
    monkeypatch.setattr(check, "done", 5_000)
    monkeypatch.setattr(check, "total", 20_000)
    client.sign_in("auditor")
    page = client.see("/audit/chain").text
    assert "5,000 of 20,000 events" in page
    assert '<noscript><meta http-equiv="refresh"' in page
    assert 'data-follow="/audit/chain/events"' in page


def test_a_cosigned_head_is_compared_and_kept(client: Client, house: House, tmp_path: Path) -> None:
    key = make_key(tmp_path / "key")
    signed = cosign(house.ledger, key, tmp_path / "head")
    client.sign_in("auditor")
    files = {"head": ("cosigned-head.dsse.json", (tmp_path / "head").read_bytes())}
    assert client.post("/audit/chain/heads", files=files).status_code == 303
    page = client.see("/audit/chain").text
    assert key.fingerprint.replace("+", "&#43;") in page or key.fingerprint in page
    assert f"Up to event {signed.head.seq}" in page
    assert "compare its fingerprint" in page, "anybody may have signed it"
    for junk in (b"", b"{}", b"x" * 70_000):
        assert client.post("/audit/chain/heads", files={"head": ("x", junk)}).status_code == 400


def test_whoever_follows_is_told_at_once_and_when_nothing_goes_on_for_the_last_time(client: Client) -> None:
    client.sign_in("auditor")
    for path in ("/audit/chain/events", "/live/runs/none", "/live/runs"):
        answer = client.get(path)
        assert answer.status_code == 404 if path.endswith("none") else "data: changed" in answer.text


def test_whoever_follows_too_much_is_told_to_stop(client: Client, house: House) -> None:
    followers = house.console.followers
    client.sign_in("auditor")
    with ExitStack() as open_ones:
        for _ in range(followers.each):
            open_ones.enter_context(followers.following("auditor"))
        assert client.get("/audit/chain/events").status_code == 204
        assert client.get("/live/runs").status_code == 204
        client.sign_in("anna")
        assert client.get("/live/runs").status_code == 200
    client.sign_in("auditor")
    assert client.get("/live/runs").status_code == 200
    assert followers._open.total() == 0

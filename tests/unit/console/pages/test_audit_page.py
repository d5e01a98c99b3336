from __future__ import annotations

import hashlib
import json
import re

import pytest

from tasks.approval.decisions import approve
from tests.unit.console.conftest import Client, House


def seqs(page: str) -> list[int]:
    return [int(seq) for seq in re.findall(r'<a href="/audit/events/(\d+)">', page)]


def test_events_are_shown_page_by_page_and_each_opens(client: Client, house: House) -> None:
    client.sign_in("auditor")
    last = house.ledger.last()
    assert last is not None
    first = client.see("/audit").text
    assert seqs(first) == list(range(last.seq, last.seq - 50, -1))
    older = re.search(r'<a href="(/audit\?[^"]*before=[^"]*)" rel="next">', first)
    assert older is not None
    assert seqs(client.see(older[1].replace("&amp;", "&")).text)[0] == last.seq - 50
    assert seqs(client.see("/audit?view=timeline").text)
    one = client.see("/audit/events/1").text
    assert "run started" in one
    assert house.ledger.entries()[0].hash in one
    assert client.get("/audit/events/99999999").status_code == 404
    for path in ("/audit/events/0", "/audit/events/x", "/audit?before=0", "/audit?since=soon", "/audit?view=x"):
        assert client.get(path).status_code == 400


def test_filters_are_in_the_address(client: Client, house: House) -> None:
    client.sign_in("auditor")
    page = client.see("/audit?kind=approved&who=anna").text
    assert {house.ledger.entries()[seq - 1].actor for seq in seqs(page)} == {"anna"}
    candidate = house.candidates["rejected"].id
    page = client.see(f"/audit?release={candidate[:12]}").text
    assert {house.ledger.entries()[seq - 1].release for seq in seqs(page)} == {house.console.history().find(candidate).release_id}
    day = house.ledger.entries()[0].at[:10]
    assert seqs(client.see(f"/audit?since={day}&dataset=people").text)
    for nothing in ("dataset=none", "release=none", f"until=2000-01-01&since={day}", "who=<script>", "since=9999-12-31&until=9999-12-31"):
        page = client.see(f"/audit?{nothing}").text
        assert "No event is like that." in page
        assert "<script>" not in page.replace("<script src", "")


def test_to_open_the_event_of_a_candidate_is_an_event(client: Client, house: House) -> None:
    client.sign_in("operator")
    candidate = house.candidates["approved"].id
    release = house.console.history().find(candidate)
    seq = house.ledger.entries(release.release_id)[0].seq
    for _ in range(2):
        client.see(f"/audit/events/{seq}")
    assert house.console.history().find(candidate).events == release.events + 1
    assert house.ledger.entries(release.release_id)[-1].actor == "operator"


def test_what_is_taken_along_is_what_the_command_writes(client: Client, house: House) -> None:
    client.sign_in("auditor")
    before = house.ledger.events_of("home")
    lines = client.see("/audit/export").text.splitlines()
    assert [json.loads(line)["seq"] for line in lines] == [entry.seq for entry in house.ledger.entries()]
    lines = client.see("/audit/export?kind=rejected").text.splitlines()
    assert [json.loads(line)["type"] for line in lines] == ["rejected"]
    client.see("/audit/export")
    taken = house.ledger.events_of("home")[len(before) :]
    assert [(event.event, event.reader, event.filtered) for event in taken] == [
        ("exported", "auditor", False),
        ("exported", "auditor", True),
    ]
    assert taken[0].up_to == house.ledger.entries("home")[-2].seq - 1


@pytest.mark.slow
def test_evidence_is_gathered_elsewhere_and_taking_it_is_an_event(client: Client, house: House) -> None:
    client.sign_in("auditor")
    release = house.console.history().find(house.candidates["published"].id)
    answer = client.see(f"/audit/evidence/{release.release_id}")
    assert answer.headers["content-disposition"] == f'attachment; filename="evidence-{release.release_id}.tar.gz"'
    event = house.ledger.events_of(release.release_id)[-1]
    assert (event.event, event.reader, event.file_sha256) == ("downloaded", "auditor", hashlib.sha256(answer.content).hexdigest())
    assert client.get("/audit/evidence/nothing").status_code == 404


def test_no_page_of_the_trail_tells_who_has_voted_while_votes_are_hidden(client: Client, house: House) -> None:
    candidate = house.world.seal("steward", blind=True, source_hmac="d" * 64)
    approve(house.home, house.ledger, candidate.id, house.keys["anna"], "a secret reason")
    seq = house.ledger.last().seq
    release = house.console.history().find(candidate.id).release_id
    client.sign_in("bert")
    for path in (f"/audit?release={release}", f"/audit?release={release}&view=timeline", f"/audit/events/{seq}"):
        page = client.see(path).text
        assert "anna" not in page
        assert "a secret reason" not in page
    (vote,) = [line for line in map(json.loads, client.see(f"/audit/export?release={release}").text.splitlines()) if line["seq"] == seq]
    assert (vote["actor"], vote["at"], vote["payload"]) == ("", "", "")
    assert seqs(client.see(f"/audit?release={release}&who=anna").text) == []
    assert client.see(f"/audit/export?release={release}&who=anna").text == ""
    assert client.get(f"/audit/evidence/{release}").status_code == 403

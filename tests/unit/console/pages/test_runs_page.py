from __future__ import annotations

from policies.ledger.events import ExpectationsChecked, ReleaseRefused, RunStarted, SourceIngested
from tasks.release.kept_progress import KeptProgress, kept_progress
from tasks.release.listener import Listener
from tests.unit.console.conftest import Client, House


def begin(house: House, release: str, *more: str) -> None:
    base = {"release_id": release, "at": house.ledger.now().isoformat()}
    runner = house.console.history().find(house.candidates["awaiting"].id).runner
    events: list[object] = [RunStarted(**base, dataset="visits", policy_digest="a" * 64, runner=runner, product="x")]
    if "ingested" in more:
        events.append(SourceIngested(**base, rows=10, columns=2, source_hmac="9" * 64))
        events.append(ExpectationsChecked(**base, direction="inbound", expectations=1, successful=1))
    if "refused" in more:
        events.append(ReleaseRefused(**base, failed=("linkability",)))
    house.ledger.append(release, events, 0, "steward")


def test_a_run_shows_its_steps_and_tables_while_it_goes_on(client: Client, house: House) -> None:
    begin(house, "run-going-on", "ingested")
    client.sign_in("anna")
    with house.ledger.lock("visits", "run-going-on"), kept_progress(house.home, "run-going-on", Listener()) as listener:
        assert isinstance(listener, KeptProgress)
        listener.began("ingest")
        listener.ended("ingest", "", 2.5, True)
        listener.began("anonymize", "table-1")
        listener._written = 0.0
        listener.working("anonymize", 500, 2000, "rows grouped")
        for path in ("/runs", "/runs/run-going-on"):
            page = client.see(path).text
            assert "Reading the source" in page
            assert "500 of 2,000" in page
            assert "data-follow" in page
            assert "<noscript><meta" in page
            assert "No process is at work" not in page
    assert "No process is at work" in client.see("/runs/run-going-on").text
    assert client.get("/runs/nothing").status_code == 404


def test_a_refused_run_says_what_helps_and_gives_its_report(client: Client, house: House) -> None:
    begin(house, "run-refused", "ingested", "refused")
    client.sign_in("steward")
    assert client.get("/runs/run-refused/report").status_code == 404
    folder = house.home.refused / "run-refused"
    folder.mkdir(parents=True)
    (folder / "report.html").write_text("<p>figures</p>")
    page = client.see("/runs/run-refused").text
    assert "linkability was not met" in page
    assert "Read its report: it says what was measured" in page
    assert str(house.home.root) not in page
    answer = client.see("/runs/run-refused/report")
    assert answer.headers["content-disposition"].startswith("attachment")
    assert "sandbox" in answer.headers["content-security-policy"]
    assert "linkability was not met" in client.see("/runs").text

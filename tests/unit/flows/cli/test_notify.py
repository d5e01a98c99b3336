"""`headgate notify`: tells people what has happened since the last time, or shows what it would tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import StoreUnavailable
from tasks.verification import audit
from tests.unit.tasks.ledger.conftest import tamper
from tests.unit.tasks.notification.conftest import Webhook, webhook

__all__ = ["webhook"]


@pytest.fixture
def told(run: Any, world: Any, webhook: Webhook, monkeypatch: pytest.MonkeyPatch) -> Webhook:
    (world.home.root / "operator.yaml").write_text("notify: [{to: 'env:OPS'}]\n")
    monkeypatch.setenv("OPS", webhook.url)
    monkeypatch.setenv("HEADGATE_CONSOLE_URL", "https://release.example")
    world.ledger.append("r0", [], 0, "nobody")
    assert "0 messages sent." in run("notify").out
    return webhook


def test_people_are_told_once(run: Any, world: Any, told: Webhook) -> None:
    candidate = world.seal()
    assert run("notify").out == "1 message sent.\n"
    assert told.got[0]["title"] == "[headgate] people: a candidate waits for approval"
    assert f"https://release.example/candidates/{candidate.id}" in told.got[0]["message"]
    assert run("notify").out == "0 messages sent.\n"


def test_a_dry_run_shows_what_would_be_sent_and_changes_nothing(run: Any, world: Any, told: Webhook) -> None:
    assert run("notify", "--dry-run").out == "Nothing would be sent.\n"
    world.seal()
    before = (world.home.state / "outbox.db").read_bytes()
    (shown,) = run("notify", "--dry-run", "--json").json["would_send"]
    assert (shown["to"], shown["kind"], shown["dataset"], shown["release"]) == ("env:OPS", "candidate-waits", "people", "release-1")
    assert run("notify", "--dry-run").out.startswith("To env:OPS: [headgate] people: a candidate waits for approval\nA candidate waits")
    assert (world.home.state / "outbox.db").read_bytes() == before
    assert told.got == []


def test_what_could_not_be_sent_is_said_without_the_address(run: Any, world: Any, told: Webhook) -> None:
    told.stop()
    world.seal()
    said = run("notify")
    assert said.code == 0
    assert "env:OPS: 1 message waiting, the oldest since " in said.out
    assert "The server was not reached" in said.out
    assert "It is tried again after 20" in said.out  # until then the same command sends nothing, whatever was put right
    assert "s3cr3t" not in said.out + said.err
    (waiting,) = run("notify", "--json").json["waiting"]
    assert (waiting["address"], waiting["waiting"], waiting["given_up"]) == ("env:OPS", 1, 0)


def test_a_version_that_was_changed_is_found_by_an_audit_and_told_once(run: Any, world: Any, told: Webhook) -> None:
    folder: Path = world.published().folder
    report = folder / "report.html"
    report.chmod(0o644)
    report.write_text("<p>something else</p>")
    run("notify")
    for _ in range(2):
        assert run("notify", "--verify", "--json").error["message"] == "The ledger or a published version does not verify."
    titles = [said["title"] for said in told.got]
    assert titles.count("[headgate] the integrity of the ledger or of a published version is broken") == 1


def test_a_ledger_that_was_changed_ends_with_5(run: Any, world: Any, told: Webhook) -> None:
    world.seal()
    tamper(world.home.ledger, "UPDATE events SET actor = 'eve' WHERE seq = 3")
    assert run("notify").code == 5
    assert [said["title"][:24] for said in told.got] == ["[headgate] the integrity"]


def test_a_home_that_names_nobody_is_refused(run: Any, world: Any) -> None:
    refused = run("notify", "--json")
    assert (refused.code, refused.error["message"]) == (2, "operator.yaml names nobody to notify.")


def test_an_audit_that_cannot_be_made_keeps_no_message_back(run: Any, world: Any, told: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_given: object) -> None:
        raise StoreUnavailable("The store is away.", "Start it.")

    monkeypatch.setattr(audit, "verify_audit", away)
    world.seal()
    assert run("notify", "--verify").code == 6
    assert len(told.got) == 1

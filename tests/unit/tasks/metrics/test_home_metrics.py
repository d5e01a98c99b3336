from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families
from ruamel.yaml import YAML

from policies.words.notice_kind import NoticeKind
from tasks.ledger.chain import head_of
from tasks.metrics import home_metrics
from tasks.metrics.home_metrics import HomeMetrics
from tasks.metrics.ledger_tally import LedgerTally
from tasks.notification.notice import Notice
from tasks.notification.outbox import Outbox
from tests.unit.tasks.ledger.conftest import tamper

ALERTS = Path(__file__).resolve().parents[4] / "deployments" / "alerts.yaml"
Figures = dict[tuple[str, ...], float]


@pytest.fixture
def metrics(world, monkeypatch) -> HomeMetrics:
    monkeypatch.setattr(home_metrics, "AGAIN_SECONDS", -1.0)
    made = HomeMetrics(world.home, LedgerTally(world.ledger), lambda: world.clock.moment)
    made.read_through()
    return made


@pytest.fixture
def asked(metrics) -> Callable[[], Figures]:
    """As Prometheus reads them: each by its name and the values of its labels."""

    def look() -> Figures:
        text = generate_latest(metrics.registry()).decode()
        samples = (sample for family in text_string_to_metric_families(text) for sample in family.samples)
        return {(sample.name, *sample.labels.values()): sample.value for sample in samples}

    return look


def test_releases_queues_and_deadlines(world, asked) -> None:
    world.expires = timedelta(days=10)
    candidate = world.seal()
    world.clock.moment += timedelta(days=4)
    found = asked()
    assert found["headgate_releases", "people", "awaiting_approval"] == 1
    assert (found["headgate_queue_length", "approval"], found["headgate_queue_length", "publication"]) == (1, 0)
    assert found["headgate_queue_age_seconds", "approval"] == pytest.approx(4 * 86_400, abs=60)
    assert found["headgate_approval_expiry_days", "people"] == pytest.approx(6, abs=0.01)
    assert found["headgate_gate_refusals_total", "linkability"] == 0
    assert found["headgate_run_seconds_count", "sealed"] == 1
    assert (found["headgate_ledger_holds",], found["headgate_ledger_events",]) == (1, 8)
    world.approve(candidate, "ann", "bob")
    assert asked()["headgate_queue_length", "publication"] == 1
    world.publish(candidate)
    found = asked()
    assert found["headgate_last_published_timestamp_seconds", "people"] == pytest.approx(world.clock.moment.timestamp(), abs=60)
    assert ("headgate_approval_expiry_days", "people") not in found


def test_an_overdue_candidate_waits_for_nobody(world, asked) -> None:
    world.expires = timedelta(days=1)
    world.seal()
    world.clock.moment += timedelta(days=2)
    found = asked()
    assert (found["headgate_releases", "people", "expired"], found["headgate_queue_length", "approval"]) == (1, 0)


def test_a_ledger_that_does_not_hold_or_cannot_be_read(world, asked) -> None:
    world.seal()
    assert asked()["headgate_ledger_holds",] == 1
    whole = world.home.ledger.read_bytes()
    tamper(world.home.ledger, "DELETE FROM events WHERE seq = 8")
    assert asked()["headgate_ledger_holds",] == 0
    world.home.ledger.write_bytes(b"something else" * 1000)
    assert asked()["headgate_ledger_readable",] == 0
    world.home.ledger.write_bytes(whole)
    assert (asked()["headgate_ledger_holds",], asked()["headgate_ledger_readable",]) == (1, 1)


def test_what_lies_beside_the_ledger(world, asked, monkeypatch) -> None:
    now = world.clock.moment
    assert not [name for name, *_ in asked() if "backup" in name or "cosigned" in name or "key_expiry" in name]
    world.write_signers(world.line("ann", options='valid-before="20250701Z"'), world.line("bob", options='valid-before="20250101Z"'))
    world.seal()
    (world.home.state / "backup.json").write_text(
        json.dumps({"at": (now - timedelta(hours=3)).isoformat(), "seq": 1, "target": "/s3cr3t", "name": "s3cr3t"})
    )
    head = head_of(world.ledger.last())
    kept = type("Kept", (), {"head": head})()
    monkeypatch.setattr(home_metrics, "kept_heads", lambda _home: (kept,))
    (world.home.root / "operator.yaml").write_text("notify: [{to: 'env:S3CR3T'}]\n")
    with Outbox.of(world.home, lambda: datetime(2025, 6, 1, 11, tzinfo=UTC)).writing() as stored:
        stored.add(Notice(id="n", kind=NoticeKind.FAILED, at=""), ("env:S3CR3T",))
    world.clock.moment = now
    found = asked()
    assert found["headgate_key_expiry_days",] == pytest.approx(29.5, abs=0.1)
    assert found["headgate_keys_expired",] == 1
    assert found["headgate_backup_age_seconds",] == pytest.approx(3 * 3600, abs=60)
    assert found["headgate_cosigned_head_age_seconds",] == pytest.approx(0, abs=60)
    assert (found["headgate_notifications_waiting",], found["headgate_notifications_given_up",]) == (1, 0)
    assert found["headgate_notifications_age_seconds",] == pytest.approx(3600, abs=60)
    assert not [key for key in found if "s3cr3t" in repr(key).lower()]


def test_a_list_of_signers_that_is_wrong_takes_nothing_else_away(world, asked) -> None:
    world.home.signers.write_text("nonsense\n")
    found = asked()
    assert ("headgate_keys_expired",) not in found
    assert ("headgate_notifications_waiting",) in found


def test_every_metric_of_the_alerts_is_there_and_what_is_there_is_described(world, metrics, monkeypatch) -> None:
    """With everything that a home can have."""
    world.expires = timedelta(days=10)
    world.published()
    world.seal()
    world.write_signers(world.line("ann", options='valid-before="20250701Z"'))
    kept = type("Kept", (), {"head": head_of(world.ledger.last())})()
    monkeypatch.setattr(home_metrics, "kept_heads", lambda _home: (kept,))
    (world.home.state / "backup.json").write_text(json.dumps({"at": "2025-06-01T00:00:00+00:00", "seq": 1, "target": "t", "name": "n"}))
    families = list(text_string_to_metric_families(generate_latest(metrics.registry()).decode()))
    there = {sample.name for family in families for sample in family.samples}
    assert all(family.documentation for family in families)
    rules = YAML(typ="safe").load(ALERTS.read_text(encoding="utf-8"))["groups"][0]["rules"]
    named = {name for rule in rules for name in re.findall(r"headgate_\w+", rule["expr"])}
    assert len(rules) >= 10
    assert named - there == set()
    guide = (ALERTS.parents[1] / "docs" / "guide-operator.md").read_text(encoding="utf-8")
    assert {family.name for family in families if family.name not in guide} == set()

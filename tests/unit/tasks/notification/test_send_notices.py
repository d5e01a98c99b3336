from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from policies.schema.operator_file import Operator
from policies.words.notice_kind import NoticeKind
from tasks.ledger.open_ledger import open_ledger
from tasks.notification.apprise_delivery import AppriseDelivery
from tasks.notification.notice import Notice
from tasks.notification.outbox import Outbox
from tasks.notification.send_notices import Round, alone, due, send_due
from tasks.runtime.home import Home
from tests.unit.tasks.notification.conftest import Time, Webhook, operator


@pytest.fixture
def home(tmp_path, webhook, monkeypatch) -> Home:
    monkeypatch.setenv("OPS", webhook.url)
    return Home.open(tmp_path / "home")


@pytest.fixture
def box(home, time_told) -> Outbox:
    (home.root / "operator.yaml").write_text("notify: [{to: 'env:OPS'}]\n")
    return Outbox.of(home, time_told)


OPS = operator("{to: env:OPS}")


def add(box: Outbox, *numbers: int) -> None:
    with box.writing() as stored:
        for number in numbers:
            notice = Notice(id=f"{number:032x}", kind=NoticeKind.PUBLISHED, at="2025-06-01T00:00:00+00:00", dataset="people", release="r1")
            stored.add(notice, ("env:OPS",))


def waits(box: Outbox) -> int:
    with box.reading() as stored:
        return stored.waiting(("env:OPS",))[0].waiting


def test_what_waits_is_sent_once_and_in_order(home: Home, box: Outbox, webhook: Webhook) -> None:
    assert not due(box, OPS)
    add(box, 1, 2, 3)
    assert due(box, OPS)
    assert not due(box, Operator())
    assert send_due(home, OPS, box, AppriseDelivery(), "https://release.example") == Round(sent=3)
    assert send_due(home, OPS, box, AppriseDelivery()) == Round()
    assert webhook.keys == [f"{number:032x}" for number in (1, 2, 3)]
    assert "https://release.example/runs/r1" in webhook.got[0]["message"]


def test_while_the_server_is_down_everything_waits_and_one_message_is_tried(
    home: Home, box: Outbox, webhook: Webhook, time_told: Time
) -> None:
    add(box, *range(1, 21))
    webhook.stop()
    sends = AppriseDelivery()
    assert send_due(home, OPS, box, sends) == Round(failed=1)
    assert send_due(home, OPS, box, sends) == Round()
    time_told.later(seconds=31)
    assert send_due(home, OPS, box, sends) == Round(failed=1)
    assert waits(box) == 20
    webhook.start()
    time_told.later(seconds=61)
    assert send_due(home, OPS, box, sends) == Round(sent=20)
    assert len(set(webhook.keys)) == len(webhook.keys) == 20


def test_an_address_that_is_not_there_keeps_no_other_from_being_told(home: Home, box: Outbox, webhook: Webhook) -> None:
    both = operator("{to: env:NOT_SET}", "{to: env:OPS}")
    with box.writing() as stored:
        stored.add(Notice(id="n", kind=NoticeKind.FAILED, at=""), ("env:NOT_SET", "env:OPS"))
    assert send_due(home, both, box, AppriseDelivery()) == Round(sent=1, failed=1)
    with box.reading() as stored:
        assert stored.waiting(("env:NOT_SET",))[0].why == "There is no address at env:NOT_SET."


def test_of_two_that_send_at_once_one_does(home: Home, box: Outbox, webhook: Webhook) -> None:
    add(box, 1)
    with alone(home) as free:
        assert free
        assert send_due(home, OPS, box, AppriseDelivery()) == Round(busy=True)
    assert send_due(home, OPS, box, AppriseDelivery()) == Round(sent=1)


@pytest.mark.long
def test_whoever_is_killed_between_sending_and_noting_sends_the_same_again(home: Home, box: Outbox, webhook: Webhook) -> None:
    """Two arrive, of one id: whoever keeps messages by their id keeps one."""
    add(box, 1)
    arrived, killed = threading.Event(), threading.Event()

    def answer(_message) -> int:
        arrived.set()
        killed.wait(30)
        return 200

    webhook.answer = answer
    command = [sys.executable, "-m", "flows.cli", "notify"]
    environment = {**os.environ, "HEADGATE_HOME": str(home.root)}
    open_ledger(home)
    with subprocess.Popen(command, env=environment) as process:
        assert arrived.wait(60)
        process.send_signal(signal.SIGKILL)
    killed.set()
    webhook.answer = lambda _message: 200
    assert waits(box) == 1
    assert subprocess.run(command, env=environment, check=False).returncode == 0
    assert waits(box) == 0
    assert webhook.keys == [f"{1:032x}"] * 2

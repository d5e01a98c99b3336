"""Apprise as it is, with real servers."""

from __future__ import annotations

import logging
import signal
import socket
import threading
import warnings
from contextlib import suppress

import pytest

from headgate.core.errors import InputRejected
from tasks.notification import apprise_delivery
from tasks.notification.apprise_delivery import AppriseDelivery, NotDelivered
from tasks.notification.notice_words import Message
from tests.free_port import free_port
from tests.unit.tasks.notification.conftest import Mailbox, Webhook
from tests.unit.tls_server import TlsServer, tls_server

__all__ = ["tls_server"]

SAID = Message("[headgate] people: a version was published", "A version was published.\nDataset: people\n")
ID = "a" * 32


@pytest.mark.slow
def test_a_webhook_and_a_mail_server_take_a_message_with_its_id(webhook: Webhook) -> None:
    from aiosmtpd.controller import Controller

    mailbox, sends = Mailbox(), AppriseDelivery()
    server = Controller(mailbox, hostname="127.0.0.1", port=free_port())
    server.start()
    try:
        mail = f"mailto://127.0.0.1:{server.port}/?from=headgate@here.example&to=ops@there.example,law@there.example&mode=insecure"
        sends.send(mail, SAID, ID)
        sends.send(mail, SAID, ID)
    finally:
        server.stop()
    assert {mail["Message-ID"] for mail in mailbox.mails} == {f"<{ID}@headgate>"}
    assert [str(mail["To"]) for mail in mailbox.mails] == ["ops@there.example", "law@there.example"] * 2
    assert {str(mail["Subject"]) for mail in mailbox.mails} == {SAID.title}
    texts = [part.get_payload(decode=True) for part in mailbox.mails[0].walk() if part.get_content_type() == "text/plain"]
    assert b"Dataset: people" in texts[0]
    sends.send(webhook.url, SAID, ID)
    assert [(said["title"], said["message"].splitlines()[1]) for said in webhook.got] == [(SAID.title, "Dataset: people")]
    assert webhook.keys == [ID]


def test_a_server_that_refuses_or_is_away_is_no_secret_and_its_address_is(webhook: Webhook, caplog, capfd) -> None:
    caplog.set_level(logging.DEBUG)
    sends = AppriseDelivery()
    webhook.answer = lambda _message: 503
    with pytest.raises(NotDelivered) as refused:
        sends.send(webhook.url, SAID, ID)
    webhook.stop()
    with pytest.raises(NotDelivered) as away:
        sends.send(webhook.url, SAID, ID)
    heard = [str(refused.value), str(away.value), caplog.text, *capfd.readouterr()]
    assert not [text for text in heard if "s3cr3t" in text or "127.0.0.1" in text]


def test_a_server_that_answers_byte_by_byte_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte comes in time, and the answer never ends: `serve` ended the process after five minutes with nothing noted, began again with
    the same address, and told no other one."""
    monkeypatch.setattr(apprise_delivery, "LONGEST_SECONDS", 0.6)
    ended = threading.Event()

    def drip(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            connection.recv(65_536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
            while not ended.wait(0.05):
                connection.sendall(b"a")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=drip, args=(listening,), daemon=True).start()
        with pytest.raises(NotDelivered, match="did not take it within"):
            AppriseDelivery().send(f"json://127.0.0.1:{listening.getsockname()[1]}/", SAID, ID)
        ended.set()
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_warning_about_a_server_names_no_host(tls_server: TlsServer, capfd) -> None:
    """It stood on stderr, which is the log of `serve` where lines for machines are asked for."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        AppriseDelivery().send(tls_server.start("expired").replace("https", "jsons") + "/?verify=no", SAID, ID)
    assert warned == []
    assert not [text for text in capfd.readouterr() if "localhost" in text]


@pytest.mark.parametrize("address", ["nonsense", "nosuch://s3cr3t", "mailto://", "json://[s3cr3t"])
def test_what_is_not_an_address_is_refused_without_repeating_it(address: str, caplog, capfd) -> None:
    with pytest.raises(InputRejected) as refused:
        AppriseDelivery().send(address, SAID, ID)
    assert not [text for text in (str(refused.value), caplog.text, *capfd.readouterr()) if "s3cr3t" in text]

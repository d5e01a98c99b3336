"""Apprise as it is, with real servers."""

from __future__ import annotations

import logging

import pytest

from headgate.core.errors import InputRejected
from tasks.notification.apprise_delivery import AppriseDelivery, NotDelivered
from tasks.notification.notice_words import Message
from tests.free_port import free_port
from tests.unit.tasks.notification.conftest import Mailbox, Webhook

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


@pytest.mark.parametrize("address", ["nonsense", "nosuch://s3cr3t", "mailto://", "json://[s3cr3t"])
def test_what_is_not_an_address_is_refused_without_repeating_it(address: str, caplog, capfd) -> None:
    with pytest.raises(InputRejected) as refused:
        AppriseDelivery().send(address, SAID, ID)
    assert not [text for text in (str(refused.value), caplog.text, *capfd.readouterr()) if "s3cr3t" in text]

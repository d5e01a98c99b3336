"""What a server answers, or why it does not."""

from __future__ import annotations

import pytest

from tasks.runtime.server_answer import Answer, ask
from tests.free_port import free_port
from tests.unit.tls_server import TlsServer, tls_server

__all__ = ["tls_server"]


def test_a_server_that_is_not_there_is_no_answer() -> None:
    for url in (f"http://127.0.0.1:{free_port()}", "no address", "http://"):
        assert (ask(url, 4), ask(url, 4).trouble) == (Answer(0), "does not answer")


@pytest.mark.parametrize(
    ("status", "trouble", "refused"),
    [(200, "", False), (204, "answers with an error (204)", False), (302, "answers with an error (302)", False)]
    + [(status, f"answers with an error ({status})", status in (401, 403)) for status in (401, 403, 404, 500)],
)
def test_only_200_is_an_answer(status: int, trouble: str, refused: bool) -> None:
    assert (Answer(status).trouble, Answer(status).refused) == (trouble, refused)


def test_a_certificate_is_trusted_as_the_environment_says(tls_server: TlsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """`headgate doctor` did not believe the certificates of a house's own authority, which releases believed."""
    url = tls_server.start("valid")
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    assert ask(url, 10).trouble == "has a certificate that is not trusted here"
    monkeypatch.setenv("SSL_CERT_FILE", str(tls_server.authority))
    assert "certificate" not in ask(url, 10).trouble

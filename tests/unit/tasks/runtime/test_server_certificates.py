"""A certificate that is not believed is named as the reason, through whatever a client wraps it in."""

from __future__ import annotations

import ssl
from pathlib import Path

import httpx
import pytest

from headgate.core.errors import StoreUnavailable
from tasks.runtime.prefect_server import _require_answer
from tasks.runtime.server_certificates import certificate_problem
from tests.unit.tls_server import TlsServer, tls_server

__all__ = ["tls_server"]


def test_a_problem_without_a_certificate_is_none() -> None:
    assert certificate_problem(ConnectionRefusedError()) == ""


def test_a_reason_that_goes_in_a_circle_is_looked_through_once() -> None:
    first, second = ValueError(), ValueError()
    first.__cause__, second.__cause__ = second, first
    assert certificate_problem(first) == ""


@pytest.mark.parametrize(
    ("certificate", "name", "said"),
    [
        ("expired", "localhost", "has a certificate that has expired"),
        ("valid", "127.0.0.1", "has a certificate of another name"),
    ],
)
def test_what_is_wrong_with_it_is_said(tls_server: TlsServer, certificate: str, name: str, said: str) -> None:
    url = tls_server.start(certificate).replace("localhost", name)
    with pytest.raises(httpx.ConnectError) as raised:
        httpx.get(url, verify=ssl.create_default_context(cafile=tls_server.authority))
    assert certificate_problem(raised.value) == said


def test_prefects_server_with_one_that_nobody_trusts_is_refused_by_that_reason(tls_server: TlsServer, tmp_path: Path) -> None:
    url = tls_server.start("valid")
    with pytest.raises(StoreUnavailable, match="has a certificate that is not trusted here"):
        _require_answer(url)

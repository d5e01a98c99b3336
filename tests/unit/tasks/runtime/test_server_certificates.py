"""A certificate that is not believed is named as the reason, through whatever a client wraps it in."""

from __future__ import annotations

import ssl
from pathlib import Path

import httpx
import pytest

from headgate.core.errors import StoreUnavailable
from tasks.ledger.store_postgresql import open_store as postgresql_ledger
from tasks.runtime.prefect_server import _require_answer
from tasks.runtime.server_certificates import CURES, certificate_problem
from tasks.stores.database_target import database_target
from tasks.stores.open_release_store import release_store
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


@pytest.mark.parametrize(
    ("certificate", "name", "trusted", "said"),
    [
        ("expired", "localhost", True, "has a certificate that has expired"),
        ("valid", "127.0.0.1", True, "has a certificate of another name"),
        ("valid", "localhost", False, "has a certificate that is not trusted here"),
    ],
)
def test_an_object_store_is_refused_by_that_reason(
    tls_server: TlsServer, monkeypatch: pytest.MonkeyPatch, certificate: str, name: str, trusted: bool, said: str
) -> None:
    """Its client is in Rust; previously a request failed, and the cure was to look at the bucket and the credentials."""
    monkeypatch.setattr("tasks.stores.store_s3.RETRIES", 0)
    for variable in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"):
        monkeypatch.setenv(variable, "x")
    monkeypatch.setenv("AWS_ENDPOINT_URL", tls_server.start(certificate).replace("localhost", name))
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(tls_server.authority))
    with pytest.raises(StoreUnavailable) as refusal:
        release_store("s3://people").series("people").versions()
    assert (refusal.value.message, refusal.value.cure) == (f"The server of the object store s3://people {said}.", CURES[said])


@pytest.mark.parametrize(
    ("certificate", "name", "said"),
    [
        ("expired", "localhost", "has a certificate that has expired or is not trusted here"),
        ("valid", "127.0.0.1", "has a certificate of another name"),
    ],
)
def test_databases_are_refused_by_that_reason(tls_server: TlsServer, certificate: str, name: str, said: str) -> None:
    address = tls_server.start_postgresql(certificate).replace("localhost", name)
    with pytest.raises(StoreUnavailable) as refusal, postgresql_ledger(address).reading():
        pass
    assert (refusal.value.message, refusal.value.cure) == (f"The server of the ledger's database {said}.", CURES[said])
    target = database_target(address.replace("/people?", "/people/releases?"))
    with pytest.raises(StoreUnavailable) as refusal, target.connected():
        pass
    assert (refusal.value.message, refusal.value.cure) == (f"The server of {target.shown} {said}.", CURES[said])


def test_prefects_server_with_one_that_nobody_trusts_is_refused_by_that_reason(tls_server: TlsServer, tmp_path: Path) -> None:
    url = tls_server.start("valid")
    with pytest.raises(StoreUnavailable, match="has a certificate that is not trusted here") as refusal:
        _require_answer(url)
    assert refusal.value.cure == CURES["has a certificate that is not trusted here"]

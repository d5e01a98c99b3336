"""A server over TLS on this machine, with a certificate of an authority of its own: a valid one, or one that has expired."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import BaseRequestHandler, BaseServer, ThreadingTCPServer
from typing import Any

import pytest


class Quiet(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    do_POST = do_GET

    def log_message(self, *_said: object) -> None:
        """It says nothing."""


class Postgresql(BaseRequestHandler):
    """As much of PostgreSQL as there is before its certificate is shown."""

    def handle(self) -> None:
        self.request.recv(8)
        self.request.sendall(b"S")
        with suppress(OSError), self.server.context.wrap_socket(self.request, server_side=True) as shown:  # type: ignore[attr-defined]
            shown.recv(1)


@dataclass
class TlsServer:
    folder: Path
    running: list[BaseServer] = field(default_factory=list)

    @property
    def authority(self) -> Path:
        return self.folder / "authority.pem"

    def start(self, certificate: str) -> str:
        server = ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
        server.daemon_threads = True
        server.handle_error = lambda *_given: None  # type: ignore[method-assign]  # whoever does not trust it hangs up
        server.socket = self._context(certificate).wrap_socket(server.socket, server_side=True)
        self._run(server)
        return f"https://localhost:{server.server_port}"

    def start_postgresql(self, certificate: str) -> str:
        """Who connects to it, to which database, and with whose word."""
        server = ThreadingTCPServer(("127.0.0.1", 0), Postgresql)
        server.daemon_threads = True
        server.context = self._context(certificate)  # type: ignore[attr-defined]
        self._run(server)
        return f"postgresql://ann@localhost:{server.server_address[1]}/people?sslmode=verify-full&sslrootcert={self.authority}"

    def _context(self, certificate: str) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / f"{certificate}.pem")
        return context

    def _run(self, server: BaseServer) -> None:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        self.running.append(server)


def write_certificates(folder: Path) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
    from cryptography.x509.oid import NameOID

    now, authority_key = datetime.now(UTC), ec.generate_private_key(ec.SECP256R1())
    issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "authority of a test")])

    def signed(key: Any, name: str, until: datetime, authority: bool) -> Any:
        subject = issuer if authority else x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        made = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
        made = made.serial_number(x509.random_serial_number()).not_valid_before(now - timedelta(days=9)).not_valid_after(until)
        made = made.add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        if not authority:
            made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        return made.sign(authority_key, hashes.SHA256())

    (folder / "authority.pem").write_bytes(signed(authority_key, "", now + timedelta(days=9), True).public_bytes(Encoding.PEM))
    for file, until in (("valid", now + timedelta(days=9)), ("expired", now - timedelta(days=1))):
        key = ec.generate_private_key(ec.SECP256R1())
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        (folder / f"{file}.pem").write_bytes(private + signed(key, "localhost", until, False).public_bytes(Encoding.PEM))


@pytest.fixture
def tls_server(tmp_path: Path) -> Iterator[TlsServer]:
    write_certificates(tmp_path)
    server = TlsServer(tmp_path)
    yield server
    for running in server.running:
        running.shutdown()
        running.server_close()

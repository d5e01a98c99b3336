"""The page that Prometheus asks for. It listens to this machine alone unless a token is demanded, and whoever holds connections open
takes eight at most."""

from __future__ import annotations

import hmac
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from typing import Any

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

from headgate.core.errors import InputRejected, StoreUnavailable
from tasks.runtime.boundary import reason_of

PATH = "/metrics"
AT_ONCE = 8
PATIENCE_SECONDS = 5.0  # for the next bytes, and
LONGEST_SECONDS = 20.0  # for all of a request and its answer
OWN_NAMES = ("localhost", "127.0.0.1", "[::1]")


def bound(address: str, port: int, token: str) -> socket.socket:
    """Refused before anything is started where it cannot be done."""
    try:
        parsed = ip_address(address)
    except ValueError:
        raise InputRejected("--listen is not an IP address.", "Write one of this machine's, such as 127.0.0.1.") from None
    if not parsed.is_loopback and not token:
        raise InputRejected(
            "Without a token the metrics are for this machine alone.",
            "Set HEADGATE_METRICS_TOKEN to a long random text, and give it to Prometheus (`authorization: {credentials_file: …}`).",
        )
    try:
        return socket.create_server((address, port), family=socket.AF_INET6 if parsed.version == 6 else socket.AF_INET)
    except OSError as problem:
        raise StoreUnavailable(f"Nothing can listen at {address}, port {port} ({reason_of(problem)}).", "Choose another --port.") from None


class Server(ThreadingHTTPServer):
    """Around a socket that listens already."""

    daemon_threads = True

    def __init__(self, listening: socket.socket, registry: CollectorRegistry, token: str) -> None:
        super().__init__(listening.getsockname()[:2], Handler, bind_and_activate=False)
        self.socket.close()
        self.socket, self.registry, self.token = listening, registry, token
        self.own_names_only = ip_address(listening.getsockname()[0]).is_loopback
        self.free = threading.BoundedSemaphore(AT_ONCE)

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self.free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        late = threading.Timer(LONGEST_SECONDS, _end, (request,))
        late.daemon = True
        late.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            late.cancel()
            self.free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever goes away meanwhile is no news."""


def _end(connection: socket.socket) -> None:
    """Whoever sends a byte now and then is never silent."""
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


class Handler(BaseHTTPRequestHandler):
    server: Server
    timeout = PATIENCE_SECONDS
    server_version = sys_version = "headgate"

    def do_GET(self) -> None:
        status = self._refused()
        if status:
            self.send_response(status)
            if status == 401:
                self.send_header("WWW-Authenticate", "Bearer")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        encode, content_type = choose_encoder(self.headers.get("Accept", ""))
        content = encode(self.server.registry)
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _refused(self) -> int:
        """A page of the web in somebody's browser can ask this machine by a name of its own: it is not answered."""
        host = self.headers.get("Host", "").rpartition(":")[0] or self.headers.get("Host", "")
        if self.server.own_names_only and host not in OWN_NAMES:
            return 400
        given = self.headers.get("Authorization", "")
        if self.server.token and not hmac.compare_digest(given.encode(), f"Bearer {self.server.token}".encode()):
            return 401
        return 0 if self.path.partition("?")[0] == PATH else 404

    def log_message(self, format: str, *given: Any) -> None:
        return


@contextmanager
def answering(listening: socket.socket, registry: CollectorRegistry, token: str) -> Iterator[Server]:
    with Server(listening, registry, token) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.1,), name="metrics", daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()

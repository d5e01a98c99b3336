"""A proxy before a real server, at which requests meet what networks and servers do to them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.client import HTTPConnection, HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

FAULTS = ("cut", "unheard", "half", "silent", "late", "500", "503")


class FaultyProxy:
    """`fault(number)` names what happens to the request of that number, counted from 1; "" forwards it."""

    def __init__(self, upstream: str) -> None:
        self.host = urlsplit(upstream).netloc
        self.fault: Callable[[int], str] = lambda number: ""
        self.count = 0
        self.counting = threading.Lock()
        self.healed = threading.Event()
        self.held: list[threading.Thread] = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def plan(self, fault: Callable[[int], str]) -> None:
        self.heal()
        self.fault, self.count = fault, 0
        self.healed.clear()

    def heal(self) -> None:
        """From now on everything is forwarded, and what was held back arrives."""
        self.fault = lambda number: ""
        self.healed.set()
        for thread in self.held:
            thread.join(10)
        self.held.clear()

    def stop(self) -> None:
        self.heal()
        self.server.shutdown()
        self.server.server_close()

    def _handler(proxy) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def handle_one(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                with proxy.counting:
                    proxy.count += 1
                    fault = proxy.fault(proxy.count)
                if fault in ("cut", "silent"):
                    if fault == "silent":
                        proxy.healed.wait(10)
                    return self.cut()
                if fault == "late":  # done long after it was given up
                    proxy.held.append(threading.current_thread())
                    proxy.healed.wait(10)
                if fault in ("500", "503"):
                    return self.answer(int(fault), {}, b"<Error><Code>CANARY</Code></Error>")
                upstream = HTTPConnection(proxy.host, timeout=10)
                headers = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
                upstream.request(self.command, self.path, body, headers)
                response = upstream.getresponse()
                content = response.read()
                upstream.close()
                if fault in ("unheard", "late"):
                    return self.cut()
                self.answer(response.status, kept(response), content, half=fault == "half")
                return None

            def answer(self, status: int, headers: dict[str, str], content: bytes, half: bool = False) -> None:
                length = headers.get("Content-Length", "0") if self.command == "HEAD" else str(len(content))
                self.send_response(status)
                for name, value in {**headers, "Content-Length": length}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content[: len(content) // 2] if half else content)
                if half:
                    self.cut()

            def cut(self) -> None:
                self.close_connection = True

            def log_message(self, *_arguments: object) -> None:
                pass

            do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = handle_one

        return Handler


def kept(response: HTTPResponse) -> dict[str, str]:
    hop = {"content-length", "transfer-encoding", "connection", "date", "server"}
    return {name: value for name, value in response.getheaders() if name.lower() not in hop}

"""A server that stands still is ended; one that answers is left alone."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from headgate.core.errors import InputRejected
from tasks.runtime import server_watch
from tasks.runtime.server_answer import Answer
from tasks.runtime.server_watch import (
    PASSWORD_REFUSED,
    PINGS,
    VARIABLE,
    answers,
    cure_of,
    silent_seconds,
    trouble_with,
    version_at,
    watched,
)


class Server:
    """A real one, which can stand still."""

    def __init__(self) -> None:
        self.may_answer = threading.Event()
        self.may_answer.set()
        may_answer = self.may_answer

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                may_answer.wait(20)
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_said: object) -> None:
                """It says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.may_answer.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


@pytest.mark.slow
def test_a_server_that_stands_still_is_ended(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "0.8")
    ended = threading.Event()
    with watched(server.url, ended.set):
        time.sleep(0.5)
        server.may_answer.clear()
        assert ended.wait(15)


@pytest.mark.slow
def test_a_server_that_answers_again_is_left_alone(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question is answered in time or not as the machine is busy, so the answers are ours: three of four are missing, again and again."""
    monkeypatch.setenv(VARIABLE, "0.2")
    ended, asked, enough = threading.Event(), itertools.count(1), threading.Event()

    def answered(_url: str, _seconds: float) -> bool:
        number = next(asked)
        if number > 5 * PINGS:
            enough.set()
        return number % PINGS == 0

    monkeypatch.setattr(server_watch, "answers", answered)
    with watched(server.url, ended.set):
        assert enough.wait(60)
        assert not ended.is_set()


@pytest.mark.slow
def test_what_does_not_answer_in_time_does_not_answer(server: Server) -> None:
    assert answers(server.url, 10)
    server.may_answer.clear()
    assert not answers(server.url, 0.2)


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "soon"])
def test_a_time_that_is_none_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(InputRejected, match="not a number of seconds"):
        silent_seconds()


def test_a_server_that_wants_another_password_is_known_by_that(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its health it tells anybody, so that a run began and broke at its first request, as a defect."""
    answered = {"/health": 200, "/admin/version": 401}
    monkeypatch.setattr(server_watch, "ask", lambda url, _seconds, _password: Answer(answered[url.removeprefix(server.url)]))
    assert trouble_with(server.url, 1) == PASSWORD_REFUSED
    assert "PREFECT_API_AUTH_STRING" in cure_of(PASSWORD_REFUSED)
    answered["/admin/version"] = 200
    assert trouble_with(server.url, 1) == ""


@pytest.mark.parametrize("page", ["/health", "/admin/version"])
def test_a_server_that_errs_is_not_used(server: Server, page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong path in PREFECT_API_URL passed for a server, and the first request of a run was a defect."""
    answered = {"/health": 200, "/admin/version": 200, page: 404}
    monkeypatch.setattr(server_watch, "ask", lambda url, _seconds, _password: Answer(answered[url.removeprefix(server.url)]))
    assert trouble_with(server.url, 1) == "answers with an error (404)"


def test_a_version_is_text_or_nothing(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_watch, "ask", lambda _url, _seconds, _password: Answer(200, b'"3.4.5"'))
    assert version_at(server.url, 1) == "3.4.5"
    monkeypatch.setattr(server_watch, "ask", lambda _url, _seconds, _password: Answer(200, b"<html>"))
    assert version_at(server.url, 1) == ""


def test_a_server_that_says_nothing_does_not_answer(server: Server) -> None:
    server.close()
    assert trouble_with(server.url, 1) == "does not answer"

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from headgate.core.errors import HeadgateError, InputRejected
from tasks.service.frames import Frames, Kind
from tasks.service.request import LONGEST_REQUEST, Request, ask_to_sign, receive_request


@pytest.fixture
def ends() -> Iterator[tuple[Frames, Frames]]:
    one, other = socket.socketpair()
    with one, other:
        yield Frames(one), Frames(other)


def test_a_request_arrives_as_it_was_asked(ends: tuple[Frames, Frames]) -> None:
    asked = Request(command="show", values={"candidate": "ab" * 6, "json": True, "report": None})
    ends[0].send(Kind.REQUEST, asked.model_dump_json().encode())
    assert receive_request(ends[1]) == asked


@pytest.mark.parametrize(
    "text",
    [
        b"{}",
        b"[" * 10_000,
        b'{"command":"show","values":{"candidate":["a"]}}',
        b'{"command":"show","values":{"people":5}}',
        b'{"command":"show","values":{},"protocol":2}',
        b'{"command":"show","values":{},"path":"/etc"}',
        b'{"command":"show","values":{},"salt":"short"}',
        b'{"command":"show","values":{},"files":[{"role":"source","name":"x","size":-1}]}',
    ],
)
def test_what_is_no_request_is_refused(ends: tuple[Frames, Frames], text: bytes) -> None:
    ends[0].send(Kind.REQUEST, text)
    with pytest.raises(InputRejected, match="not a request"):
        receive_request(ends[1])


def test_a_request_has_a_bound(ends: tuple[Frames, Frames]) -> None:
    ends[0].connection.sendall(b"R" + (LONGEST_REQUEST + 1).to_bytes(4, "big"))
    with pytest.raises(HeadgateError):
        receive_request(ends[1])


def test_only_a_signature_answers_the_question_for_one(ends: tuple[Frames, Frames]) -> None:
    ends[0].send(Kind.SIGNED, b"armored")
    assert ask_to_sign(ends[1], b"payload") == b"armored"
    assert ends[0].receive() == (Kind.SIGN, b"payload")
    ends[0].send(Kind.REQUEST, b"{}")
    with pytest.raises(InputRejected, match="not a signature"):
        ask_to_sign(ends[1], b"payload")

"""The text of a CSV is the same however it is cut into pieces, packed and encoded."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tasks.reading.csv_text as room
from headgate.core.errors import InputRejected
from tasks.reading.csv_text import NotDecoded, csv_text

TEXTS = st.text(alphabet='a,"\n\r \ufeffé漢𝄞', max_size=40)


@given(
    text=TEXTS,
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "gb18030"]),
    packed=st.booleans(),
    piece=st.sampled_from([1, 2, 3, 7, 2**20]),
)
def test_pieces_give_the_text_and_its_counts(text: str, encoding: str, packed: bool, piece: int) -> None:
    text = "a" + text
    content = text.encode(encoding)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "PIECE", piece)
        read = csv_text(gzip.compress(content) if packed else content, "t", encoding)
        assert read.stream().read().decode() == read.stream().read().decode() == text
    assert read.quotes == text.count('"')
    assert read.line_ends == max(text.count("\n"), text.count("\r"))


@given(before=TEXTS, piece=st.sampled_from([1, 2, 5, 2**20]))
def test_the_line_that_cannot_be_decoded_is_counted_over_all_pieces(before: str, piece: int) -> None:
    content = before.encode() + b"\xff\n,"
    said = "^t is not utf-8: line {} cannot be decoded".format(before.count("\n") + 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "PIECE", piece)
        with pytest.raises(NotDecoded, match=said):
            csv_text(content, "t")


def test_utf_16_without_a_mark_is_in_the_order_of_this_machine() -> None:
    assert csv_text("ä,b\n".encode(f"utf-16-{room.ORDER_OF_BYTES}"), "t", "utf-16").stream().read() == "ä,b\n".encode()


@pytest.mark.parametrize("encoding", ["hex", "rot13", "utf-9", "a\0b"])
def test_what_is_no_encoding_of_text_is_refused(encoding: str) -> None:
    """Previously `hex`, which Python knows as a codec, ended in a defect."""
    with pytest.raises(InputRejected, match="is not an encoding"):
        csv_text(b"a,b\n", "t", encoding)


def test_what_an_encoding_makes_of_half_a_character_is_no_text() -> None:
    with pytest.raises(NotDecoded, match="line 2 cannot be decoded"):
        csv_text(b"a,b\n+2AA-,1\n", "t", "utf-7")

"""What nobody sees is known by its code point, and what people read is left alone."""

from __future__ import annotations

import pytest

from policies.words.unseen import code_point, unseen_in

UNSEEN = (
    *"\x00\x07\x1b\x7f\x85\x9b",  # controls, with those that steer a terminal
    *"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c",  # directions
    *"\u200b\u200c\u200d\u2060\ufeff\u00ad\u034f\u115f\u3164\uffa0\u2800\ufe0f\u180e\U000e0041\U000e0100",  # nothing to see
    *"\u2028\u2029\n\r\t",  # lines and tabs, where nobody said that there may be any
)


@pytest.mark.parametrize("sign", UNSEEN, ids=ascii)
def test_what_nobody_sees_is_found_wherever_it_stands(sign: str) -> None:
    assert unseen_in(f"a{sign}b") == unseen_in(sign) == unseen_in(f"ab{sign}") == sign
    assert unseen_in(f"a{sign}b", allowed=sign) == ""


@pytest.mark.parametrize("text", ["", "Patients 2024", "Größe – «naïve»", "患者", "مرضى", "नमस्ते", "a\u00a0b\u202fc", "😀", "e\u0301"])
def test_what_people_read_is_left_alone(text: str) -> None:
    assert unseen_in(text) == ""


def test_a_code_point_is_named_where_it_has_a_name() -> None:
    assert code_point("\u202e") == "U+202E (right-to-left override)"
    assert code_point("\x1b") == "U+001B"

from __future__ import annotations

import json
import math

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from tasks.signing.canonical import is_canonical

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_whatever_rfc_8785_writes_is_canonical(value: object) -> None:
    try:
        content = rfc8785.dumps(value)
    except UnicodeEncodeError:
        return
    assert is_canonical(content)


@pytest.mark.parametrize(
    "content",
    [
        b'{"a":1,"a":1}',
        b'{"a":2,"a":1}',
        b'{"a": 1}',
        b'{"b":1,"a":1}',
        b'{"a":1.0}',
        b'{"a":1}\n',
        b'"\\u0041"',
        b"NaN",
        b"",
        b"[" * 100_000,
        '{"\uffff":1,"\U0001f600":1}'.encode(),
    ],
)
def test_every_other_form_is_not(content: bytes) -> None:
    """A key given twice reads as its first value here and as its last there."""
    assert not is_canonical(content)


def test_large_whole_numbers_are_canonical_as_they_are_written() -> None:
    for number in (1e17, 1e20, 1e21, -0.0, 5e-324, math.pi, 2.0**53):
        assert is_canonical(rfc8785.dumps({"figure": number}))


NUMBERS = ("0", "-0", "1.0", "-0.0", "0.1", "1e5", "1E5", "1e-7", "1e-07", "0.0001", "0.00001", "1e+16", "1e+21", "9007199254740993", "NaN")
WORDS = ('"\\u0041"', '"é"', '"\U0001f600"', '"\uffff"', '"\\u001f"', '"\\u001F"', '"\\n"', '"\\u000a"', '"\\/"', '"\\ud800"', '"\x7f"')


@given(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(NUMBERS + WORDS)), max_size=3))
def test_forms_that_only_one_of_two_writers_has_are_told_apart(pairs: list[tuple[str, str]]) -> None:
    content = ("{" + ",".join(f"{key}:{value}" for key, value in pairs) + "}").encode()
    try:
        written = rfc8785.dumps(json.loads(content, parse_int=float))
    except ValueError:
        written = b""
    assert is_canonical(content) == (written == content)

"""What is signed has one form, RFC 8785: no key stands twice, and no two readers can take it differently."""

from __future__ import annotations

import json
import re
from typing import Any

ASTRAL = re.compile(rb"[\xf0-\xf4]")  # characters past U+FFFF, which RFC 8785 sorts otherwise than Python
LONGEST_WHOLE = 15  # digits that every reader takes exactly


class _OtherForm(Exception):
    """A number that Python may write otherwise than RFC 8785."""


def is_canonical(content: bytes) -> bool:
    import rfc8785

    try:
        # Every number as rfc8785 takes a large one: whole floats are written without a point.
        return _is_plainly(content) or bytes(rfc8785.dumps(json.loads(content, parse_int=float))) == content
    except (ValueError, RecursionError):
        return False


def _is_plainly(content: bytes) -> bool:
    """Whether Python's own writer, several times as fast, gives the same bytes. False where the two may differ."""
    if ASTRAL.search(content):
        return False
    try:
        read = json.loads(content, parse_int=_whole, parse_float=_decimal, parse_constant=_never)
    except _OtherForm:
        return False
    return json.dumps(read, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() == content


def _whole(text: str) -> int:
    if len(text) > LONGEST_WHOLE:
        raise _OtherForm
    return int(text)


def _decimal(text: str) -> float:
    if "e" in text or "E" in text or text.endswith(".0"):
        raise _OtherForm
    return float(text)


def _never(text: str) -> float:
    raise _OtherForm


def no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """For `json.loads`: a key given twice reads differently to different readers."""
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        raise ValueError
    return mapping

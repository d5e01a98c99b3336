"""What is signed has one form, RFC 8785: no key stands twice, and no two readers can take it differently."""

from __future__ import annotations

import json


def is_canonical(content: bytes) -> bool:
    import rfc8785

    try:
        # Every number as rfc8785 takes a large one: whole floats are written without a point.
        return bytes(rfc8785.dumps(json.loads(content, parse_int=float))) == content
    except (ValueError, RecursionError):
        return False

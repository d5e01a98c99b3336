"""Two policies, key by key: by their digested forms, in which defaults stand written out, and files stand as their digests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from policies.words.frozen import Frozen

EMPTY: tuple[Any, ...] = (None, [], {}, "", False)
SHOWN = 8  # digits of a digest


class PolicyChange(Frozen):
    """`before` and `after`: the value as it is written; None where there is none."""

    key: str
    before: str | None
    after: str | None


def policy_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[PolicyChange, ...]:
    """In the order of the later policy; keys that only the earlier one has come last."""
    old, new = dict(_leaves(before)), dict(_leaves(after))
    keys = dict.fromkeys([*new, *old])
    return tuple(PolicyChange(key=key, before=old.get(key), after=new.get(key)) for key in keys if old.get(key) != new.get(key))


def _leaves(section: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Keys that say nothing are left out: an attribute that is new has many of them."""
    for name, value in section.items():
        key = f"{above}.{name}" if above else name
        if isinstance(value, Mapping) and set(value) == {"sha256"}:
            yield key, f"file {value['sha256'][:SHOWN]}"
        elif isinstance(value, Mapping):
            yield from _leaves(value, key)
        elif value not in EMPTY:
            yield key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

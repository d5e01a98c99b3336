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


def _leaves(section: Mapping[str, Any], *above: str) -> Iterator[tuple[str, str]]:
    """Keys that say nothing are left out: an attribute that is new has many of them. The keys of a `map` are cells of the source, which may
    be suppressed people's: no path names them, since published reports name paths."""
    for name, value in section.items():
        place = (*above, name)
        if _is_map(place) or not isinstance(value, Mapping):
            if value not in EMPTY:
                yield ".".join(place), value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        elif set(value) == {"sha256"}:
            yield ".".join(place), f"file {value['sha256'][:SHOWN]}"
        else:
            yield from _leaves(value, *place)


def _is_map(place: tuple[str, ...]) -> bool:
    return place[:1] == ("attributes",) and place[2:] == ("map",)

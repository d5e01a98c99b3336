"""Random series as a home keeps them: rows in another order than people, and values coded in each version in its own way."""

from __future__ import annotations

from typing import Any

import numpy as np

from headgate.core.columns import Codes
from headgate.series.kept_version import CodedValues, KeptTable, KeptVersion
from tests.unit.headgate.series.by_definition import Drawn

MISSING = -1


def name_of(person: int) -> bytes:
    return f"p{person:03}".encode()


def kept(version: Drawn, seed: int, harmless: frozenset[Any] = frozenset()) -> tuple[KeptVersion, list[dict[str, Codes]]]:
    """The version, and by table each person's own codes."""
    draw, people = np.random.default_rng(seed), sorted(version.people)
    tables, own = [], []
    for names, groups in version.tables.items():
        number = {group: place for place, group in enumerate(sorted(set(groups.values())))}
        theirs = np.array([number[groups[person]] for person in people], dtype=np.int32)
        rows = draw.permutation(len(people))
        columns, codes_of = {}, {}
        for name in names:
            values = [version.people[person][name] for person in people]
            texts = tuple(draw.permutation(sorted({str(value) for value in values if value is not None})).tolist())
            codes = np.array([MISSING if value is None else texts.index(str(value)) for value in values], dtype=np.int32)
            flags = np.array([*(text not in harmless for text in texts), True])
            columns[name], codes_of[name] = CodedValues(codes[rows], texts, flags), codes
        tables.append(KeptTable((theirs[rows],), (theirs,), columns))
        own.append(codes_of)
    return KeptVersion(np.array([name_of(person) for person in people]), tuple(tables)), own

"""A version as a home keeps it, small enough to be compared by eye."""

from __future__ import annotations

import numpy as np

from headgate.series.kept_version import CodedValues, KeptTable, KeptVersion
from tasks.series.pseudonyms import pseudonyms

NAMES = [f"patient-{number}" for number in range(40)]


def some_version(people: int = 40, seed: int = 0) -> KeptVersion:
    draw = np.random.default_rng(seed)
    groups = (np.arange(people) % 4).astype(np.int32)
    illness = CodedValues(draw.integers(-1, 3, people).astype(np.int32), ("flu", "gout|cold", "Ä"), np.array([True, True, False, True]))
    pay = CodedValues(draw.integers(0, 2, people).astype(np.int32), ("0.5", "1000"), np.ones(3, dtype=bool))
    one, two = (
        KeptTable((groups,), (groups[::-1].copy(),), {"illness": illness}),
        KeptTable((groups, groups), (groups, groups), {"pay": pay}),
    )
    return KeptVersion(np.sort(pseudonyms(b"s" * 32, "people", NAMES[:people])), (one, two))


def assert_same(one: KeptVersion, other: KeptVersion) -> None:
    assert one.people.tolist() == other.people.tolist()
    for a, b in zip(one.tables, other.tables, strict=True):
        assert [each.tolist() for each in (*a.classes, *a.groups)] == [each.tolist() for each in (*b.classes, *b.groups)]
        assert list(a.columns) == list(b.columns)
        for left, right in zip(a.columns.values(), b.columns.values(), strict=True):
            assert (left.codes.tolist(), left.texts, left.sensitive.tolist()) == (
                right.codes.tolist(),
                right.texts,
                right.sensitive.tolist(),
            )

"""Who of the source is in no version."""

from __future__ import annotations

import numpy as np

from headgate.series.kept_version import KeptVersion
from tasks.series.seen_together import rows_nowhere

PEOPLE = np.array([b"d", b"a", b"e", b"c", b"b"])


def version(*people: bytes) -> KeptVersion:
    return KeptVersion(np.array(people, dtype="S1"), ())


def test_whoever_is_in_any_version_is_somewhere() -> None:
    new = version(b"a", b"b")
    assert rows_nowhere(PEOPLE, new, [], 0).tolist() == [0, 2, 3]
    assert rows_nowhere(PEOPLE, new, [version(b"d", b"z"), version(b"c")], 0).tolist() == [2]
    assert rows_nowhere(PEOPLE, new, [version()], 0).tolist() == [0, 2, 3]


def test_where_a_version_is_not_known_anybody_may_be_in_it() -> None:
    """A control of people who are in that version would call a leak knowledge of the population."""
    assert rows_nowhere(PEOPLE, version(b"a"), [], 1).tolist() == []

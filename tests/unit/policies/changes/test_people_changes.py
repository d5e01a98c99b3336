"""Who came and who left: counted where pseudonyms are kept, and otherwise as coarsely as it is published."""

from __future__ import annotations

import numpy as np

from headgate.series.kept_version import KeptVersion
from policies.changes.people_changes import people_counted, people_told
from policies.gates.series_figures import SeriesFigures
from policies.sealed.manifest import Manifest

BEFORE = "a" * 64


def version(*people: bytes) -> KeptVersion:
    return KeptVersion(np.array(sorted(name.ljust(16, b".") for name in people), dtype="S16"), ())


def manifest(*earlier: str) -> Manifest:
    return Manifest.model_construct(series=SeriesFigures(earlier=earlier, people=500, several=390, came=110, left=20))


def test_people_are_counted_by_their_pseudonyms() -> None:
    change = people_counted(version(b"ann", b"bob", b"cyd"), version(b"bob", b"cyd", b"dan", b"eve"))
    assert (change.both, change.came, change.left, change.exact) == (2, 2, 1, True)
    assert change.sentence == "People: 2 are in both, 2 came, and 1 left."


def test_a_manifest_tells_of_the_version_published_last_and_of_no_other() -> None:
    told = people_told(BEFORE, manifest("b" * 64, BEFORE))
    assert told is not None
    assert told.sentence == "People: at least 390 are in both, at most 110 came, and at most 20 left."
    assert people_told("b" * 64, manifest("b" * 64, BEFORE)) is None
    assert people_told(BEFORE, manifest()) is None
    assert people_told(BEFORE, Manifest.model_construct(series=None)) is None

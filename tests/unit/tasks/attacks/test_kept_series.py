"""The series of a candidate is what its release saw, from what the home keeps and the source as it is read again."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from headgate.series.kept_version import Pseudonyms, kept_version
from headgate.series.with_earlier import together
from policies.gates.series_figures import SeriesFigures
from tasks.attacks.attempts import Attempt, Finished
from tasks.attacks.kept_series import series_of
from tasks.attacks.series_attempts import KnownSeries
from tasks.runtime.home import Home
from tasks.series.side_store import drop, keep
from tests.unit.headgate.attacks.planted import Row, small
from tests.unit.tasks.attacks.test_attempts import promise_of

FIRST, SECOND = "a" * 64, "b" * 64
ROWS: list[Row] = [(20 + i % 3, "f", [None, "a", "b"][i % 3], "xy"[i % 2]) for i in range(12)]
PEOPLE: Pseudonyms = np.array([b"%016d" % (7 * i % 12) for i in range(12)])  # in no order, as pseudonyms are
OUT = [3, 8]  # rows of the source that are in no version


class Kept:
    """A home with two versions of ten people; the source has two more."""

    def __init__(self, folder: Path) -> None:
        self.home = Home.open(folder)
        shown = np.setdiff1d(np.arange(12), OUT)
        case = small([ROWS[i] for i in shown], [int(i % 3) for i in range(10)])
        self.version, self.own = kept_version(PEOPLE, [(case.published[0], shown)])
        for candidate in (FIRST, SECOND):
            keep(self.home, "ward", candidate, self.version)
        source = small(ROWS, [0] * 12).table
        self.finished = Finished(promise_of(), tuple(case.published), {}, source, source, ())

    def series(self, figures: SeriesFigures | None, people: Pseudonyms | None = PEOPLE) -> Any:
        candidate: Any = SimpleNamespace(id=SECOND, manifest=SimpleNamespace(series=figures, dataset="ward", promise=promise_of()))
        policy = SimpleNamespace(is_steady=lambda name: name == "illness", gates=SimpleNamespace(series=None))
        reopened: Any = SimpleNamespace(loaded=SimpleNamespace(policy=policy), people=people)
        return series_of(self.home, candidate, reopened, self.finished)


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


def test_everybodys_own_value_is_found_again_in_the_source(kept: Kept) -> None:
    series = kept.series(SeriesFigures(earlier=(FIRST,), several=10))
    assert isinstance(series, KnownSeries)
    wanted = together([kept.version], kept.version, kept.own, ["illness"])
    for found, known in zip(series.versions, wanted, strict=True):
        assert found.people.tolist() == known.people.tolist()
        assert list(found.tables[0].steady) == ["illness"]
    found, known = (versions[-1].tables[0].own for versions in (series.versions, wanted))
    assert found is not None
    assert known is not None
    assert found["illness"].tolist() == known["illness"].tolist()
    assert series.told == 10
    assert [len(column.codes) for column in series.outsiders.values()] == [2] * 4
    assert series.outsiders["age"].codes.tolist() == kept.finished.people["age"].codes[OUT].tolist()


def test_where_no_versions_were_compared_there_is_nothing_to_attack(kept: Kept) -> None:
    assert kept.series(None) is None
    assert kept.series(SeriesFigures()) is None
    assert kept.series(SeriesFigures(earlier=(FIRST,)), people=None) is None


@pytest.mark.parametrize(("gone", "said"), [((FIRST,), "1 version"), ((SECOND,), "1 version"), ((FIRST, SECOND), "2 versions")])
def test_what_the_home_no_longer_keeps_is_said(kept: Kept, gone: tuple[str, ...], said: str) -> None:
    for candidate in gone:
        drop(kept.home, "ward", candidate)
    note = kept.series(SeriesFigures(earlier=(FIRST,)))
    assert isinstance(note, Attempt)
    assert note.sentence == f"t0: Series was not tried: the home no longer keeps who was in which group of {said}."
    assert note.gain.people == 0


def test_nobody_is_an_outsider_where_a_version_was_not_measured(kept: Kept) -> None:
    series = kept.series(SeriesFigures(earlier=(FIRST,), not_measured=1))
    assert [len(column.codes) for column in series.outsiders.values()] == [0] * 4

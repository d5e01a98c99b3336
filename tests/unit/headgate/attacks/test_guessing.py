"""The best guess from the rows that fit, against counting them one by one."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from headgate.attacks.guessing import Reach, guess
from headgate.attacks.matching import last_is_missing, match
from tests.unit.headgate.attacks.planted import drawn


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("by", ["equal", "line", "matrix"])
def test_a_guess_holds_most_of_the_rows_that_fit_within_its_reach(seed: int, by: str) -> None:
    planted = drawn(seed)
    column = planted.table.columns["job"]
    values, size = last_is_missing(column), len(column.values) + 1
    places = np.arange(size)
    near = np.abs(places[:, None] - places[None, :]) <= (0 if by == "equal" else 1)
    low, high = np.maximum(places - 1, 0), np.minimum(places + 1, size - 1)
    empty = np.zeros((0, 0), dtype=bool)
    reach = {"equal": Reach.equal(size), "line": Reach(low, high, empty), "matrix": Reach(low, high, near)}[by]
    guesses = guess(match(planted.published[0], planted.table.columns), column, reach)
    for person in range(len(planted.rows)):
        fitting = Counter(int(values[row]) for row in planted.fits(0, person))
        within = {value: sum(fitting[other] for other in range(size) if near[value, other]) for value in fitting}
        assert within[int(guesses.value[person])] == max(within.values())
        assert guesses.belief[person] == pytest.approx(max(within.values()) / fitting.total())


@pytest.mark.parametrize("seed", range(15))
def test_what_is_known_of_a_person_narrows_the_rows_however_many_classes_fit(seed: int) -> None:
    """A rare known value is looked up by itself, a frequent one class by class."""
    planted = drawn(seed)
    job, illness = (planted.table.columns[name] for name in ("job", "illness"))
    values, known = last_is_missing(job), last_is_missing(illness)
    unseen = np.where(np.arange(len(known)) % 5 == 0, -2, known).astype(np.int64)
    guesses = guess(match(planted.published[0], planted.table.columns), job, None, known, unseen)
    for person in range(len(planted.rows)):
        fitting = Counter(int(values[row]) for row in planted.fits(0, person) if known[row] == unseen[person])
        if fitting:
            assert fitting[int(guesses.value[person])] == max(fitting.values())
            assert guesses.belief[person] == pytest.approx(max(fitting.values()) / fitting.total())
        else:
            assert (guesses.belief[person], guesses.value[person]) == (0, guesses.overall)

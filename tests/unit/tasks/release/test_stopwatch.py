"""When steps began and ended, on a clock of the test's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from tasks.release import stopwatch
from tasks.release.listener import Listener
from tasks.release.stopwatch import BEFORE, Stopwatch


class Heard(Listener):
    def __init__(self) -> None:
        self.words: list[tuple[Any, ...]] = []

    def began(self, step: str, table: str = "") -> None:
        self.words.append(("began", step, table))

    def ended(self, step: str, table: str, seconds: float, well: bool) -> None:
        self.words.append(("ended", step, table, seconds, well))


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[Iterable[float]], None]:
    """The moments that the clock tells, one after the other."""

    def tell(moments: Iterable[float]) -> None:
        told = iter(moments)
        monkeypatch.setattr(stopwatch.time, "perf_counter", lambda: next(told))

    return tell


def test_a_step_is_told_when_it_begins_and_when_it_ends(at: Any) -> None:
    at([10.0, 12.5])
    heard = Heard()
    clock = Stopwatch(heard)
    assert clock.latest == BEFORE
    with clock.timed("gate", "table-2"):
        assert heard.words == [("began", "gate", "table-2")]
        assert clock.latest == "gate"
    assert heard.words[1:] == [("ended", "gate", "table-2", 2.5, True)]
    assert clock.seconds == {"gate": 2.5}


def test_a_step_that_breaks_has_ended_too_and_not_well(at: Any) -> None:
    at([1.0, 2.0])
    heard = Heard()
    clock = Stopwatch(heard)

    def broken() -> None:
        with clock.timed("plan"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken()
    assert heard.words[-1] == ("ended", "plan", "", 1.0, False)
    assert clock.seconds == {"plan": 1.0}


@pytest.mark.parametrize(
    ("spans", "seconds"),
    [
        ([(0, 2), (1, 3)], 3),  # at once
        ([(0, 2), (5, 6)], 3),  # one after the other, with a pause
        ([(0, 10), (1, 2), (3, 4)], 10),  # inside
        ([(4, 6), (0, 5)], 6),  # ended in another order
        ([(1, 1)], 0),
    ],
)
def test_tables_that_were_worked_on_at_once_count_once(at: Any, spans: list[tuple[float, float]], seconds: float) -> None:
    clock = Stopwatch(Listener())
    begins = [(start, 0, place) for place, (start, _) in enumerate(spans)]
    events = sorted(begins + [(end, 1, place) for place, (_, end) in enumerate(spans)])
    at([moment for moment, _, _ in events])
    blocks = [clock.timed("gate", f"table-{place}") for place in range(len(spans))]
    for _, ends, place in events:
        if ends:
            blocks[place].__exit__(None, None, None)
        else:
            blocks[place].__enter__()
    assert clock.seconds == {"gate": seconds}


def test_each_step_has_its_own_seconds_and_the_latest_is_the_last_that_began(at: Any) -> None:
    at([0.0, 1.0, 5.0, 9.0])
    clock = Stopwatch(Listener())
    with clock.timed("ingest"):
        pass
    with clock.timed("plan"):
        pass
    assert clock.seconds == {"ingest": 1.0, "plan": 4.0}
    assert clock.latest == "plan"

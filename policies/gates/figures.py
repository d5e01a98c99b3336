"""What is measured on one published table, and on the release as a whole."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from headgate.attacks.success import percent, wilson
from headgate.core.published_form.file_parts import MOST_PARTS, table_paths
from policies.gates.series_figures import SeriesFigures
from policies.gates.verdict import Measured
from policies.words.frozen import Frozen

MOST = 0.5  # of the rows
QUERY_ERRORS = ("query_error_mean", "query_error_low", "query_error_high", "query_error_median")


def _several(parts: tuple[int, ...]) -> tuple[int, ...]:
    if len(parts) == 1:
        raise ValueError("a table of one part is one file")
    return parts


Parts = Annotated[tuple[Annotated[int, Field(ge=1)], ...], Field(max_length=MOST_PARTS), AfterValidator(_several)]


class TableFigures(Frozen):
    """Everything measured on one published table, re-read from what was written. `measured` holds the figures of the gates; `parts` the
    rows of each part, where the table is published in parts."""

    name: str
    sensitive: tuple[str, ...]
    insensitive: tuple[str, ...] = ()
    path: str = ""  # of the CSV, or else the Parquet file, inside the candidate; of its first part, where it has parts
    parts: Parts = ()
    rows: int
    groups: int
    mean_group: float
    discernibility: int
    ncp: float
    query_error_mean: float | None = None
    query_error_low: float | None = None  # and high: the 95 % interval of the mean
    query_error_high: float | None = None
    query_error_median: float | None = None
    levels: dict[str, int] | None = None
    everything: dict[str, float] | None = None  # by quasi-identifier: the share of the rows whose cell is `*`
    measured: tuple[Measured, ...] = ()

    @model_validator(mode="after")
    def _each_once(self) -> TableFigures:
        """A second value beside the first could be the one that is shown."""
        if len({(measured.figure, measured.of) for measured in self.measured}) != len(self.measured):
            raise ValueError("a figure is measured twice")
        return self

    def figure(self, name: str, of: str = "") -> float | None:
        """None where it was not measured."""
        return next((measured.value for measured in self.measured if (measured.figure, measured.of) == (name, of)), None)

    def each(self, name: str) -> dict[str, float]:
        """A figure of every attribute, or against every dictionary, that it was measured for."""
        return {measured.of: measured.value for measured in self.measured if measured.figure == name}

    @property
    def remarks(self) -> tuple[str, ...]:
        """What nobody required, and a reader would miss."""
        return tuple(_hidden(name, share, self.name) for name, share in (self.everything or {}).items() if share > MOST)

    def paths(self, ending: str) -> tuple[str, ...]:
        """Where it lies in one format, in the order of its parts."""
        return table_paths(self.name, ending, len(self.parts))

    @property
    def k(self) -> int:
        """Rows in the smallest group."""
        return int(self.figure("k") or 0)


def _hidden(name: str, share: float, table: str) -> str:
    rows = "all rows" if share == 1 else f"{min(round(100 * share), 99)} % of the rows"
    return (
        f"In {rows} of {table}, {name} is * (everything), so it tells readers little. Drop it, so that the others keep more; give it "
        "coarser levels; or ask for less (a smaller k or δ)."
    )


class ReleaseUtility(Frozen):
    """What the release as a whole loses. It is judged like a table that has no name."""

    query_error_mean: float | None = None
    query_error_low: float | None = None  # and high: the 95 % interval of the mean
    query_error_high: float | None = None
    query_error_median: float | None = None
    ncp: float
    suppressed_share: float

    @property
    def query_error_judged(self) -> float | None:
        """What gates compare: the upper end of the mean's interval. Releases from before there was one were judged by the mean."""
        return self.query_error_mean if self.query_error_low is None else self.query_error_high


class AttackGain(Frozen):
    """One attack that was tried on finished tables: of how many people somebody who tries it learns something, and of how many anybody who
    guesses from the whole table does. Where values are guessed, only sensitive ones count. With no people it could not be tried."""

    attack: str  # its key in a policy's `gates: {attack: …}`
    who: str  # somebody who does what is right about what, in words
    people: Annotated[int, Field(ge=0)]
    right: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    right_overall: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    drawn: bool = False  # the people, or the records that are guessed from, are a sample

    @model_validator(mode="after")
    def _of_those_attacked(self) -> AttackGain:
        if max(self.right, self.right_overall) > self.people:
            raise ValueError("more people are guessed rightly than were attacked")
        return self

    @property
    def gain(self) -> float | None:
        """The share of the people that the attack adds to guessing."""
        return (self.right - self.right_overall) / self.people if self.people else None

    @property
    def largest_gain(self) -> float | None:
        """What gates compare. Of a sample, the upper end of the attacker's 95 % interval less the lower end of the guesser's: whatever the
        two have to do with each other, at most one sample in twenty hides more."""
        if not self.people or not self.drawn:
            return self.gain
        return wilson(self.right, self.people)[1] - wilson(self.right_overall, self.people)[0]

    @property
    def shown(self) -> bool:
        """Whether the gain is more than the choice of the sample explains."""
        return not self.drawn or wilson(self.right, self.people)[0] > wilson(self.right_overall, self.people)[1]


@dataclass(frozen=True)
class ReleaseFigures:
    """What is measured of the release as a whole. `attacks`: all that were tried on the finished tables. `series`: None where versions were
    not compared."""

    utility: ReleaseUtility
    attacks: tuple[AttackGain, ...] = ()
    series: SeriesFigures | None = None


def worst_attack(gains: Iterable[AttackGain]) -> str:
    """One sentence on the attack that gains most over guessing; empty where none was tried."""
    tried = [(gained.gain, gained) for gained in gains if gained.gain is not None]
    if not tried:
        return ""
    gain, worst = max(tried, key=lambda pair: pair[0])
    if gain <= 0:
        return "No attack that was tried gains anything over guessing from the whole table."
    shares = (f"{percent(right / worst.people)} %" for right in (worst.right, worst.right_overall))
    chance = "" if worst.shown else " Chance may explain the difference."
    return "The attack that gains most: {} for {} of the people, against {} by guessing.{}".format(worst.who, *shares, chance)

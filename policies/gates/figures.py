"""What is measured on one published table, and on the release as a whole."""

from __future__ import annotations

from pydantic import model_validator

from policies.gates.verdict import Measured
from policies.words.frozen import Frozen


class TableFigures(Frozen):
    """Everything measured on one published table, re-read from what was written. `measured` holds the figures of the gates."""

    name: str
    sensitive: tuple[str, ...]
    insensitive: tuple[str, ...] = ()
    path: str = ""  # of the CSV, or else the Parquet file, inside the candidate
    rows: int
    groups: int
    mean_group: float
    discernibility: int
    ncp: float
    query_error_mean: float | None = None
    query_error_median: float | None = None
    levels: dict[str, int] | None = None
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
    def k(self) -> int:
        """Rows in the smallest group."""
        return int(self.figure("k") or 0)


class ReleaseUtility(Frozen):
    """What the release as a whole loses. It is judged like a table that has no name."""

    query_error_mean: float | None = None
    query_error_median: float | None = None
    ncp: float
    suppressed_share: float

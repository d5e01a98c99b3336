"""What a release measured, gathered once by the flow, for its report and for MLflow. No rows, and no cell of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from policies.gates.figures import AttackGain, ReleaseUtility, TableFigures
from policies.gates.series_figures import SeriesFigures
from policies.gates.verdict import Verdict
from policies.judging.exposure import Exposure
from policies.sealed.manifest import Plan
from policies.sealed.promise import Promise

Side = Literal["in", "out"]
LAST_TRIED = "last tried"  # what the table is called that was tried last, where no plan passed


@dataclass(frozen=True)
class Outcome:
    """How one expectation came out: its type and column, never what it saw. `column` is empty when it is about the whole table."""

    side: Side
    expectation: str
    column: str
    success: bool
    table: str = ""


@dataclass(frozen=True, eq=False)
class MeasuredTable:
    """One projected table: its figures, and what they summarize, group by group."""

    figures: TableFigures
    group_sizes: NDArray[np.int64]
    group_risks: NDArray[np.float64] | None = None  # absent where no (ε, δ) was promised
    loss: Mapping[str, float] = field(default_factory=dict)  # NCP of each quasi-identifier alone

    @property
    def name(self) -> str:
        return self.figures.name


@dataclass(frozen=True)
class Limits:
    """The policy's limits on the plan and on utility, which charts draw as lines."""

    association_loss: float | None = None
    join_threat: float | None = None
    query_error: float | None = None
    loss: float | None = None


@dataclass(frozen=True, eq=False)
class MeasuredRelease:
    """One run of a release, let through or refused. `refusal` says why it ended where no gate was the reason."""

    dataset: str
    title: str
    release_id: str
    created: str
    policy_digest: str
    rows: int
    suppressed: int
    promise: Promise | None = None  # absent only when the run ended before the data could be read against the policy
    plan: Plan | None = None
    tables: tuple[MeasuredTable, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    utility: ReleaseUtility | None = None
    outcomes: tuple[Outcome, ...] = ()
    limits: Limits = Limits()
    attacks: tuple[str, ...] = ()
    attack_gains: tuple[AttackGain, ...] = ()
    series: SeriesFigures | None = None
    versions: Mapping[str, str] = field(default_factory=dict)  # what those that it was compared with are called, by candidate
    suppressed_cells: Mapping[str, int] = field(default_factory=dict)
    exposures: tuple[Exposure, ...] = ()
    bounds: tuple[str, ...] = ()  # of Theorem 1, in words
    about: Mapping[str, str] = field(default_factory=dict)  # what the policy says to data users and approvers
    refusal: str = ""

    @property
    def refused_by(self) -> tuple[Verdict, ...]:
        return tuple(verdict for verdict in self.verdicts if not verdict.passed)

    @property
    def passed(self) -> bool:
        """Let through only if something was judged and nothing spoke against it."""
        return bool(self.verdicts) and not self.refused_by and not self.refusal and all(outcome.success for outcome in self.outcomes)

    @property
    def suppressed_share(self) -> float:
        return self.suppressed / self.rows if self.rows else 0.0

"""The account that a release gives of itself when it has ended: figures, verdicts and ids, all of which may be shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from policies.gates.figures import AttackGain, ReleaseUtility, TableFigures
from policies.gates.series_figures import SeriesFigures
from policies.gates.verdict import Verdict
from policies.ledger.states import State
from policies.sealed.manifest import Plan


@dataclass(frozen=True)
class Account:
    """As far as the release came. `folder` is the candidate's, or that of the report on why there is none."""

    release_id: str
    dataset: str
    state: State
    candidate: str
    rows: int
    suppressed: int
    suppressed_cells: Mapping[str, int]
    unused: Mapping[str, int]  # by attribute: how many of its declared values no row has
    plan: Plan | None
    tables: tuple[TableFigures, ...]  # of the plan, measured so far
    verdicts: tuple[Verdict, ...]
    utility: ReleaseUtility | None
    attack_gains: tuple[AttackGain, ...]  # of the attacks that were tried on the finished tables
    mlflow_run_id: str
    folder: Path | None
    seconds: Mapping[str, float]
    series: SeriesFigures | None = None  # together with the versions before
    versions: Mapping[str, str] = field(default_factory=dict)  # what these are called, by candidate

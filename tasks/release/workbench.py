"""One release in the making, in memory only.

Steps are Prefect tasks, and Prefect must never see microdata; so they hand each other the release's id, and what they work on lies
here, in the process that runs the flow. Nothing of it is ever written: a run that dies leaves no encoded table behind.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from headgate.core.errors import Defect
from policies.ledger.events import Event
from policies.ledger.states import State
from policies.sealed.specs import insensitive_tables
from tasks.runtime.home import Home
from tasks.runtime.listener import Listener
from tasks.tables.examined import examine

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from headgate.core.columns import Table
    from headgate.core.distance import Distance
    from headgate.methods.partition import Partition
    from headgate.risk.disclosure.patterns import Pattern
    from policies.gates.attackers import Attacker
    from policies.gates.figures import TableFigures, Utility
    from policies.gates.verdict import Verdict
    from policies.judging.checkplan import TableCheck
    from policies.judging.exposure import Exposure
    from policies.sealed.manifest import Plan, Signer
    from policies.sealed.promise import Promise
    from tasks.ledger.event_log import Ledger
    from tasks.reading.dictionaries import Dictionaries
    from tasks.reading.ingest import Ingested
    from tasks.reading.references import LoadedPolicy
    from tasks.reporting.measured_tables import MeasuredTable, Outcome
    from tasks.signing.keys import PrivateKey
    from tasks.stores.seal import Candidate
    from tasks.tables.write import WrittenFile


T = TypeVar("T")


@dataclass
class Workbench:
    release_id: str
    home: Home
    loaded: LoadedPolicy
    ledger: Ledger
    key: PrivateKey
    runner: Signer
    source: Path | None
    stage: Path
    seed: bytes
    listener: Listener
    started: str
    spans: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    ingested: Ingested | None = None
    rows: int = 0
    suppressed: int = 0
    source_hmac: str = ""
    dictionary_hmacs: dict[str, str] = field(default_factory=dict)  # of the results of queries
    outcomes: list[Outcome] = field(default_factory=list)  # of the expectations, in and out
    table: Table | None = None  # after the bitmap transformation
    promise: Promise | None = None
    distance: Distance | None = None  # the callable's, where the policy names one
    attackers: tuple[Attacker, ...] = ()
    dictionaries: Dictionaries | None = None  # that attackers may hold, where the policy has a gate on disclosure
    after_suppression: Table | None = None  # the encoded source after a policy's `suppress_cells`
    original: Table | None = None  # the whole source in bitmaps; `table` itself where no cells were suppressed
    people: dict[str, NDArray[np.int64]] = field(default_factory=dict)  # whose records these are, where people weigh theirs differently
    suppressed_cells: dict[str, int] = field(default_factory=dict)
    exposures: dict[str, tuple[Exposure, ...]] = field(default_factory=dict)
    patterns: dict[tuple[str, str], tuple[Pattern, ...]] = field(default_factory=dict)  # by table and dictionary
    bounds: tuple[str, ...] = ()
    check: TableCheck | None = None
    plan: Plan | None = None
    tried: MeasuredTable | None = None  # the last that the search for a plan tried, where a gate refused it
    kept: NDArray[np.bool_] | None = None
    partitions: dict[str, Partition] = field(default_factory=dict)
    written: dict[str, tuple[WrittenFile, ...]] = field(default_factory=dict)
    examined: dict[str, str] = field(default_factory=dict)  # the SHA-256 of each file when it was first looked at
    query_errors: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    measured: dict[str, MeasuredTable] = field(default_factory=dict)
    verdicts: tuple[Verdict, ...] = ()
    utility: Utility | None = None
    attacks: tuple[str, ...] = ()  # what came of those tried on the finished tables
    mlflow_run_id: str = ""
    candidate: Candidate | None = None
    folder: Path | None = None  # of the candidate, or of the report on why there is none
    state: State = State.RUNNING
    stopping: threading.Event = field(default_factory=threading.Event)  # ends what any thread still groups for this release
    step: str = "start"  # the last one that began
    told: int = 0  # events in the ledger
    untold: list[tuple[type[Event], dict[str, Any]]] = field(default_factory=list)

    def happened(self, kind: type[Event], **told: Any) -> None:
        """Recorded at the next audit. Figures, digests and column numbers only."""
        self.untold.append((kind, told))

    def working(self, done: int, total: int) -> None:
        """How far the anonymizer is with a table: for whoever waits."""
        self.listener.working(self.step, done, total, self.loaded.policy.anonymize.chosen.progress)

    def forget_microdata(self) -> None:
        """What is left is what may be shown: figures, verdicts, ids."""
        self.ingested = self.dictionaries = self.after_suppression = self.table = self.original = None
        self.check = self.kept = self.distance = None
        self.attackers = ()
        self.people.clear()
        self.patterns.clear()
        self.partitions.clear()
        self.query_errors.clear()

    def examine(self, path: str) -> Path:
        return examine(self.stage, path, self.examined)

    @property
    def figures(self) -> tuple[TableFigures, ...]:
        """Of the tables measured so far, in the order of the plan."""
        return tuple(self.measured[name].figures for name in self.names if name in self.measured) if self.plan else ()

    @property
    def exposed(self) -> tuple[Exposure, ...]:
        names = self.names if self.plan else tuple(self.exposures)
        return tuple(one for name in names for one in self.exposures.get(name, ()))

    @property
    def suppressed_share(self) -> float:
        return self.suppressed / self.rows if self.rows else 0.0

    @property
    def names(self) -> tuple[str, ...]:
        """table-1, table-2 … in the order of the plan; names of attributes or values have no place in paths and logs."""
        return tuple(f"table-{number + 1}" for number in range(len(present(self.plan, "plan").tables)))

    def columns_of(self, name: str) -> tuple[str, ...]:
        return tuple(present(self.plan, "plan").tables[self.names.index(name)])

    def insensitive_of(self, name: str) -> tuple[str, ...]:
        return insensitive_tables(self.loaded.policy, len(self.names))[self.names.index(name)]

    @contextmanager
    def timed(self, step: str, table: str = "") -> Iterator[None]:
        self.step = step
        self.listener.began(step, table)
        start, well = time.perf_counter(), False
        try:
            yield
            well = True
        finally:
            end = time.perf_counter()
            self.spans.setdefault(step, []).append((start, end))
            self.listener.ended(step, table, end - start, well)

    @property
    def seconds(self) -> dict[str, float]:
        """What each step took by the clock; tables that were worked on at once count once."""
        return {step: _covered(spans) for step, spans in self.spans.items()}


def _covered(spans: list[tuple[float, float]]) -> float:
    total, reached = 0.0, 0.0
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total


_open: dict[str, Workbench] = {}


def put(bench: Workbench) -> None:
    _open[bench.release_id] = bench


def of(release_id: str) -> Workbench:
    if release_id not in _open:
        raise Defect(f"Release {release_id} is not being made in this process.", "Steps of a release run in the process of its flow.")
    return _open[release_id]


def close(release_id: str) -> Workbench | None:
    return _open.pop(release_id, None)


def present(thing: T | None, what: str) -> T:
    """What an earlier step left; its absence is a defect, not a default."""
    if thing is None:
        raise Defect(f"There is no {what} yet.", "Steps of a release run in the order of the flow.")
    return thing

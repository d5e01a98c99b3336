"""A release of the clinic's sixty people with all its steps up to the verdicts done, each called as a plain function."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from policies.jobs.engine import LocalEngine
from policies.jobs.spool import MemorySpool
from policies.jobs.table_job import Workplace
from policies.ledger.standing import Release
from policies.sealed.manifest import Signer
from tasks.ledger.open_ledger import open_ledger
from tasks.reading.prepare import PreparedSource
from tasks.reading.references import LoadedPolicy
from tasks.release.closing.so_far import SoFar
from tasks.release.listener import Listener
from tasks.release.run import Run
from tasks.release.steps.anonymize_tables import Agreed, GroupedTable, agree_on_suppression, anonymize_table, release_everybody
from tasks.release.steps.attack_tables import AttackedTables, attack_tables
from tasks.release.steps.choose_plan import Planned, choose_plan
from tasks.release.steps.compare_versions import ComparedVersions, compare_versions
from tasks.release.steps.expect_tables import Checked, expect_published
from tasks.release.steps.gate_tables import Gated, gate_table
from tasks.release.steps.ingest_source import SourceRead
from tasks.release.steps.judge_release import Judged, judge_release
from tasks.release.steps.keep_series import former_groups, leave_out_told
from tasks.release.steps.promise_published import promise_published
from tasks.release.steps.resolve_shares import resolve_shares
from tasks.release.steps.transform_source import (
    CellsSuppressed,
    DictionariesRead,
    Transformed,
    suppress_cells,
    transform_source,
)
from tasks.release.steps.write_tables import Written, write_table
from tasks.release.stopwatch import Stopwatch
from tasks.reporting.release_charts import Pictures
from tasks.runtime.callables import callable_distance
from tasks.runtime.home import Home
from tasks.signing.keys import load_key, make_key


def run_in(
    folder: Path,
    loaded: LoadedPolicy,
    workers: int = 1,
    seed: bytes = b"seed",
    listener: Listener | None = None,
    name: str = "run",
    versions: tuple[Release, ...] = (),
) -> Run:
    """With a home in `folder`. `workers`: threads that try tables; `listener` hears of its steps; `versions` came out before."""
    home, key = Home.open(folder / "home"), folder / "runner"
    private = load_key(key) if key.exists() else make_key(key)
    spool, stopping = MemorySpool(), threading.Event()
    return Run(
        release_id=name,
        started="2025-06-01T12:00:00+00:00",
        loaded=loaded,
        source=None,
        stage=home.stage(name),
        home=home,
        ledger=open_ledger(home),
        key=private,
        runner=Signer(principal="runner", fingerprint=private.fingerprint),
        seed=seed,
        spool=spool,
        engine=LocalEngine(Workplace(spool, callable_distance, stopping=stopping), workers),
        clock=Stopwatch(listener or Listener()),
        versions=versions,
        stopping=stopping,
    )


PICTURES = Pictures({"plan": b"<svg />"}, {})


@dataclass
class Made:
    """What each step has given out; a test may look at any of it."""

    run: Run
    read: SourceRead
    dictionaries: DictionariesRead | None = None
    suppressed: CellsSuppressed | None = None
    transformed: Transformed = None  # type: ignore[assignment]
    planned: Planned = None  # type: ignore[assignment]
    agreed: Agreed = None  # type: ignore[assignment]
    grouped: tuple[GroupedTable, ...] = ()
    written: tuple[Written, ...] = ()
    checked: tuple[Checked, ...] = ()
    gated: tuple[Gated, ...] = ()
    compared: ComparedVersions = None  # type: ignore[assignment]
    attacked: AttackedTables = None  # type: ignore[assignment]
    judged: Judged = None  # type: ignore[assignment]

    @property
    def encoded(self) -> PreparedSource:
        return self.run.spool.get(self.transformed.encoded)

    def so_far(self, **changes: Any) -> SoFar:
        """As the flow keeps it, with pictures that took no time to draw."""
        given = {name: value for name, value in vars(self).items() if name in SoFar.__dataclass_fields__}
        return SoFar(**{"pictures": self.run.spool.put(PICTURES), **given, **changes})


def finish(made: Made) -> Made:
    """All steps from the source that was read up to the verdicts, as the flow orders them."""
    run = made.run
    if run.policy.suppress_cells is not None:
        made.suppressed = suppress_cells(run, made.read, made.dictionaries)
    made.transformed = transform_source(run, made.read, made.dictionaries, made.suppressed)
    planned = choose_plan(run, made.transformed, former_groups(run, made.read))
    assert isinstance(planned, Planned)
    made.planned = planned
    everybody = release_everybody(run, made.transformed)
    made.grouped = tuple(anonymize_table(run, planned, everybody, planned.groups, name) for name in planned.names)
    made.agreed = agree_on_suppression(run, planned, everybody, made.grouped)
    assert made.agreed.settled
    left_out = leave_out_told(run, made.read, planned, made.agreed, made.grouped)
    made.agreed, made.grouped = left_out.agreed, left_out.grouped
    made.transformed = resolve_shares(run, made.read, made.transformed, made.agreed)
    made.planned = planned = promise_published(run, made.transformed, planned, made.agreed)
    made.written = tuple(write_table(run, made.transformed, planned, made.agreed, table) for table in made.grouped)
    made.checked = tuple(expect_published(run, made.read, made.transformed, planned, table) for table in made.written)
    made.gated = tuple(gate_table(run, made.transformed, planned, table) for table in made.written)
    made.compared = compare_versions(run, made.read, made.transformed, planned, made.written, made.gated, left_out.needed)
    made.attacked = attack_tables(run, made.transformed, planned, made.agreed, made.written, made.gated, made.compared)
    looked_at = made.gated, made.attacked, made.compared
    made.judged = judge_release(run, made.read, made.dictionaries, made.transformed, planned, made.agreed, *looked_at)
    return made

"""A running release: what every step may use and no step changes. It is open in the ledger, and has its dataset's lock."""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from headgate.core.errors import InputRejected, Refusal, TransitionRefused
from policies.jobs.engine import Engine, LocalEngine
from policies.jobs.spool import MemorySpool, Spool
from policies.jobs.table_job import Workplace
from policies.ledger.events import Event, RunStarted
from policies.schema.operator_file import Operator
from policies.schema.policy import Policy, require_ready
from policies.schema.series_default import with_series
from policies.sealed.manifest import Signer
from policies.words.quorum import Quorum
from tasks.approval.approvals import operator_roots, policy_roots
from tasks.approval.decisions import record_expiries, record_takeover
from tasks.approval.kept_policies import keep_policy
from tasks.approval.operator_demands import Demands, operator_demands, require_runner
from tasks.approval.registered_policies import CURE, ScheduledPolicy, registered
from tasks.cluster.engine_choice import clear_shared, engine_here
from tasks.ledger.event_log import Ledger
from tasks.ledger.history import read_history
from tasks.ledger.open_ledger import open_ledger
from tasks.reading.references import LoadedPolicy, load_policy
from tasks.reading.whereabouts import whereabouts
from tasks.release.kept_progress import kept_progress
from tasks.release.listener import Listener, listener_here
from tasks.release.observed_steps import observed
from tasks.release.stopwatch import Stopwatch
from tasks.release.work import Elsewhere, Work
from tasks.runtime.callables import callable_distance
from tasks.runtime.home import Home
from tasks.series.known_versions import drop_ended
from tasks.signing.given_key import given_key
from tasks.signing.home_keys import machine_key
from tasks.signing.keys import PrivateKey
from tasks.signing.registration import Registration
from tasks.signing.trust_roots import TrustRoots


@dataclass(frozen=True)
class Happened:
    """An event without its release and moment, which it gets when it is appended. Figures, digests and column numbers only."""

    kind: Callable[..., Event]
    payload: Mapping[str, Any]


@dataclass(frozen=True, eq=False, kw_only=True)
class Run(Work):
    """`stage` is a private folder for what is written. What is large or private lies in the spool; `stopping` ends what any thread still
    groups for this release."""

    release_id: str
    started: str  # UTC, ISO 8601
    stage: Path
    home: Home
    ledger: Ledger
    key: PrivateKey = field(repr=False)
    runner: Signer
    clock: Stopwatch = field(repr=False)
    demands: Demands = field(default_factory=lambda: Demands(Operator()))
    registration: Registration | None = None
    stopping: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def quorum(self) -> Quorum:
        """Who must agree to this release."""
        return self.policy.approval.quorum.raised_to(self.demands.floor)

    @property
    def machine(self) -> str:
        """The fingerprint of the home's key, where a schedule runs."""
        return "" if self.registration is None else self.key.fingerprint


def product() -> str:
    return f"headgate/{version('headgate')}"


@dataclass(frozen=True)
class Runner:
    """With which key a release runs, in whose name, and what the operator demands of it. A schedule runs with the home's own key, in the
    name of who registered the policy."""

    key: PrivateKey
    signer: Signer
    demands: Demands
    registration: Registration | None = None


def runner_of(home: Home, ledger: Ledger, loaded: LoadedPolicy, key: Path | None, scheduled: bool = False) -> Runner:
    """Refuses before any work what could not be published after it. No key is given for a scheduled run."""
    demands, signers, dataset = operator_demands(home), loaded.references.signers, loaded.policy.dataset
    registration = registered(home, ledger, scheduled_policy(loaded)) if scheduled else None
    given = machine_key(home.keys) if scheduled else given_key(key)
    if signers is not None:
        demands.require_no_policy_signers()
    roots = policy_roots(home, signers)
    signer = require_runner(given.key if registration is None else registration.key, operator_roots(home), demands, ledger.now())
    if registration is not None and registration.signer != signer:
        raise TransitionRefused(
            [Refusal("registration", f"the key that registered the policy of {dataset} is now {signer.principal}'s")], CURE
        )
    require_approvers(loaded, roots, signer, given, demands, ledger.now())
    demands.require_target(loaded.policy.publish.to)
    return Runner(given, signer, demands, registration)


def scheduled_policy(loaded: LoadedPolicy) -> ScheduledPolicy:
    return ScheduledPolicy(loaded.policy.dataset, loaded.digest, whereabouts(loaded))


@contextmanager
def opened_release(policy: Path, source: Path | None, key: Path | None, release_id: str, scheduled: bool = False) -> Iterator[Run]:
    """The lock, the folder and the spool are let go whatever happens."""
    if scheduled and (source is not None or key is not None):
        raise InputRejected("A scheduled run has the source that its policy names, and the home's own key.", "Give neither.")
    home = Home.reopen() if scheduled else Home.open()
    loaded = load_policy(policy)
    require_ready(loaded.policy)
    ledger = open_ledger(home)
    runner = runner_of(home, ledger, loaded, key, scheduled)
    with (
        ledger.lock(loaded.policy.dataset, release_id) as lock,
        kept_progress(home, release_id, listener_here()) as kept,
        observed(kept, release_id, loaded.policy.dataset) as listener,
    ):
        if lock.taken_from:
            home.clear_stage(lock.taken_from)
            clear_shared(home.shared(lock.taken_from))
            record_takeover(ledger, lock)
        record_expiries(home, ledger)
        history = read_history(ledger)
        with_series(loaded.policy, len(history.came_out(loaded.policy.dataset)))  # refused before any work
        drop_ended(home, history, loaded.policy.dataset)
        keep_policy(home, loaded)
        clock, stopping = Stopwatch(listener), threading.Event()
        place = Workplace(MemorySpool(), callable_distance, _progress(loaded.policy, clock, listener), stopping)
        with opened_engine(place, home.shared(release_id)) as opened:
            run = Run(
                release_id=release_id,
                started=ledger.now().isoformat(),
                loaded=loaded,
                source=None if source is None else source.expanduser().absolute(),
                stage=home.stage(release_id),
                home=home,
                ledger=ledger,
                key=runner.key,
                runner=runner.signer,
                seed=secrets.token_bytes(32),
                spool=opened.spool,
                engine=opened.engine,
                elsewhere=opened.elsewhere,
                clock=clock,
                demands=runner.demands,
                registration=runner.registration,
                versions=history.came_out(loaded.policy.dataset),
                stopping=stopping,
            )
            try:
                yield run
            finally:
                opened.spool.close()
                home.clear_stage(release_id)


@dataclass(frozen=True, eq=False)
class OpenedEngine:
    """What tries tables, where data lies, and who looks at it, if not this process."""

    engine: Engine
    spool: Spool
    elsewhere: Elsewhere | None = None


@contextmanager
def opened_engine(place: Workplace, scratch: Path) -> Iterator[OpenedEngine]:
    """The one that was chosen. Dask is imported by those who chose it only."""
    choice = engine_here()
    if choice.is_local:
        yield OpenedEngine(LocalEngine(place), place.spool)
        return
    from tasks.cluster.opened_cluster import dask_engine

    with dask_engine(choice, place, scratch) as engine:
        yield OpenedEngine(engine, engine.files, engine)


def begun(run: Run) -> Happened:
    payload = {
        "dataset": run.policy.dataset,
        "policy_digest": run.loaded.digest,
        "runner": run.runner,
        "machine": run.machine,
        "registered": None if run.registration is None else run.registration.said.at,
        "product": product(),
        "operator_digest": run.demands.digest,
        "policy_sha256": hashlib.sha256(run.loaded.content).hexdigest(),
    }
    return Happened(RunStarted, payload)


def _progress(policy: Policy, clock: Stopwatch, listener: Listener) -> Any:
    """Passes the anonymizer's progress to the listener."""
    what = policy.anonymize.chosen.progress
    return lambda done, total: listener.working(clock.latest, done, total, what)


def require_approvers(loaded: LoadedPolicy, roots: TrustRoots, runner: Signer, key: PrivateKey, demands: Demands, now: datetime) -> None:
    """That enough people besides the runner may sign, in every role that must be filled."""
    runners = (runner.principal, roots.principal_of(key.fingerprint))
    others = [person for person in roots.people(now) if person not in runners]
    quorum = loaded.policy.approval.quorum.raised_to(demands.floor)
    demands.require_reachable(quorum, others, loaded.references.signers is not None)

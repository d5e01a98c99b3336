"""The run's side of the ledger: opening a release, telling what happened in it, and ending it as sealed, refused, failed or nothing new."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from headgate.core.errors import HeadgateError, InputRejected, RequirementNotMet
from policies.approval.acts import Act, Actor
from policies.judging.verdicts import require_passed
from policies.ledger.events import CandidateSealed, NothingNew, ReleaseRefused, RunFailed, RunStarted, SourceIngested
from policies.ledger.fold import fold
from policies.ledger.states import Action, ActorRole, State
from policies.schema.policy import require_ready
from tasks.approval.approvals import policy_roots, runner_signer
from tasks.approval.decisions import record_takeover
from tasks.ledger.history import VISIBLE, read_history
from tasks.ledger.open_ledger import open_ledger
from tasks.ledger.record_transition import record_transition
from tasks.reading.references import LoadedPolicy, load_policy
from tasks.release import assemble, workbench
from tasks.release.workbench import Workbench
from tasks.reporting.report import render_report
from tasks.runtime.home import Home
from tasks.runtime.listener import listener_of
from tasks.signing.keys import runner_key
from tasks.signing.signers import TrustRoots, people
from tasks.stores.files import write_file
from tasks.stores.seal import Candidate

PENDING = (State.AWAITING_APPROVAL, State.APPROVED, State.PUBLISHING, State.PUBLISHED)


@contextmanager
def opened_release(policy: Path, source: Path | None, key: Path | None, release_id: str) -> Iterator[Workbench]:
    """A release in the ledger, holding its dataset's lock and a folder of its own, both let go whatever happens."""
    home = Home.open()
    loaded = load_policy(policy)
    require_ready(loaded.policy)
    signer_key = runner_key(home.keys, key)
    roots = policy_roots(home, loaded.references.signers)
    runner = runner_signer(signer_key, roots)
    _require_approvers(loaded, roots, runner.principal)
    ledger = open_ledger(home)
    with ledger.lock(loaded.policy.dataset, release_id) as lock:
        if lock.taken_from:
            home.clear_stage(lock.taken_from)
            record_takeover(ledger, lock)
        bench = Workbench(
            release_id=release_id,
            home=home,
            loaded=loaded,
            ledger=ledger,
            key=signer_key,
            runner=runner,
            source=source,
            stage=home.stage(release_id),
            seed=secrets.token_bytes(32),
            listener=listener_of(release_id),
            started=ledger.now().isoformat(),
        )
        workbench.put(bench)
        try:
            bench.happened(
                RunStarted, dataset=loaded.policy.dataset, policy_digest=loaded.digest, runner=runner, product=assemble.product()
            )
            append_events(bench)
            yield bench
        finally:
            bench.forget_microdata()
            home.clear_stage(release_id)


def _require_approvers(loaded: LoadedPolicy, roots: TrustRoots, runner: str) -> None:
    """Better to hear it before the work than after."""
    others = [person for person in people(roots.entries) if person != runner]
    required = loaded.policy.approval.required
    if len(others) < required:
        raise InputRejected(
            f"{required} approvals are required, and {len(others)} people besides the runner may give one.",
            "Add people to the signers file, run with another key, or lower approval.required.",
        )


def previous_rows(bench: Workbench) -> int | None:
    """Rows of the newest published release of the same dataset."""
    history = read_history(bench.ledger)
    out = [r for r in history.releases() if r.dataset == bench.loaded.policy.dataset and r.state in VISIBLE]
    if not out:
        return None
    return next((event.rows for event in history.events(out[-1].release_id) if isinstance(event, SourceIngested)), None)


def pending_candidate(bench: Workbench) -> str | None:
    """The candidate of the same source and policy that awaits approval, is approved or is published."""
    for release in reversed(read_history(bench.ledger).releases()):
        same = (release.dataset, release.source_hmac, release.policy_digest)
        if same == (bench.loaded.policy.dataset, bench.source_hmac, bench.loaded.digest) and release.state in PENDING:
            return release.candidate
    return None


def append_events(bench: Workbench) -> int:
    """Appends what has happened since the last time; gives the number of events of the release."""
    at = bench.ledger.now().isoformat()
    events = [kind(release_id=bench.release_id, at=at, **told) for kind, told in bench.untold]
    bench.ledger.append(bench.release_id, events, bench.told, bench.runner.principal)
    bench.told += len(events)
    bench.untold.clear()
    return bench.told


def end_run(
    bench: Workbench, action: Action, event: CandidateSealed | ReleaseRefused | RunFailed | NothingNew, candidate: str = ""
) -> None:
    """The run's last event, if the table of transitions accepts it."""
    release = fold(bench.ledger.events_of(bench.release_id))
    actor = Actor(bench.runner.principal, bench.runner.fingerprint, ActorRole.RUNNER)
    ended = record_transition(bench.ledger, release, Act(action, candidate=candidate, event=event), actor, "See `headgate releases`.")
    bench.told, bench.state = ended.events, ended.state


def end_unsealed(bench: Workbench, problem: HeadgateError) -> None:
    """A requirement not met is a refusal, with a report of figures for the steward; all else is a failure of the run."""
    append_events(bench)
    at = bench.ledger.now().isoformat()
    if isinstance(problem, RequirementNotMet) and bench.ingested is not None:
        gates = sorted({verdict.gate for verdict in bench.verdicts if not verdict.passed})
        end_run(bench, Action.REFUSE, ReleaseRefused(release_id=bench.release_id, at=at, failed=tuple(gates or [problem.measure])))
        _write_refusal(bench, problem)
    else:
        event = RunFailed(release_id=bench.release_id, at=at, step=bench.step, error=type(problem).__name__, code=problem.code)
        end_run(bench, Action.FAIL, event)


def end_as_nothing_new(bench: Workbench, candidate: str) -> None:
    append_events(bench)
    at = bench.ledger.now().isoformat()
    end_run(bench, Action.SKIP, NothingNew(release_id=bench.release_id, at=at, candidate=candidate))


def end_as_sealed(bench: Workbench, candidate: Candidate) -> None:
    append_events(bench)
    now, days, manifest = bench.ledger.now(), bench.loaded.policy.approval.expires_days, candidate.manifest
    event = CandidateSealed(
        release_id=bench.release_id,
        at=now.isoformat(),
        candidate=candidate.id,
        policy_digest=bench.loaded.digest,
        required=manifest.approvals_required,
        runner=manifest.runner,
        signers=manifest.signers,
        signers_digest=manifest.signers_digest,
        deadline=None if days is None else (now + timedelta(days=days)).isoformat(),
    )
    end_run(bench, Action.SEAL, event, candidate.id)
    bench.candidate, bench.folder = candidate, candidate.folder


def refusal_of(bench: Workbench) -> str:
    """Why the release stops at its gates, as a sentence; empty if they let it through."""
    try:
        require_passed(bench.verdicts)
    except RequirementNotMet as refusal:
        return refusal.message
    return ""


def _write_refusal(bench: Workbench, problem: RequirementNotMet) -> None:
    folder = bench.home.refused / bench.release_id
    folder.mkdir(mode=0o700, parents=True)
    write_file(folder, "report.html", render_report(assemble.report_content(bench, f"{problem.message} {problem.cure}")).encode())
    bench.folder = folder

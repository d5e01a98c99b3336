"""The run's side of the ledger: what has happened is appended, and a run ends as sealed, refused, failed or nothing new."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from headgate.core.errors import HeadgateError, RequirementNotMet
from policies.approval.acts import Act, Actor
from policies.ledger.events import CandidateSealed, NothingNew, ReleaseRefused, RunFailed
from policies.ledger.fold import fold
from policies.ledger.states import Action, ActorRole, State
from tasks.ledger.history import as_latest, read_history
from tasks.ledger.record_transition import record_transition
from tasks.release.closing.assemble import measured_release, report_content
from tasks.release.closing.so_far import SoFar
from tasks.release.run import Happened, Run
from tasks.release.steps.ingest_source import SourceRead
from tasks.reporting.candidate_page.page_content import page_json
from tasks.reporting.candidate_page.page_told import render_page
from tasks.reporting.report import candidate_page
from tasks.stores.files import write_file
from tasks.stores.seal import PAGE, REPORT, Candidate

PENDING = (State.AWAITING_APPROVAL, State.APPROVED, State.PUBLISHING, State.PUBLISHED)


def pending_candidate(run: Run, read: SourceRead) -> str | None:
    """The candidate of the same source and policy that awaits approval, is approved or is published. One that never can be, because a
    version came out that it was not measured with, keeps no new one away."""
    history, out = read_history(run.ledger), {release.candidate for release in run.versions}
    for recorded in history.of_source(read.source_hmac):
        release = as_latest(recorded, history.at_target(recorded.target))
        same = (release.dataset, release.source_hmac, release.policy_digest)
        overtaken = not release.came_out and release.overtaken_by(out)
        if same == (run.policy.dataset, read.source_hmac, run.loaded.digest) and release.state in PENDING and not overtaken:
            return release.candidate
    return None


def append_events(run: Run, appended: int, waiting: Sequence[Happened]) -> int:
    """Appends what has happened since the last time; gives the number of events of the release. `appended`: how many there are already."""
    at = run.ledger.now().isoformat()
    events = [each.kind(release_id=run.release_id, at=at, **each.payload) for each in waiting]
    run.ledger.append(run.release_id, events, appended, run.runner.principal)
    return appended + len(events)


def end_as_sealed(run: Run, candidate: Candidate) -> State:
    now, days, manifest = run.ledger.now(), run.policy.approval.expires_days, candidate.manifest
    event = CandidateSealed(
        release_id=run.release_id,
        at=now.isoformat(),
        candidate=candidate.id,
        policy_digest=run.loaded.digest,
        required=manifest.approvals_required,
        roles=manifest.roles_required,
        runner=manifest.runner,
        signers=manifest.signers,
        signers_digest=manifest.signers_digest,
        not_before=manifest.not_before,
        blind=manifest.blind,
        answers=manifest.answers,
        series=manifest.known_versions,
        deadline=None if days is None else (now + timedelta(days=days)).isoformat(),
    )
    return _end(run, Action.SEAL, event, candidate.id)


def end_as_nothing_new(run: Run, candidate: str) -> State:
    return _end(run, Action.SKIP, NothingNew(release_id=run.release_id, at=run.ledger.now().isoformat(), candidate=candidate))


def has_ended(run: Run) -> bool:
    """Whether the ledger already has the run's last event."""
    events = run.ledger.events_of(run.release_id)
    return bool(events) and fold(events).state is not State.RUNNING


def end_unsealed(run: Run, done: SoFar, problem: HeadgateError) -> tuple[State, Path | None]:
    """A requirement not met is a refusal, with a report of figures for the steward; all else is a failure of the run. The step is the one
    that failed, else the last that began."""
    at = run.ledger.now().isoformat()
    if isinstance(problem, RequirementNotMet) and done.read is not None:
        gates = sorted({verdict.gate for verdict in measured_release(run, done).verdicts if not verdict.passed})
        state = _end(run, Action.REFUSE, ReleaseRefused(release_id=run.release_id, at=at, failed=tuple(gates or [problem.measure])))
        return state, _write_refusal(run, done, problem)
    step = problem.step or run.clock.latest
    event = RunFailed(release_id=run.release_id, at=at, step=step, error=type(problem).__name__, code=problem.code)
    return _end(run, Action.FAIL, event), None


def _end(run: Run, action: Action, event: CandidateSealed | ReleaseRefused | RunFailed | NothingNew, candidate: str = "") -> State:
    """The run's last event, if the table of transitions accepts it."""
    release = fold(run.ledger.events_of(run.release_id))
    actor = Actor(run.runner.principal, run.runner.fingerprint, ActorRole.RUNNER)
    act = Act(action, candidate=candidate, event=event)
    return record_transition(run.ledger, release, act, actor, "See `headgate releases`.", run.demands.rules()).state


def _write_refusal(run: Run, done: SoFar, problem: RequirementNotMet) -> Path:
    """Figures, and no value of the source: nobody has yet seen that any may be shown."""
    folder = run.home.refused / run.release_id
    folder.mkdir(mode=0o700, parents=True)
    page = candidate_page(report_content(run, done, f"{problem.message} {problem.cure}"))
    page = page if page.promise is None else page.model_copy(update={"promise": page.promise.without_values()})
    write_file(folder, REPORT, render_page(page).encode())
    write_file(folder, PAGE, page_json(page))
    return folder

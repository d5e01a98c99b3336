"""Assembles the measurements of a release into its records: for MLflow, for the report, for the manifest, and for the caller."""

from __future__ import annotations

import hashlib
from pathlib import Path

from headgate.risk.disclosure.patterns import Pattern
from policies.gates.series_figures import SeriesFigures
from policies.gates.verdict import Verdict
from policies.judging.exposure import Exposure
from policies.ledger.states import State
from policies.ledger.version_names import version_names
from policies.schema.attribute import UNPUBLISHED
from policies.sealed.manifest import Manifest
from policies.sealed.promise import Promise
from policies.words.publication_moment import PublicationMoment
from tasks.approval.approvals import manifest_signers
from tasks.ledger.history import read_history
from tasks.release.account import Account
from tasks.release.closing.shown_rows import ShownRows, shown_rows
from tasks.release.closing.so_far import SoFar
from tasks.release.run import Run, product
from tasks.release.steps.choose_plan import insensitive_of, sensitive_of
from tasks.release.steps.judge_release import Judgement
from tasks.reporting.data_dictionary import FieldDescription, data_dictionary
from tasks.reporting.measured_tables import Limits, MeasuredRelease, MeasuredTable, Outcome
from tasks.reporting.mlflow_record import TrackedRelease
from tasks.reporting.report import ReportContent
from tasks.signing.trust_roots import TrustRoots


def seed_commitment(seed: bytes) -> str:
    """Says which seed was used without telling it; the seed itself stays with the keys."""
    return hashlib.sha256(b"headgate seed 1\n" + seed).hexdigest()


def measured_release(run: Run, done: SoFar, refusal: str = "") -> MeasuredRelease:
    get, policy = run.spool.get, run.policy
    attacked = None if done.attacked is None else get(done.attacked.attacked)
    judgement = None if done.judged is None else get(done.judged.judgement)
    tables, exposed, verdicts = _measured_tables(run, done, judgement)
    return MeasuredRelease(
        dataset=policy.dataset,
        title=policy.title or policy.dataset,
        about=policy.about.said,
        release_id=run.release_id,
        created=run.started,
        policy_digest=run.loaded.digest,
        rows=0 if done.read is None else done.read.rows,
        suppressed=done.suppressed_rows,
        promise=_promise(run, done),
        plan=None if done.planned is None else get(done.planned.plan),
        tables=tables,
        verdicts=verdicts,
        utility=None if judgement is None else judgement.utility,
        outcomes=tuple(_outcomes(run, done)),
        limits=_limits(run),
        attacks=() if attacked is None else attacked.sentences,
        attack_gains=() if attacked is None else attacked.gains,
        series=series_of(run, done),
        versions=version_names(run.versions, policy.publish.to),
        suppressed_cells={} if done.suppressed is None else done.suppressed.cells,
        exposures=exposed,
        bounds=() if judgement is None else judgement.bounds,
        refusal=refusal,
    )


def series_of(run: Run, done: SoFar) -> SeriesFigures | None:
    compared = done.compared
    return None if compared is None or compared.figures is None else run.spool.get(compared.figures)


def known_versions(run: Run) -> tuple[str, ...] | None:
    """The versions without which this one must not come out; None where the policy accepts that they are not compared."""
    key = run.policy.gates.series
    if key is not None and not key.measured:
        return None
    return tuple(release.candidate for release in run.versions)


def _measured_tables(
    run: Run, done: SoFar, judgement: Judgement | None
) -> tuple[tuple[MeasuredTable, ...], tuple[Exposure, ...], tuple[Verdict, ...]]:
    """The tables of the release; where no plan passed, the one that was tried last, and what spoke against it."""
    if done.not_planned is not None:
        stopped = run.spool.get(done.not_planned.stopped)
        return () if stopped.table is None else (stopped.table,), stopped.exposures, stopped.verdicts
    measured = [run.spool.get(table.measurement) for table in done.gated]
    exposed = tuple(shown for each in measured for shown in each.exposures)
    return tuple(each.table for each in measured), exposed, () if judgement is None else judgement.verdicts


def _promise(run: Run, done: SoFar) -> Promise | None:
    """What the tables of the plan promise; before there is a plan, what the policy does."""
    if done.planned is not None:
        return run.spool.get(done.planned.promise)
    return None if done.transformed is None else run.spool.get(done.transformed.promise)


def _limits(run: Run) -> Limits:
    utility, projection = run.policy.utility, run.policy.projection
    return Limits(
        float(projection.association_loss),
        float(projection.join_threat),
        None if utility.max_error is None else float(utility.max_error),
        None if utility.max_loss is None else float(utility.max_loss),
    )


def _outcomes(run: Run, done: SoFar) -> list[Outcome]:
    return [
        Outcome("out" if checked.table else "in", outcome.type, outcome.column or "", outcome.success, checked.table)
        for checked in done.checked
        for outcome in run.spool.get(checked.outcomes)
    ]


def tracked_release(run: Run, done: SoFar, refusal: str = "") -> TrackedRelease:
    return TrackedRelease(
        measured=measured_release(run, done, refusal),
        seed_commitment=seed_commitment(run.seed),
        source_hmac="" if done.read is None else done.read.source_hmac,
        code_version=product(),
        runner=run.runner.principal,
        seconds=run.clock.seconds,
    )


def report_content(run: Run, done: SoFar, refusal: str = "") -> ReportContent:
    """With a sample of the published rows where there is a candidate; a refused release shows figures only."""
    policy = run.policy
    shown = ShownRows()
    patterns: dict[tuple[str, str], tuple[Pattern, ...]] = {}
    if not refusal:
        shown = shown_rows(run, done.transformed, done.whole().planned, done.written, done.gated)
        patterns = {(table.table, name): shown for table in done.gated for name, shown in run.spool.get(table.measurement).patterns.items()}
    measured = measured_release(run, done, refusal)
    left_out = tuple(name for role in UNPUBLISHED for name in policy.named(role))
    return ReportContent(
        measured,
        product(),
        shown.samples,
        patterns,
        run.quorum.approvals,
        policy.publish.to,
        run.runner.principal,
        run.loaded.path.name,
        left_out,
        roles=run.quorum.roles,
        fields={} if refusal else _fields(run, done),
        examples=shown.examples,
        spread=shown.spread,
        pictures=None if done.pictures is None else run.spool.get(done.pictures),
    )


def _fields(run: Run, done: SoFar) -> dict[str, tuple[FieldDescription, ...]]:
    """The data dictionary of each table."""
    whole = done.whole()
    promise = run.spool.get(whole.planned.promise)
    columns = [
        (each.table, sensitive_of(run, whole.planned, each.table), insensitive_of(run, whole.planned, each.table)) for each in done.gated
    ]
    return {table: data_dictionary(run.policy, promise, sensitive, insensitive) for table, sensitive, insensitive in columns}


def manifest_of(run: Run, done: SoFar, roots: TrustRoots) -> Manifest:
    get, policy, whole = run.spool.get, run.policy, done.whole()
    judgement, moment = get(whole.judged.judgement), policy.publish.not_before
    signers = manifest_signers(roots, run.ledger.now(), {run.runner.fingerprint, run.machine})
    return Manifest(
        product=product(),
        dataset=policy.dataset,
        title=policy.title or policy.dataset,
        about=policy.about.said,
        release_id=run.release_id,
        created=read_history(run.ledger).release(run.release_id).started,
        policy_digest=run.loaded.digest,
        source_hmac=whole.read.source_hmac,
        dictionary_hmacs={} if done.dictionaries is None else dict(done.dictionaries.hmacs),
        rows=whole.read.rows,
        suppressed=whole.agreed.suppressed,
        suppressed_cells={} if done.suppressed is None else dict(done.suppressed.cells),
        seed_commitment=seed_commitment(run.seed),
        approvals_required=run.quorum.approvals,
        roles_required=run.demands.required_roles(run.quorum, {signer.principal for signer in signers}),
        blind=policy.approval.blind,
        answers=read_history(run.ledger).unanswered(policy.dataset),
        operator_digest=run.demands.digest,
        runner=run.runner,
        machine=run.machine,
        signers=signers,
        signers_digest=roots.digest,
        publish_to=policy.publish.to,
        not_before=None if moment is None else PublicationMoment(cron=moment.cron, timezone=moment.timezone),
        promise=get(whole.planned.promise),
        plan=get(whole.planned.plan),
        tables=tuple(get(table.measurement).table.figures for table in done.gated),
        verdicts=judgement.verdicts,
        utility=judgement.utility,
        attacks=get(whole.attacked.attacked).sentences,
        attack_gains=get(whole.attacked.attacked).gains,
        known_versions=known_versions(run),
        series=series_of(run, done),
        mlflow_run_id=done.mlflow_run_id,
        files=(),
    )


def account_of(run: Run, done: SoFar, state: State, folder: Path | None, candidate: str = "") -> Account:
    measured = measured_release(run, done)
    return Account(
        release_id=run.release_id,
        dataset=run.policy.dataset,
        state=state,
        candidate=candidate,
        rows=measured.rows,
        suppressed=measured.suppressed,
        suppressed_cells=measured.suppressed_cells,
        unused={} if done.read is None else done.read.unused,
        plan=measured.plan,
        tables=tuple(table.figures for table in measured.tables) if measured.plan is not None else (),
        verdicts=measured.verdicts,
        utility=measured.utility,
        attack_gains=measured.attack_gains,
        series=measured.series,
        versions=measured.versions,
        mlflow_run_id=done.mlflow_run_id,
        folder=folder,
        seconds=run.clock.seconds,
    )

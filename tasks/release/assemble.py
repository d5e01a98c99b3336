"""What a release measured, put into the records that leave the workbench: for MLflow, for the report, for the manifest."""

from __future__ import annotations

import hashlib
from importlib.metadata import version

from policies.sealed.manifest import Manifest
from tasks.approval.approvals import manifest_signers
from tasks.release.workbench import Workbench, present
from tasks.reporting.measured_tables import Limits, MeasuredRelease
from tasks.reporting.mlflow_record import TrackedRelease
from tasks.reporting.report import ReportContent, Sample
from tasks.signing.signers import TrustRoots
from tasks.tables.write import read_published_texts

SAMPLE_ROWS = 10


def product() -> str:
    return f"headgate/{version('headgate')}"


def seed_commitment(seed: bytes) -> str:
    """Says which seed was used without telling it; the seed itself stays with the keys."""
    return hashlib.sha256(b"headgate seed 1\n" + seed).hexdigest()


def measured_release(bench: Workbench, refusal: str = "") -> MeasuredRelease:
    policy = bench.loaded.policy
    utility, projection = policy.utility, policy.projection
    return MeasuredRelease(
        dataset=policy.dataset,
        title=policy.title or policy.dataset,
        release_id=bench.release_id,
        created=bench.started,
        policy_digest=bench.loaded.digest,
        rows=bench.rows,
        suppressed=bench.suppressed,
        promise=bench.promise,
        plan=bench.plan,
        tables=tuple(bench.measured[figures.name] for figures in bench.figures) or tuple(filter(None, (bench.tried,))),
        verdicts=bench.verdicts,
        utility=bench.utility,
        outcomes=tuple(bench.outcomes),
        limits=Limits(
            float(projection.association_loss),
            float(projection.join_threat),
            None if utility.max_error is None else float(utility.max_error),
            None if utility.max_loss is None else float(utility.max_loss),
        ),
        attacks=bench.attacks,
        suppressed_cells=bench.suppressed_cells,
        exposures=bench.exposed,
        bounds=bench.bounds,
        refusal=refusal,
    )


def tracked_release(bench: Workbench, refusal: str = "") -> TrackedRelease:
    return TrackedRelease(
        measured=measured_release(bench, refusal),
        policy_text=bench.loaded.text,
        seed_commitment=seed_commitment(bench.seed),
        source_hmac=bench.source_hmac,
        code_version=product(),
        runner=bench.runner.principal,
        seconds=bench.seconds,
    )


def report_content(bench: Workbench, refusal: str = "") -> ReportContent:
    """With a sample of the published rows where there is a candidate; a refused release shows figures only."""
    policy = bench.loaded.policy
    samples = () if refusal else tuple(_sample(bench, name) for name in bench.names)
    patterns = {} if refusal else bench.patterns
    return ReportContent(measured_release(bench, refusal), product(), samples, patterns, policy.approval.required, policy.publish.to)


def _sample(bench: Workbench, name: str) -> Sample:
    """The first rows as written: the order of a published table is random, so these are any rows."""
    texts = read_published_texts(bench.examine(bench.written[name][0].path)).slice(0, SAMPLE_ROWS)
    rows = tuple(
        tuple(None if cell is None or cell == "" else str(cell) for cell in row) for row in zip(*texts.to_pydict().values(), strict=True)
    )
    return Sample(name, tuple(texts.column_names), rows)


def manifest_of(bench: Workbench, roots: TrustRoots) -> Manifest:
    policy = bench.loaded.policy
    return Manifest(
        product=product(),
        dataset=policy.dataset,
        title=policy.title or policy.dataset,
        release_id=bench.release_id,
        created=bench.started,
        policy_digest=bench.loaded.digest,
        source_hmac=bench.source_hmac,
        dictionary_hmacs=bench.dictionary_hmacs,
        rows=bench.rows,
        suppressed=bench.suppressed,
        suppressed_cells=bench.suppressed_cells,
        seed_commitment=seed_commitment(bench.seed),
        approvals_required=policy.approval.required,
        runner=bench.runner,
        signers=manifest_signers(roots),
        signers_digest=roots.digest,
        publish_to=policy.publish.to,
        promise=present(bench.promise, "promise"),
        plan=present(bench.plan, "plan"),
        tables=bench.figures,
        verdicts=bench.verdicts,
        utility=present(bench.utility, "utility"),
        attacks=bench.attacks,
        mlflow_run_id=bench.mlflow_run_id,
        files=(),
    )

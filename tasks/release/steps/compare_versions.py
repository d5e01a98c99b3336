"""Step 6: what this version tells together with those that were published before, measured on what was written; and what the home will keep
of it, so that the next one can be measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Role, Table
from headgate.core.errors import Defect
from headgate.core.published_form.published_table import PublishedTable
from headgate.series.kept_version import KeptVersion, kept_version
from headgate.series.series_risk import series_risk
from headgate.series.with_earlier import together
from policies.gates.series import LINKABILITY
from policies.gates.series_figures import SeriesFigures
from policies.jobs.spool import Reference
from policies.jobs.table_job import infeasible_of
from policies.judging.coarse_counts import coarse_counts
from policies.judging.measured_series import figures_of
from tasks.release.run import Run
from tasks.release.steps.choose_plan import Planned
from tasks.release.steps.gate_tables import Gated
from tasks.release.steps.ingest_source import SourceRead
from tasks.release.steps.transform_source import Transformed
from tasks.release.steps.whose_records import whose_records
from tasks.release.steps.write_tables import Written
from tasks.release.work import Work, where_data_lies
from tasks.series.known_versions import KnownVersion, known_versions
from tasks.series.seen_together import SeenTogether, rows_nowhere
from tasks.series.value_coding import coding_of, nearness_of


@dataclass(frozen=True)
class ComparedVersions:
    """`kept`: what the home will keep; None where nobody is known by an identifier. `figures`: None where there is no series to measure,
    and `together` where no versions were compared."""

    versions: int
    kept: Reference[KeptVersion] | None = None
    figures: Reference[SeriesFigures] | None = None
    together: Reference[SeenTogether] | None = None


def compare_versions(
    run: Run,
    read: SourceRead,
    transformed: Transformed,
    planned: Planned,
    written: Sequence[Written],
    gated: Sequence[Gated],
    needed: int = 0,
) -> ComparedVersions:
    """`needed`: people who would have to be left out, if those are too many."""
    key = run.policy.gates.series
    known = None
    if read.people is not None and key is not None and key.measured:
        known = run.spool.put(known_versions(run.home, run.policy.dataset, run.versions, accepted=bool(key.unmeasured)))
    compared = compare_known(run, read, transformed, planned, written, gated, known, needed)
    if known is not None:
        run.spool.drop(known)
    return compared


@where_data_lies
def compare_known(
    run: Work,
    read: SourceRead,
    transformed: Transformed,
    planned: Planned,
    written: Sequence[Written],
    gated: Sequence[Gated],
    kept: Reference[tuple[KnownVersion, ...]] | None,
    needed: int,
) -> ComparedVersions:
    """`kept`: the versions that came out before, as far as the home keeps them; None where none are compared."""
    key = run.policy.gates.series
    reason = "" if key is None else key.unmeasured or ""
    if read.people is None:
        unmeasured = SeriesFigures(unmeasured=reason, not_measured=len(run.versions))
        bounded = key is None or key.measured  # bounds without figures have not passed
        return ComparedVersions(0, None, None if bounded else run.spool.put(unmeasured))
    source = run.spool.get(transformed.encoded).table
    tables = [run.spool.get(table.published) for table in gated]
    whose = [_whose(run, noted, published, source) for noted, published in zip(written, tables, strict=True)]
    new, own = kept_version(run.spool.get(read.people), list(zip(tables, whose, strict=True)))
    if key is None:
        return ComparedVersions(0, run.spool.put(new))
    if kept is None:
        unmeasured = SeriesFigures(unmeasured=reason, not_measured=len(run.versions), people=len(new.people), came=len(new.people))
        return ComparedVersions(0, run.spool.put(new), run.spool.put(unmeasured))
    known = run.spool.get(kept)
    promise, unknown = run.spool.get(planned.promise), len(run.versions) - len(known)
    earlier = [version.version for version in known]
    steady = [name for table in new.tables for name in table.columns if run.policy.is_steady(name)]
    near = nearness_of(key, promise)
    versions = together(earlier, new, own, steady, coding_of(promise, near))
    measured = series_risk(versions, *(near or ())) if versions else None
    candidates = [version.candidate for version in known]
    figures = figures_of(key, new, earlier[-1] if earlier else None, candidates, unknown, measured)
    figures = figures.model_copy(update=_asked(run, needed) | {"alone": _alone(run, gated)})
    seen = SeenTogether(versions, rows_nowhere(run.spool.get(read.people), new, earlier, unknown))
    return ComparedVersions(len(known), run.spool.put(new), run.spool.put(coarse_counts(figures)), run.spool.put(seen))


def _whose(run: Work, written: Written, published: PublishedTable, source: Table) -> NDArray[np.int64]:
    """Whose record each is, as far as the file bears it out."""
    whose = whose_records(None if written.people is None else run.spool.get(written.people), published, source)
    if whose is None:
        raise Defect(f"Whose records {written.table} holds was not noted.", "Publish nothing; report this defect.")
    return whose


def _alone(run: Work, gated: Sequence[Gated]) -> float:
    """With what a policy says is new in each version."""
    tables = (run.spool.get(table.measurement).table.figures for table in gated)
    return max(table.figure(LINKABILITY) or 0.0 for table in tables)


def _asked(run: Work, needed: int) -> dict[str, Any]:
    """What the policy leaves a release to do about it."""
    anonymize = run.policy.anonymize
    return {
        "needed": needed,
        "by_default": run.loaded.policy.gates.series is None,
        "sticky": anonymize.series is not None,
        "suppressible": float(infeasible_of(anonymize).suppressible),
        "changing": tuple(name for name in run.policy.named(Role.SENSITIVE) if not run.policy.is_steady(name)),
    }

"""Step 6: what this version tells together with those that were published before, measured on what was written; and what the home will keep
of it, so that the next one can be measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.core.columns import Codes, Column
from headgate.core.encode import encode_column
from headgate.core.errors import Defect
from headgate.series.kept_version import KeptVersion, kept_version
from headgate.series.with_earlier import Encode, with_earlier
from policies.gates.dissimilarity import DISSIMILARITY, EPSILON
from policies.gates.series_figures import SeriesFigures
from policies.jobs.spool import Reference
from policies.jobs.table_job import infeasible_of
from policies.judging.measure import composite_of
from policies.judging.measured_series import figures_of
from policies.sealed.promise import Promise
from policies.sealed.specs import specs_of
from tasks.release.run import Run
from tasks.release.steps.choose_plan import Planned
from tasks.release.steps.gate_tables import Gated, Measurement
from tasks.release.steps.ingest_source import SourceRead
from tasks.runtime.callables import callable_distance
from tasks.series.known_versions import KnownVersion, known_versions


@dataclass(frozen=True)
class ComparedVersions:
    """`kept`: what the home will keep; None where nobody is known by an identifier. `figures`: None where there is no series to measure."""

    versions: int
    kept: Reference[KeptVersion] | None = None
    figures: Reference[SeriesFigures] | None = None


def compare_versions(run: Run, read: SourceRead, planned: Planned, gated: Sequence[Gated], needed: int = 0) -> ComparedVersions:
    """`needed`: people who would have to be left out, if those are too many."""
    key = run.policy.gates.series
    reason = "" if key is None else key.unmeasured or ""
    if read.people is None:
        unmeasured = SeriesFigures(unmeasured=reason, not_measured=len(run.versions))
        return ComparedVersions(0, None, None if key is None else run.spool.put(unmeasured))
    measured = [run.spool.get(table.measurement) for table in gated]
    new, own = kept_version(run.spool.get(read.people), [(each.published, _whose(each)) for each in measured])
    if key is None:
        return ComparedVersions(0, run.spool.put(new))
    if not key.measured:
        unmeasured = SeriesFigures(unmeasured=reason, not_measured=len(run.versions), people=len(new.people), came=len(new.people))
        return ComparedVersions(0, run.spool.put(new), run.spool.put(unmeasured))
    known = known_versions(run.home, run.policy.dataset, run.versions, accepted=bool(reason))
    figures = _figures(run, run.spool.get(planned.promise), known, new, own).model_copy(update={"needed": needed})
    return ComparedVersions(len(known), run.spool.put(new), run.spool.put(figures))


def _whose(measured: Measurement) -> NDArray[np.int64]:
    if measured.whose is None:
        raise Defect("Whose records a table holds was not noted.", "Publish nothing; report this defect.")
    return measured.whose


def _figures(
    run: Run, promise: Promise, known: Sequence[KnownVersion], new: KeptVersion, own: Sequence[Mapping[str, Codes]]
) -> SeriesFigures:
    key = run.policy.gates.series
    if key is None:
        raise Defect("A series was measured that nobody asked for.", "Publish nothing; report this defect.")
    composite = promise.required(DISSIMILARITY)
    by_risk = key.risk is not None and composite is not None
    distance = (callable_distance(promise) if promise.callable is not None else composite_of(promise)) if by_risk else None
    earlier = [version.version for version in known]
    measured = with_earlier(
        earlier,
        new,
        own,
        [name for table in new.tables for name in table.columns if run.policy.is_steady(name)],
        distance,
        None if composite is None or not by_risk else composite.settings[EPSILON],
        _encode(promise) if by_risk else None,
    )
    candidates = [version.candidate for version in known]
    figures = figures_of(key, new, earlier[-1] if earlier else None, candidates, len(run.versions) - len(known), measured)
    anonymize = run.policy.anonymize
    asked = {
        "by_default": run.loaded.policy.gates.series is None,
        "sticky": anonymize.series is not None,
        "suppressible": float(infeasible_of(anonymize).suppressible),
    }
    return figures.model_copy(update=asked)


def _encode(promise: Promise) -> Encode:
    """Values as this version's promise reads them. One that earlier versions held and this promise does not allow is refused, without being
    named."""
    specs = specs_of(promise)

    def encode(name: str, texts: Sequence[str]) -> Column:
        spec = specs[name]
        if not spec.kind.rules.components:
            return encode_column(pd.Series(list(texts), dtype="str"), spec)
        return encode_column(pd.DataFrame([text.split("|") for text in texts], columns=list(spec.components), dtype="str"), spec)

    return encode

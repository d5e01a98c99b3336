"""Step 6, its end: one verdict per gate and table, and those on the release as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from headgate.core.errors import RequirementNotMet
from headgate.utility.mean_interval import Moments
from policies.gates.figures import ReleaseFigures, ReleaseUtility
from policies.gates.verdict import Verdict
from policies.jobs.spool import Reference
from policies.judging.exposure import with_cures
from policies.judging.release_utility import utility_of
from policies.judging.verdicts import judge, judge_whole, require_passed
from policies.ledger.events import GatesJudged
from tasks.release.run import Happened
from tasks.release.steps.anonymize_tables import Agreed
from tasks.release.steps.attack_tables import AttackedTables
from tasks.release.steps.choose_plan import Planned
from tasks.release.steps.compare_versions import ComparedVersions
from tasks.release.steps.gate_tables import Gated
from tasks.release.steps.ingest_source import SourceRead
from tasks.release.steps.refinement import DictionaryComparison, bounds
from tasks.release.steps.transform_source import DictionariesRead, Transformed, dictionaries_of
from tasks.release.work import Work, where_data_lies


@dataclass(frozen=True, eq=False)
class Judgement:
    """`bounds`: which dictionary bounds which, in words."""

    verdicts: tuple[Verdict, ...]
    utility: ReleaseUtility
    bounds: tuple[str, ...]


@dataclass(frozen=True)
class Judged:
    verdicts: int
    failed: int
    judgement: Reference[Judgement]
    happened: Happened


@where_data_lies
def judge_release(
    run: Work,
    read: SourceRead,
    dictionaries: DictionariesRead | None,
    transformed: Transformed,
    planned: Planned,
    agreed: Agreed,
    gated: Sequence[Gated],
    attacked: AttackedTables,
    compared: ComparedVersions,
) -> Judged:
    promise = run.spool.get(planned.promise)
    measured = [run.spool.get(table.measurement) for table in gated]
    figures = tuple(each.table.figures for each in measured)
    errors = np.concatenate([each.query_errors for each in measured])
    of_queries = (Moments.of(errors), float(np.median(errors)))
    utility = utility_of([(table.rows, table.ncp) for table in figures], *of_queries, agreed.suppressed / read.rows)
    series = None if compared.figures is None else run.spool.get(compared.figures)
    whole = ReleaseFigures(utility, run.spool.get(attacked.attacked).gains, series)
    exposed = [exposure for each in measured for exposure in each.exposures]
    verdicts = with_cures((*judge(promise, figures), *judge_whole(promise, whole)), exposed, run.policy.gates)
    encoded, ingested = run.spool.get(transformed.encoded), run.spool.get(read.ingested)
    comparison = DictionaryComparison(
        encoded.attackers,
        dictionaries_of(run, dictionaries),
        ingested.identifiers,
        tuple(run.policy.attributes),
        encoded.original,
        run.spool.get(agreed.kept),
        figures,
    )
    failed = [verdict for verdict in verdicts if not verdict.passed]
    payload = {
        "verdicts": len(verdicts),
        "passed": len(verdicts) - len(failed),
        "failed": tuple(sorted({verdict.gate for verdict in failed})),
    }
    judgement = run.spool.put(Judgement(verdicts, utility, tuple(bounds(comparison))))
    return Judged(len(verdicts), len(failed), judgement, Happened(GatesJudged, payload))


def refusal_of(run: Work, judged: Judged) -> str:
    """Why the release stops at its gates, as a sentence; empty if they let it through."""
    try:
        require_passed(run.spool.get(judged.judgement).verdicts)
    except RequirementNotMet as refusal:
        return refusal.message
    return ""

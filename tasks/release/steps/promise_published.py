"""Between steps 5 and 6: once it is known which rows are published, what is promised, and said of the plan, holds nothing that only
suppressed rows have.
Attackers go on knowing the whole source."""

from __future__ import annotations

from dataclasses import replace

from policies.jobs.table_job import relaxed
from policies.sealed.published_plan import plan_of_published
from policies.sealed.published_values import published_values
from policies.sealed.specs import promise_of
from tasks.release.steps.anonymize_tables import Agreed
from tasks.release.steps.choose_plan import Planned
from tasks.release.steps.transform_source import Transformed
from tasks.release.work import Work, where_data_lies


@where_data_lies
def promise_published(run: Work, transformed: Transformed, planned: Planned, agreed: Agreed) -> Planned:
    kept = run.spool.get(agreed.kept)
    combined = run.spool.get(planned.promise).combined
    published = published_values(run.policy, run.spool.get(transformed.columns).kept(kept))
    promise = promise_of(run.policy, published, 0 if combined is None else combined.source_rows)
    plan, table = run.spool.get(planned.plan), run.spool.get(transformed.encoded).table
    columns, everybody = table.kept(kept).select(plan.columns), bool(kept.all())
    return replace(
        planned,
        plan=run.spool.put(plan_of_published(plan, columns, everybody)),
        promise=run.spool.put(relaxed(promise, run.spool.get(planned.job).infeasible)),
    )

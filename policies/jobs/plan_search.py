"""The search for a plan, and its jobs. Each set of attributes is tried once.

The search looks at one table after the other. While a job runs, an engine with several workers tries the tables that are expected next.
Tables tried in vain change nothing: only those that the search has looked at count as tried.
"""

from __future__ import annotations

from collections.abc import Iterator

from headgate.core.columns import Table
from headgate.projection.codip import codip_star
from headgate.projection.optimal import given, optimal, separate, single
from headgate.projection.plan import CheckTable, Projection
from policies.jobs.engine import Engine
from policies.jobs.table_job import Names, TableJob, TableOutcome
from policies.judging.method_limits import monotone
from policies.schema.policy import Policy
from policies.sealed.promise import Promise
from policies.sealed.specs import given_tables


class TableCheck:
    """Says whether a table passes, for a search. `job` has the requirements on every table."""

    def __init__(self, job: TableJob, engine: Engine) -> None:
        self.job, self.engine = job, engine
        self.tried: dict[frozenset[str], TableOutcome] = {}  # in the order in which the search looked at them
        self._done: dict[frozenset[str], TableOutcome] = {}
        self._ahead: Iterator[Names] = iter(())

    def __call__(self, names: Names) -> TableOutcome:
        key = frozenset(names)
        if key not in self.tried:
            if key not in self._done:
                self._try(names)
            self.tried[key] = self._done[key]
        return self.tried[key]

    def expect(self, tables: Iterator[Names]) -> None:
        """What the search will ask about, in this order, as far as all of it passes."""
        self._ahead = tables

    def _try(self, names: Names) -> None:
        tables = [names, *self._next(self.engine.workers - 1, frozenset(names))]
        outcomes = self.engine.attempt([self.job.about(table) for table in tables])
        if isinstance(outcomes[0], Exception):
            raise outcomes[0]
        # What broke another is nobody's business yet: that table is tried again if it is asked about.
        self._done.update((frozenset(table), each) for table, each in zip(tables, outcomes, strict=True) if not isinstance(each, Exception))

    def _next(self, most: int, but: frozenset[str]) -> Iterator[Names]:
        known = {but, *self._done}
        while most > 0 and (table := next(self._ahead, None)) is not None:
            if frozenset(table) not in known:
                known.add(frozenset(table))
                most -= 1
                yield table


def search_plan(policy: Policy, table: Table, check: CheckTable | None, promise: Promise) -> Projection:
    """The plan by the policy's method. Without `check`, association alone decides; whether tables can be anonymized plays no part."""
    columns, wanted = table.select(table.sensitive), policy.projection
    beta = float(wanted.join_threat)
    alpha = 1.0 if check is None else float(wanted.association_loss)
    match wanted.method:
        case "codip*":
            return codip_star(columns, alpha, beta, check, monotone(promise))
        case "optimal":
            return optimal(columns, alpha, beta, check)
        case "single":
            return single(columns, check=check)
        case "separate":
            return separate(columns, check=check)
        case "given":
            return given(columns, given_tables(policy, table), check=check)

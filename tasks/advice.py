"""What `headgate advise` works from: the policy's source and plan, on the steward's own terminal. Nothing of it is stored."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headgate.advise import EPSILONS, SIZES, TableAdvice, advise
from headgate.columns import Table
from headgate.distance import Distance
from headgate.projection.bitmap import bitmap_table
from headgate.projection.plan import NoPlan, Projection
from headgate.tolerance import exact
from policies.checkplan import TableCheck, search_plan
from policies.measure import composite_of
from policies.promise import Promise
from policies.specs import promise_of
from tasks.callables import callable_distance
from tasks.ingest import ingest
from tasks.plan import why_no_plan
from tasks.references import LoadedPolicy, load_policy


@dataclass(frozen=True)
class Advice:
    """One part a projected table. `passes`: whether the plan is one that keeps the policy's promise; else it is chosen by association
    alone, and the advice says what could be promised of it."""

    dataset: str
    k: int
    epsilon: float | None
    delta: float | None
    passes: bool
    reason: str  # why no plan keeps it, and what would help
    tables: tuple[TableAdvice, ...]

    def to_json(self) -> dict[str, Any]:
        asked = {"k": self.k, "epsilon": self.epsilon, "delta": self.delta}
        return {"dataset": self.dataset, "asked": asked, "passes": self.passes, "reason": self.reason} | {
            "tables": [table.to_json() for table in self.tables]
        }


def advise_on(path: Path) -> Advice:
    """(ε, δ, k) around the policy's own, table by table."""
    loaded = load_policy(path)
    ingested = ingest(loaded)
    table = bitmap_table(ingested.table, ingested.specs)
    promise = promise_of(loaded.policy, table)
    distance = callable_distance(promise)
    seed = hashlib.sha256(loaded.digest.encode()).digest()
    plan, reason = _plan(loaded, table, promise, seed, distance)
    compared = distance or composite_of(promise)
    asked = promise.dissimilarity
    sizes = sorted({*SIZES, promise.k})
    epsilons = sorted({*EPSILONS, *([asked.epsilon] if asked else [])}, key=exact)
    advice = tuple(advise(table, names, int.from_bytes(seed[:8], "big"), compared, sizes, epsilons) for names in plan.tables)
    epsilon, delta = (float(asked.epsilon), float(asked.delta)) if asked else (None, None)
    return Advice(loaded.policy.dataset, promise.k, epsilon, delta, not reason, reason, advice)


def _plan(loaded: LoadedPolicy, table: Table, promise: Promise, seed: bytes, distance: Distance | None) -> tuple[Projection, str]:
    """With why it is not the plan of a release, if it is not."""
    policy = loaded.policy
    check = TableCheck(table, promise, policy.anonymize, None, (), seed, distance)
    try:
        return search_plan(policy, table, check, promise), ""
    except NoPlan as nothing:
        reason = str(why_no_plan(check, nothing)).replace("or run `headgate advise`", "or see below")
        return search_plan(policy, table, None, promise), reason

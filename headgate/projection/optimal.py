"""`optimal`: the plan that exposes least among all that keep enough association and whose every table passes. And the plain plans."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headgate.core.columns import Column
from headgate.core.errors import InputRejected
from headgate.core.tolerance import at_most
from headgate.projection.codip import first_kept, path_around
from headgate.projection.every_plan import MOST_EXACT as MOST_EXACT
from headgate.projection.every_plan import EveryPlan
from headgate.projection.information import NOTHING, Plan
from headgate.projection.local_search import KICKS, LocalSearch
from headgate.projection.lower_bound import least_exposure
from headgate.projection.plan import (
    NOTHING_PASSES,
    CheckPlan,
    CheckTable,
    NoPlan,
    Projection,
    SearchStep,
    check_threshold,
    exposes_too_much,
    loses_too_much,
)
from headgate.projection.rounding import rounded_up

METHOD = "optimal"
RECORDED = 200  # steps that are kept, and plans that a search asks about


def optimal(columns: Sequence[Column], association_loss: float, join_threat: float = 1.0, check: CheckTable | None = None) -> Projection:
    """Least Γβ with Γα ≤ association_loss. Up to 12 attributes every plan is looked at, from the least exposed on; ties go to fewer tables,
    then to the plan that puts earlier attributes together. With more it is a search, never worse than CODIP*, and `bound` says below which
    Γβ there is nothing to be found."""
    alpha, beta = check_threshold(association_loss, "association_loss"), check_threshold(join_threat, "join_threat")
    checker = CheckPlan(columns, check)
    return _exact(checker, alpha, beta) if len(columns) <= MOST_EXACT else _searched(checker, alpha, beta)


def _exact(checker: CheckPlan, alpha: float, beta: float) -> Projection:
    """A plan is checked only if none of its tables is known to be refused, so there are at most as many refusals as tables."""
    plans = EveryPlan(checker.associations)
    places = plans.within(alpha, beta)
    refused = np.zeros(1 << len(checker.names), dtype=np.bool_)
    steps: list[SearchStep] = []
    place = plans.next(places, 0, refused)
    while place < len(places):
        step = checker.plan(plans.plan(places[place]), alpha, beta)
        if step.passed or len(steps) < RECORDED:
            steps.append(step)
        if step.passed:
            return checker.projection(METHOD, step, steps, step.information_exposure)
        refused[[sum(1 << i for i in table) for table in checker.refused(step.tables)]] = True
        place = plans.next(places, place + 1, refused)
    raise _nothing(steps, plans.cures(alpha, beta))


def _searched(checker: CheckPlan, alpha: float, beta: float) -> Projection:
    """CODIP*'s plan first, then what a local search finds that exposes less, each time without the tables that were refused. What is
    found does not depend on β, so a β that is raised to its Γβ is enough."""
    best = first_kept(checker, alpha)
    steps = [] if best is None else [best]
    search = LocalSearch(checker.associations, alpha)
    starts, refused, kicks = path_around(checker.associations, alpha), set[frozenset[int]](), KICKS
    for _ in range(RECORDED):
        plan = search.best(starts, refused, kicks)
        if plan is None:
            break
        step = checker.plan(plan, alpha, None)
        if best is not None and step.information_exposure >= best.information_exposure - NOTHING:
            break
        steps.append(step)
        if step.passed:
            best = step
            break
        newly_refused = {frozenset(table) for table in checker.refused(step.tables)}
        if not newly_refused:
            break
        refused |= newly_refused
        starts, kicks = [plan, *path_around(checker.associations, alpha)], 0
    if best is None:
        raise _nothing(steps, ["raise association_loss"])
    if not at_most(best.information_exposure, beta):
        cure = f"To publish: raise join_threat to {rounded_up(best.information_exposure)} or more, or raise association_loss."
        raise NoPlan(exposes_too_much(best.information_exposure, beta), best.information_exposure, beta, cure, steps)
    bound = min(least_exposure(checker.associations, alpha), best.information_exposure)
    return checker.projection(METHOD, best, [step for step in steps if step is not best] + [best], bound)


def _nothing(steps: Sequence[SearchStep], cures: Sequence[str]) -> NoPlan:
    if not steps:
        return NoPlan("No plan satisfies both thresholds.", 0.0, 1.0, f"To publish: {'; or '.join(cures)}.", steps)
    remedy = f"Each of them was refused, the least exposed because of {steps[0].reason}. Relax the settings, or raise a threshold."
    return NoPlan(NOTHING_PASSES, 0.0, 1.0, remedy, steps)


def single(
    columns: Sequence[Column], association_loss: float | None = None, join_threat: float | None = None, check: CheckTable | None = None
) -> Projection:
    """The naïve plan: everything in one table."""
    return _one_plan("single", columns, (tuple(range(len(columns))),), association_loss, join_threat, check)


def separate(
    columns: Sequence[Column], association_loss: float | None = None, join_threat: float | None = None, check: CheckTable | None = None
) -> Projection:
    """Every attribute in its own table."""
    return _one_plan("separate", columns, tuple((i,) for i in range(len(columns))), association_loss, join_threat, check)


def given(
    columns: Sequence[Column],
    tables: Sequence[Sequence[str]],
    association_loss: float | None = None,
    join_threat: float | None = None,
    check: CheckTable | None = None,
) -> Projection:
    """The plan of tables that somebody wrote. A set attribute is replaced by all its bitmap columns."""
    places: dict[str, list[int]] = {}
    for i, column in enumerate(columns):
        places.setdefault(column.name, []).append(i)
        if column.origin is not None:
            places.setdefault(column.origin, []).append(i)
    unknown = [name for table in tables for name in table if name not in places]
    if unknown:
        raise InputRejected(f"The plan names '{unknown[0]}', which is not a sensitive attribute.", "Name sensitive attributes only.")
    plan = tuple(tuple(sorted(i for name in table for i in places[name])) for table in tables)
    return _one_plan("given", columns, plan, association_loss, join_threat, check)


def _one_plan(
    method: str,
    columns: Sequence[Column],
    plan: Plan,
    association_loss: float | None,
    join_threat: float | None,
    check: CheckTable | None,
) -> Projection:
    checker = CheckPlan(columns, check)
    step = checker.plan(plan, association_loss, join_threat)
    if step.passed:
        return checker.projection(method, step, [step])
    if association_loss is not None and not at_most(step.association_loss, association_loss):
        cure = f"Raise association_loss to {step.association_loss:.4f} or more, or let codip* choose."
        raise NoPlan(loses_too_much(step.association_loss, association_loss), step.association_loss, association_loss, cure, [step])
    if join_threat is not None and not at_most(step.information_exposure, join_threat):
        cure = f"Raise join_threat to {step.information_exposure:.4f} or more, or let codip* choose."
        raise NoPlan(exposes_too_much(step.information_exposure, join_threat), step.information_exposure, join_threat, cure, [step])
    raise NoPlan(NOTHING_PASSES, 0.0, 1.0, f"Refused because of {step.reason}.", [step])

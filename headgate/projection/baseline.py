"""A plan against the naïve baseline, everything in one table (paper "codip", section 4.3), and the trade-off between plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from headgate.core.columns import Column
from headgate.core.errors import InputRejected
from headgate.projection.codip import METHOD as CODIP
from headgate.projection.codip import Merging, path_around
from headgate.projection.every_plan import EveryPlan
from headgate.projection.information import NOTHING, Associations, Plan, associations
from headgate.projection.local_search import LocalSearch
from headgate.projection.optimal import METHOD as OPTIMAL
from headgate.projection.optimal import MOST_EXACT

MOST_WEIGHED = 100  # attributes, up to which other plans are shown: each merge compares all pairs of tables
MOST_SEARCHED = 24  # association losses at which the least exposure is searched for


@dataclass(frozen=True)
class Baseline:
    """`closeness` is 1 − t'/t, `join_threat` 1 − Γβ; above 0 the plan is better. `closeness` is None where the single table's t
    is not known, or is 0 while the plan's t is not."""

    closeness: float | None
    join_threat: float
    association_loss: float


@dataclass(frozen=True)
class PossiblePlan:
    """One possible plan: with this many tables it loses Γα and exposes Γβ."""

    method: str
    tables: int
    association_loss: float
    information_exposure: float


def against_single(association_loss: float, information_exposure: float, plan: Sequence[float], single: Sequence[float] | None) -> Baseline:
    """`plan` has the largest EMD of every sensitive attribute in the table that it is in, `single` that of each in the one table; None if
    that table could not be made."""
    return Baseline(_closeness(plan, single), 1.0 - information_exposure, association_loss)


def _closeness(plan: Sequence[float], single: Sequence[float] | None) -> float | None:
    if not plan or (single is not None and len(single) != len(plan)):
        raise InputRejected("The plan and the single table have different attributes.", "Measure every sensitive attribute in both.")
    if single is None:
        return None
    worst, naive = max(plan), max(single)
    if naive > 0.0:
        return 0.0 if abs(naive - worst) < NOTHING else 1.0 - worst / naive
    return 0.0 if worst <= 0.0 else None


def trade_off(columns: Sequence[Column]) -> tuple[PossiblePlan, ...]:
    """CODIP*'s plan for every number of tables, and beside it the least exposed plan that loses no more. Whether the tables can be
    anonymized is not checked. With more than 12 attributes the least exposed is searched for, at no more than 24 of these losses; with
    more than 100 there are no plans to show."""
    return () if len(columns) > MOST_WEIGHED else trade_off_of(associations(columns))


def trade_off_of(figures: Associations) -> tuple[PossiblePlan, ...]:
    merging = Merging(figures)
    plans: list[Plan] = [tuple(merging.tables)]
    while len(merging.tables) > 1:
        merging.merge()
        plans.append(tuple(merging.tables))
    greedy = [_point(CODIP, figures, plan) for plan in plans]
    losses = sorted({point.association_loss for point in greedy}, reverse=True)
    if len(figures.names) <= MOST_EXACT:
        least = _exact(figures, losses)
    else:
        chosen = [losses[i] for i in np.unique(np.linspace(0, len(losses) - 1, MOST_SEARCHED).astype(int))]
        least = [_searched(figures, loss) for loss in chosen]
    return (*greedy, *dict.fromkeys(least))


def _exact(figures: Associations, losses: Sequence[float]) -> list[PossiblePlan]:
    every = EveryPlan(figures)
    return [_point(OPTIMAL, figures, every.plan(int(every.within(loss, 1.0)[0]))) for loss in losses]


def _searched(figures: Associations, loss: float) -> PossiblePlan:
    starts = path_around(figures, loss)
    plan = LocalSearch(figures, loss + NOTHING).best(starts)
    return _point(OPTIMAL, figures, starts[0] if plan is None else plan)


def _point(method: str, figures: Associations, plan: Plan) -> PossiblePlan:
    return PossiblePlan(method, len(plan), figures.association_loss(plan), figures.information_exposure(plan))

"""What a plan loses and exposes, as it is said of a release. A figure of all rows, to the last digit, tells the values of people who were
suppressed to whoever tries them out on the published tables; and of attributes that are published apart it is an equation on what they
have to do with each other. So it is measured on the rows that are published, and said to three digits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from headgate.core.columns import Column
from headgate.projection.baseline import MOST_WEIGHED, PossiblePlan, trade_off_of
from headgate.projection.information import Associations, associations, figures_of
from policies.sealed.manifest import Alternative, Plan, PlanStep

DIGITS = 3
UNREACHED = "the requirements cannot be reached"
OF_PLAN = re.compile(r"^(association loss|information exposure) \S+ exceeds")
OF_TABLE = re.compile(r" is [-+.\de]+(?= \(|;|$)")


def plan_of_published(plan: Plan, columns: Sequence[Column], everybody: bool) -> Plan:
    """`columns`: the plan's, in its order, of the rows that are published. What the search alone knows is said only where `everybody` is
    published: it is not measured again."""
    bound, closeness = (plan.bound, plan.naive_closeness) if everybody else (None, None)
    number = {name: place for place, name in enumerate(plan.columns)}
    tables = tuple(tuple(number[name] for name in names) for names in plan.tables)
    few = len(columns) <= MOST_WEIGHED
    pairs = associations(columns) if few or len(plan.steps) > 1 else None  # there may be millions
    figures = partial(figures_of, columns) if pairs is None else pairs.figures
    loss, exposure = figures(tables)
    return plan.model_copy(
        update={
            "association_loss": rounded(loss),
            "information_exposure": rounded(exposure),
            "steps": tuple(_step(step, pairs, *figures(step.tables)) for step in plan.steps),
            "bound": None if bound is None else rounded(bound),
            "trade_off": tuple(map(_alternative, trade_off_of(pairs))) if few and pairs is not None else (),
            "naive_closeness": None if closeness is None else rounded(closeness),
        }
    )


def rounded(figure: float) -> float:
    return float(f"{figure:.{DIGITS}g}")


def _step(step: PlanStep, pairs: Associations | None, loss: float, exposure: float) -> PlanStep:
    merged = None if step.merged is None or pairs is None else [*step.merged[0], *step.merged[1]]
    return step.model_copy(
        update={
            "average_information": None if merged is None or pairs is None else rounded(pairs.average_information(merged)),
            "association_loss": rounded(loss),
            "information_exposure": rounded(exposure),
            "reason": which_failed(step.reason),
        }
    )


def which_failed(reason: str) -> str:
    """What a step of the search did not satisfy, without the figures of its trial tables, which nobody publishes."""
    place, reached, _ = reason.partition(UNREACHED)
    return f"{place}{reached}" if reached else OF_TABLE.sub(" is not met", OF_PLAN.sub(r"\1 exceeds", reason))


def _alternative(plan: PossiblePlan) -> Alternative:
    return Alternative(
        method=plan.method,
        tables=plan.tables,
        association_loss=rounded(plan.association_loss),
        information_exposure=rounded(plan.information_exposure),
    )

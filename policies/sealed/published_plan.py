"""What a plan loses and exposes, as it is said of a release. A figure of all rows, to the last digit, tells the values of people who were
suppressed to whoever tries them out on the published tables; and of attributes that are published apart it is an equation on what they
have to do with each other. So it is measured on the rows that are published, and said to three digits."""

from __future__ import annotations

import re
from collections.abc import Sequence

from headgate.core.columns import Column
from headgate.projection.baseline import PossiblePlan, trade_off
from headgate.projection.information import Associations, associations
from policies.sealed.manifest import Alternative, Plan, PlanStep

DIGITS = 3
UNREACHED = "the requirements cannot be reached"
OF_PLAN = re.compile(r"^(association loss|information exposure) \S+ exceeds")
OF_TABLE = re.compile(r" is [-+.\de]+(?= \(|;|$)")


def plan_of_published(plan: Plan, columns: Sequence[Column], everybody: bool) -> Plan:
    """`columns`: the plan's, in its order, of the rows that are published. What the search alone knows is said only where `everybody` is
    published: it is not measured again."""
    bound, closeness = (plan.bound, plan.naive_closeness) if everybody else (None, None)
    figures, number = associations(columns), {name: place for place, name in enumerate(plan.columns)}
    tables = tuple(tuple(number[name] for name in names) for names in plan.tables)
    return plan.model_copy(
        update={
            "association_loss": rounded(figures.association_loss(tables)),
            "information_exposure": rounded(figures.information_exposure(tables)),
            "steps": tuple(_step(step, figures) for step in plan.steps),
            "bound": None if bound is None else rounded(bound),
            "trade_off": tuple(map(_alternative, trade_off(columns))),
            "naive_closeness": None if closeness is None else rounded(closeness),
        }
    )


def rounded(figure: float) -> float:
    return float(f"{figure:.{DIGITS}g}")


def _step(step: PlanStep, figures: Associations) -> PlanStep:
    average = None if step.merged is None else rounded(figures.average_information([*step.merged[0], *step.merged[1]]))
    return step.model_copy(
        update={
            "average_information": average,
            "association_loss": rounded(figures.association_loss(step.tables)),
            "information_exposure": rounded(figures.information_exposure(step.tables)),
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

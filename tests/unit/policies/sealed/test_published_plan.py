"""What is said of a plan, against pandas' own counting of the rows that are published."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.projection.baseline import MOST_WEIGHED
from policies.sealed.manifest import Plan, PlanStep
from policies.sealed.published_plan import plan_of_published, which_failed

NAMES = ("job", "illness", "town")


def people(rows: int = 90) -> pd.DataFrame:
    drawn = np.random.default_rng(3)
    frame = pd.DataFrame({name: drawn.choice(list("abc"), rows) for name in NAMES})
    return frame.assign(illness=np.where(drawn.random(rows) < 0.6, frame["job"], frame["illness"]))


def information(frame: pd.DataFrame, one: str, two: str) -> float:
    joint, alone = frame.groupby([one, two]).size() / len(frame), {name: frame[name].value_counts(normalize=True) for name in (one, two)}
    return sum(share * math.log(share / (alone[one][a] * alone[two][b])) for (a, b), share in joint.items())


def said(frame: pd.DataFrame, everybody: bool = True) -> Plan:
    step = PlanStep(
        tables=((0, 1), (2,)), merged=((0,), (1,)), average_information=9.0, association_loss=9.0, information_exposure=9.0, passed=True
    )
    plan = Plan(
        method="codip*",
        tables=(("job", "illness"), ("town",)),
        columns=NAMES,
        association_loss=9.0,
        information_exposure=9.0,
        steps=(step,),
        bound=0.123456,
        naive_closeness=0.98765,
    )
    table = encode_table(frame, {name: ColumnSpec(name, Kind.CATEGORY, Role.SENSITIVE) for name in NAMES})
    return plan_of_published(plan, table.select(NAMES), everybody)


def test_its_figures_are_those_of_the_published_rows_to_three_digits() -> None:
    frame = people()
    of = {pair: information(frame, *pair) for pair in itertools.combinations(NAMES, 2)}
    lost = (of["job", "town"] + of["illness", "town"]) / sum(of.values())
    plan = said(frame)
    assert plan.association_loss == plan.steps[0].association_loss == float(f"{lost:.3g}")
    assert plan.steps[0].average_information == float(f"{of['job', 'illness']:.3g}")
    assert 0 < plan.information_exposure == plan.steps[0].information_exposure < 1
    assert (plan.bound, plan.naive_closeness) == (0.123, 0.988)
    assert [point.tables for point in plan.trade_off[:3]] == [3, 2, 1]
    figures = [
        plan.information_exposure,
        *(figure for point in plan.trade_off for figure in (point.association_loss, point.information_exposure)),
    ]
    assert all(figure == float(f"{figure:.3g}") for figure in figures)


def test_what_the_search_alone_knows_is_said_of_everybody_or_not_at_all() -> None:
    plan = said(people(), everybody=False)
    assert plan.bound is plan.naive_closeness is None


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("", ""),
        ("association loss 0.2653 exceeds 0.25", "association loss exceeds 0.25"),
        ("information exposure 1e-05 exceeds 0", "information exposure exceeds 0"),
        ("table 2: linkability is 0.412345 (at most 0.4 is allowed)", "table 2: linkability is not met (at most 0.4 is allowed)"),
        (
            "table 1: k is 3 (at least 5 is required); distinct_l of job is 1",
            "table 1: k is not met (at least 5 is required); distinct_l of job is not met",
        ),
        ("table 1: the requirements cannot be reached: 12 rows are too similar", "table 1: the requirements cannot be reached"),
    ],
)
def test_why_a_step_failed_is_said_without_the_figures_of_tables_that_nobody_publishes(reason: str, told: str) -> None:
    assert which_failed(reason) == told


def test_of_very_many_attributes_no_other_plans_are_weighed() -> None:
    names = tuple(f"a{i}" for i in range(MOST_WEIGHED + 1))
    drawn = np.random.default_rng(1).choice(list("ab"), (30, len(names)))
    table = encode_table(
        pd.DataFrame(drawn, columns=list(names)), {name: ColumnSpec(name, Kind.CATEGORY, Role.SENSITIVE) for name in names}
    )
    together = (tuple(range(len(names))),)
    step = PlanStep(tables=together, association_loss=9.0, information_exposure=9.0, passed=True)
    plan = Plan(method="single", tables=(names,), columns=names, association_loss=9.0, information_exposure=9.0, steps=(step,))
    plan = plan_of_published(plan, table.select(names), everybody=True)
    assert (plan.association_loss, plan.information_exposure, plan.trade_off) == (0.0, 1.0, ())
    assert (plan.steps[0].association_loss, plan.steps[0].information_exposure) == (0.0, 1.0)

"""`optimal`: the plan that exposes least among all that keep enough association and whose every table passes. And the plain plans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from headgate.columns import Column
from headgate.errors import InputRejected
from headgate.projection.information import Plan
from headgate.projection.plan import CheckPlan, CheckTable, NoPlan, Projection, Step, check_threshold
from headgate.tolerance import at_most

MOST_ATTRIBUTES = 9  # 21,147 plans
RECORDED = 200  # steps that are kept


def optimal(columns: Sequence[Column], association_loss: float, join_threat: float = 1.0, check: CheckTable | None = None) -> Projection:
    """Least Γβ with Γα ≤ association_loss, by trying all plans from the least exposed on; ties to fewer tables, then to the order of
    attributes."""
    alpha, beta = check_threshold(association_loss, "association_loss"), check_threshold(join_threat, "join_threat")
    if len(columns) > MOST_ATTRIBUTES:
        raise InputRejected(
            f"method: optimal would try all plans of {len(columns)} attributes; it takes {MOST_ATTRIBUTES} at most.",
            "Use method: codip*, or name the tables yourself (method: given).",
        )
    checker = CheckPlan(columns, check)
    figures = checker.associations
    plans = [(figures.information_exposure(plan), len(plan), plan) for plan in partitions(len(columns))]
    least_loss = 1.0
    steps: list[Step] = []
    for exposure, _, plan in sorted(plans):
        if not at_most(exposure, beta):
            break
        loss = figures.association_loss(plan)
        if not at_most(loss, alpha):
            least_loss = min(least_loss, loss)
            continue
        step = checker.plan(plan, alpha, beta)
        if step.passed or len(steps) < RECORDED:
            steps.append(step)
        if step.passed:
            return checker.projection("optimal", step, steps)
    if not steps:
        remedy = f"Raise association_loss to {min(1.0, least_loss):.4f} or more, or raise join_threat."
        raise NoPlan("The number of projection plans within both thresholds", 0.0, 1.0, remedy, steps)
    remedy = f"Each of them was refused, the least exposed because of {steps[0].reason}. Relax the settings, or raise a threshold."
    raise NoPlan("The number of projection plans that pass", 0.0, 1.0, remedy, steps)


def partitions(size: int) -> Iterator[Plan]:
    """Every way to divide attributes 0 … size−1 into tables, each way once, tables and attributes in order."""

    def grow(attribute: int, tables: list[list[int]]) -> Iterator[Plan]:
        if attribute == size:
            yield tuple(tuple(table) for table in tables)
            return
        for table in tables:
            table.append(attribute)
            yield from grow(attribute + 1, tables)
            table.pop()
        tables.append([attribute])
        yield from grow(attribute + 1, tables)
        tables.pop()

    return grow(0, [])


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
    """Tables as somebody wrote them. A set attribute stands for all its bitmap columns."""
    places: dict[str, list[int]] = {}
    for i, column in enumerate(columns):
        places.setdefault(column.name, []).append(i)
        if column.origin is not None:
            places.setdefault(column.origin, []).append(i)
    unknown = [name for table in tables for name in table if name not in places]
    if unknown:
        raise InputRejected(f"The plan names '{unknown[0]}', which is no sensitive attribute.", "Name sensitive attributes only.")
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
        raise NoPlan("Association loss", step.association_loss, association_loss, cure, [step])
    if join_threat is not None and not at_most(step.information_exposure, join_threat):
        cure = f"Raise join_threat to {step.information_exposure:.4f} or more, or let codip* choose."
        raise NoPlan("Information exposure", step.information_exposure, join_threat, cure, [step])
    raise NoPlan("The number of projection plans that pass", 0.0, 1.0, f"Refused because of {step.reason}.", [step])

"""CODIP* (paper "codip", Figure 4): start with every attribute in its own table and merge the most strongly associated tables.

Two readings differ from the print (DEFINITIONS §6): the loop also ends with one table (as printed it never does at β = 1), and where
a principle is not monotone in the attributes a plan that fails does not end the search: the last plan that passes stands."""

from __future__ import annotations

from collections.abc import Sequence

from headgate.columns import Column
from headgate.projection.information import NOTHING, Associations, Plan
from headgate.projection.plan import CheckPlan, CheckTable, NoPlan, Projection, Step, check_threshold
from headgate.tolerance import at_most

METHOD = "codip*"


def codip_star(
    columns: Sequence[Column], association_loss: float, join_threat: float, check: CheckTable | None = None, monotone: bool = False
) -> Projection:
    """`check` anonymizes and gates one table, given the names of its attributes. `monotone`: a table that fails fails with more attributes
    too (k, closeness, l per attribute), so the first failing plan ends the search; composite (ε, δ) is not."""
    alpha, beta = check_threshold(association_loss, "association_loss"), check_threshold(join_threat, "join_threat")
    checker = CheckPlan(columns, check)
    tables: Plan = tuple((i,) for i in range(len(columns)))  # steps 2–3
    step = checker.plan(tables, None, beta)  # step 4
    steps = [step]
    last = step if step.passed else None
    while len(tables) > 1 and (step.passed or not monotone):  # steps 6–13
        one, other = strongest_pair(checker.associations, tables)  # step 7
        merged = tuple(sorted((*one, *other)))
        tables = tuple(sorted([table for table in tables if table not in (one, other)] + [merged]))  # steps 10–11
        step = checker.plan(tables, None, beta, (one, other))  # step 12
        steps.append(step)
        if not at_most(step.information_exposure, beta):
            break
        if step.passed:
            last = step
    if last is None:
        raise NoPlan("The number of projection plans that pass", 0.0, 1.0, _remedy(steps), steps)
    if not at_most(last.association_loss, alpha):  # step 14
        raise NoPlan("Association loss", last.association_loss, alpha, _relax(last, steps, alpha, beta), steps)
    return checker.projection(METHOD, last, steps)


def strongest_pair(figures: Associations, tables: Plan) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The two tables with the largest AvgI over all pairs of their union; ties go to those whose first attributes come first."""
    best: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    most = -1.0
    ordered = sorted(tables)
    for i, one in enumerate(ordered):
        for other in ordered[i + 1 :]:
            average = figures.average_information([*one, *other])
            if best is None or average > most + NOTHING:
                best, most = (one, other), average
    if best is None:
        raise NoPlan("The number of tables to merge", float(len(tables)), 2.0, "Give at least two attributes.", ())
    return best


def _remedy(steps: Sequence[Step]) -> str:
    first = steps[0].reason
    return f"Every plan was refused; the separate one because of {first}. Relax the settings of that table, or run `headgate advise`."


def _relax(last: Step, steps: Sequence[Step], alpha: float, beta: float) -> str:
    """Which threshold would let a plan pass, and by how much."""
    cures = [f"raise association_loss to {_up(last.association_loss)} or more"]
    refused = steps[-1]
    if not refused.passed and not at_most(refused.information_exposure, beta):
        cures.append(f"raise join_threat to {_up(refused.information_exposure)} or more, so that merging may go on")
    failing = next((step for step in steps if not step.passed and at_most(step.association_loss, alpha)), None)
    if failing is not None and failing is not refused:
        cures.append(f"relax what refused a plan with association loss {failing.association_loss:.4f} ({failing.reason})")
    elif not refused.passed and at_most(refused.information_exposure, beta):
        cures.append(f"relax what refused the next merge ({refused.reason})")
    return "To publish: " + "; or ".join(cures) + "."


def _up(share: float) -> str:
    """Rounded up, so that the number as printed is enough."""
    return f"{min(1.0, int(share * 10_000 + 1) / 10_000):.4f}"

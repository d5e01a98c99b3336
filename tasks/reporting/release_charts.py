"""Which pictures a release and each of its tables have, drawn from what was measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from headgate.core.tolerance import exact
from policies.gates.dissimilarity import DISSIMILARITY
from policies.sealed.manifest import Alternative
from policies.sealed.promise import Promise
from tasks.reporting.charts import (
    PathStep,
    draw_closeness,
    draw_group_risks,
    draw_group_sizes,
    draw_loss,
    draw_plan_path,
    draw_query_errors,
    draw_trade_off,
)
from tasks.reporting.drawing import Form
from tasks.reporting.measured_tables import MeasuredRelease, MeasuredTable

Label = Callable[[str], str]
CLOSENESS = "closeness"


def draw_table(table: MeasuredTable, promise: Promise | None, form: Form, label: Label = str) -> dict[str, bytes]:
    """Pictures of one table, by name; one that has nothing to show is left out. `label` gives the names that columns have in them."""
    return _of_tables((table,), promise, form, label)


def draw_release(release: MeasuredRelease, form: Form, label: Label = str) -> dict[str, bytes]:
    """Pictures of the whole: the plan, utility, and all tables beside each other."""
    return draw_plan(release, form) | _of_tables(release.tables, release.promise, form, label) | draw_errors(release, form)


def draw_plan(release: MeasuredRelease, form: Form) -> dict[str, bytes]:
    plan = release.plan
    if plan is None:
        return {}
    steps = [PathStep(step.association_loss, step.information_exposure, step.passed) for step in plan.steps]
    limits = (release.limits.association_loss, release.limits.join_threat)
    pictures = {"plan": draw_plan_path(steps, (plan.association_loss, plan.information_exposure), limits, form)}
    lines: dict[str, list[Alternative]] = {}
    for choice in plan.trade_off:
        lines.setdefault(choice.method, []).append(choice)
    if any(len(points) > 1 for points in lines.values()):
        chosen = Alternative(
            method=plan.method,
            tables=len(plan.tables),
            association_loss=plan.association_loss,
            information_exposure=plan.information_exposure,
        )
        pictures["trade_off"] = draw_trade_off(list(lines.items()), chosen, form)
    return pictures


def draw_errors(release: MeasuredRelease, form: Form) -> dict[str, bytes]:
    errors = [
        (table.name, measured.query_error_mean, measured.query_error_median, (measured.query_error_low, measured.query_error_high))
        for table in release.tables
        if (measured := table.figures).query_error_mean is not None
    ]
    return {"query_errors": draw_query_errors(errors, release.limits.query_error, form)} if errors else {}


def draw_losses(release: MeasuredRelease, form: Form) -> dict[str, bytes]:
    """All tables in one grid; a single table's loss is among its own pictures."""
    losses = [(table.name, dict(table.loss)) for table in release.tables if table.loss]
    return {"loss": draw_loss(losses, form)} if len(losses) > 1 else {}


def _of_tables(tables: tuple[MeasuredTable, ...], promise: Promise | None, form: Form, label: Label) -> dict[str, bytes]:
    pictures: dict[str, bytes] = {}
    sizes = [(table.name, table.group_sizes) for table in tables if len(table.group_sizes)]
    risks = [(table.name, table.group_risks) for table in tables if table.group_risks is not None and len(table.group_risks)]
    loss = [(table.name, dict(table.loss)) for table in tables if table.loss]
    if sizes:
        pictures["group_sizes"] = draw_group_sizes(sizes, promise.k if promise else 1, form)
    if risks:
        pictures["group_risks"] = draw_group_risks(risks, allowed_risk(promise), form)
    pictures |= _closeness(tables, promise, form, label)
    if loss:
        pictures["loss"] = draw_loss(loss, form)
    return pictures


def _closeness(tables: tuple[MeasuredTable, ...], promise: Promise | None, form: Form, label: Label) -> dict[str, bytes]:
    distances = [(table.name, _named(each, label)) for table in tables if (each := table.figures.each(CLOSENESS))]
    promised = promise.of(CLOSENESS) if promise else ()
    required = {label(bound.attribute): float(exact(bound.required)) for bound in promised if bound.attribute is not None}
    return {CLOSENESS: draw_closeness(distances, required, form)} if distances else {}


def _named(figures: Mapping[str, Any], label: Label) -> dict[str, Any]:
    return {label(name): value for name, value in figures.items()}


def allowed_risk(promise: Promise | None) -> float | None:
    """1 − δ of the composite promise."""
    whole = None if promise is None else promise.required(DISSIMILARITY)
    return None if whole is None else float(1 - exact(whole.required))

"""Which pictures a release and each of its tables have, drawn from what was measured: once, for its page and for MLflow."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from headgate.core.tolerance import exact
from policies.gates.dissimilarity import DISSIMILARITY
from policies.sealed.manifest import Alternative
from policies.sealed.promise import Promise
from tasks.reporting.candidate_page.requirement_lines import room
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
from tasks.reporting.measured_tables import MeasuredRelease, MeasuredTable
from tasks.reporting.shown_part import MOST_TABLES, foremost

Label = Callable[[str], str]
CLOSENESS = "closeness"


@dataclass(frozen=True)
class Pictures:
    """SVGs by name: of the whole release, and of each table that has any."""

    whole: Mapping[str, bytes]
    tables: Mapping[str, Mapping[str, bytes]]


def draw_release(release: MeasuredRelease) -> Pictures:
    tables = {table.name: draw_table(table, release.promise) for table in _drawn(release)}
    return Pictures(draw_plan(release) | draw_errors(release) | draw_losses(release), tables)


def files_of(pictures: Pictures, release: MeasuredRelease, label: Label) -> dict[str, bytes]:
    """The same pictures as files with paths, on paper; where `label` gives a column another name, that is the name in them."""
    drawn = dict(pictures.whole)
    for table in release.tables:
        own = dict(pictures.tables.get(table.name, {}))
        if CLOSENESS in own and any(label(name) != name for name in table.figures.each(CLOSENESS)):
            own |= _closeness(table, release.promise, label)
        drawn |= {f"{table.name}/{name}": picture for name, picture in own.items()}
    return {f"{name}.svg": picture.replace(b"<svg ", b'<svg style="background: #fff" ', 1) for name, picture in drawn.items()}


def draw_table(table: MeasuredTable, promise: Promise | None) -> dict[str, bytes]:
    """Pictures of one table, by name; one that has nothing to show is left out."""
    pictures: dict[str, bytes] = {}
    if len(table.group_sizes):
        pictures["group_sizes"] = draw_group_sizes([(table.name, table.group_sizes)], promise.k if promise else 1)
    if table.group_risks is not None and len(table.group_risks):
        pictures["group_risks"] = draw_group_risks([(table.name, table.group_risks)], allowed_risk(promise))
    pictures |= _closeness(table, promise)
    if table.loss:
        pictures["loss"] = draw_loss([(table.name, dict(table.loss))])
    return pictures


def draw_plan(release: MeasuredRelease) -> dict[str, bytes]:
    plan = release.plan
    if plan is None:
        return {}
    steps = [PathStep(step.association_loss, step.information_exposure, step.passed) for step in plan.steps]
    limits = (release.limits.association_loss, release.limits.join_threat)
    pictures = {"plan": draw_plan_path(steps, (plan.association_loss, plan.information_exposure), limits)}
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
        pictures["trade_off"] = draw_trade_off(list(lines.items()), chosen)
    return pictures


def draw_errors(release: MeasuredRelease) -> dict[str, bytes]:
    errors = [
        (table.name, measured.query_error_mean, measured.query_error_median, (measured.query_error_low, measured.query_error_high))
        for table in release.tables
        if (measured := table.figures).query_error_mean is not None
    ]
    return {"query_errors": draw_query_errors(errors, release.limits.query_error)} if errors else {}


def draw_losses(release: MeasuredRelease) -> dict[str, bytes]:
    """All tables in one grid; a single table's loss is among its own pictures."""
    losses = [(table.name, dict(table.loss)) for table in release.tables if table.loss]
    return {"loss": draw_loss(losses)} if len(losses) > 1 else {}


def _closeness(table: MeasuredTable, promise: Promise | None, label: Label = str) -> dict[str, bytes]:
    """`label` gives the names that columns have in the picture."""
    distances = {label(name): value for name, value in table.figures.each(CLOSENESS).items()}
    promised = promise.of(CLOSENESS) if promise else ()
    required = {label(bound.attribute): float(exact(bound.required)) for bound in promised if bound.attribute is not None}
    return {CLOSENESS: draw_closeness([(table.name, distances)], required)} if distances else {}


def _drawn(release: MeasuredRelease) -> list[MeasuredTable]:
    """Of very many tables, those with a verdict that is nearest to its bound have pictures."""
    left: dict[str, float] = {}
    for verdict in release.verdicts:
        if verdict.table:
            left[verdict.table] = min(left.get(verdict.table, math.inf), room(verdict))
    return foremost(release.tables, MOST_TABLES, lambda table: -left.get(table.name, math.inf))


def allowed_risk(promise: Promise | None) -> float | None:
    """1 − δ of the composite promise."""
    whole = None if promise is None else promise.required(DISSIMILARITY)
    return None if whole is None else float(1 - exact(whole.required))

"""Advice as one self-contained page. It is a file, and files travel: the values that bind stay on the terminal, the page counts them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from headgate.advice.binding import binding_sentence, smallest_bounds
from headgate.advice.result import Setting, TableAdvice
from headgate.core.tolerance import exact
from tasks.advice.advice_charts import FrontierPoint, draw_frontier, draw_map
from tasks.advice.policy_advice import Advice
from tasks.reporting.page import framed, page_template

CAPTIONS = {
    "map": "The largest δ reached, and the largest possible. The frame is the policy's own k and ε.",
    "frontier": "What δ costs in this table.",
}
MANY_ATTRIBUTES = 12


@dataclass(frozen=True)
class TableSection:
    """One projected table on the page."""

    name: str
    table: TableAdvice
    pictures: tuple[tuple[str, Any], ...]
    binding: tuple[str, ...]
    nothing: str


def render_advice(advice: Advice) -> str:
    sections = [_section(number, table, advice) for number, table in enumerate(advice.tables, 1)]
    return page_template("advice.html.j2").render(advice=advice, sections=sections, most=MANY_ATTRIBUTES)


def _section(number: int, table: TableAdvice, advice: Advice) -> TableSection:
    epsilon = float(exact(advice.shown_epsilon))
    pictures = {"map": draw_map(table.settings, (advice.k, epsilon), "svg")}
    points = frontier_points(table.settings, advice.shown_epsilon)
    if points:
        pictures["frontier"] = draw_frontier(points, "svg", _suggested(advice))
    said = dict.fromkeys(binding_sentence(bound, with_values=False) for bound in smallest_bounds(table.settings))
    reasons = [setting.why_not for setting in table.settings if setting.why_not]
    nothing = reasons[0] if reasons and not any(setting.best for setting in table.settings) else ""
    return TableSection(f"table-{number}", table, framed(pictures, CAPTIONS), tuple(said), nothing)


def _suggested(advice: Advice) -> list[float]:
    """Each δ suggested at the ε that is drawn."""
    settings = [suggestion.tried.setting for suggestion in advice.suggestions if suggestion.tried is not None]
    return sorted(
        {float(exact(setting.delta)) for setting in settings if setting.delta is not None and setting.epsilon == advice.shown_epsilon}
    )


def frontier_points(settings: Sequence[Setting], epsilon: str) -> list[FrontierPoint]:
    at = float(exact(epsilon))
    return [
        FrontierPoint(setting.k, epsilon, float(point.delta), point.tried.loss or 0.0, point.tried.query_error)
        for setting in settings
        if setting.epsilon == at
        for point in setting.frontier
    ]

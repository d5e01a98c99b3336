"""The form of names and figures in the terminal, and its tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from flows.terminal.output import plain

if TYPE_CHECKING:
    from policies.gates.verdict import Verdict

FEW_VALUES = 3


def in_words(state: str) -> str:
    return state.replace("_", " ")


def figure(number: float | None) -> str:
    if number is None:
        return "–"
    if math.isinf(number):
        return "∞"
    whole = float(number).is_integer() and abs(number) >= 1
    return f"{number:,.0f}" if whole or 1e3 <= abs(number) < 1e15 else f"{number:.4g}"


def short(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def percentage(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def percentage_to(value: float | None, high: float | None) -> str:
    """A mean, and the upper end of its interval."""
    return percentage(value) if high is None else f"{percentage(value)} (≤ {percentage(high)})"


def plain_table(headings: Sequence[str], words: Sequence[str], unbroken: Sequence[str] = ()) -> Any:
    """Columns of `words` go to the left, figures to the right. A cell of an `unbroken` column stays on one line."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, justify="left" if heading in words else "right", no_wrap=heading in unbroken, overflow="fold")
    return table


def gate_name(verdict: Verdict) -> str:
    """A dictionary is shown with the name of its file, without the folder."""
    if verdict.dictionary is None:
        return verdict.name
    return verdict.model_copy(update={"dictionary": verdict.dictionary.rsplit("/", 1)[-1]}).name


def required_figure(verdict: Verdict) -> str:
    """With its direction: at least 10, at most 0.8; and what was asked for, where less is allowed."""
    if verdict.asked is not None:
        return f"asked {figure(verdict.asked)}, allowed from {figure(verdict.required)}"
    return "–" if verdict.required is None else f"{verdict.comparison} {figure(verdict.required)}"


def named_attributes(columns: Sequence[str]) -> str:
    """Bitmap columns `attribute=value` of one set are counted where there are many."""
    shown: dict[str, list[str]] = {}
    for column in columns:
        name, sign, _value = column.partition("=")
        shown.setdefault(name, []).extend([column] if sign else [])
    names = (
        f"{name} ({len(values)} values)" if len(values) > FEW_VALUES else ", ".join(values or [name]) for name, values in shown.items()
    )
    return plain(", ".join(names))

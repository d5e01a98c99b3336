"""Two manifests, figure by figure and gate by gate.

A table is known by what it holds: its number says nothing in another plan. Of tables that only one of the two has, the worst is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from pydantic import computed_field

from policies.gates.figures import TableFigures
from policies.gates.verdict import Comparison, Verdict
from policies.sealed.manifest import Manifest
from policies.words.frozen import Frozen

T = TypeVar("T")
Place = tuple[str, str]  # a figure or a gate, and the table's name in the later of the two; empty for the release as a whole
LESS_IS_BETTER = frozenset({"suppressed", "association loss", "information exposure", "loss (NCP)", "query error", "linkability"})
MORE_IS_BETTER = frozenset({"k"})
NEITHER = frozenset({"series.returning", "series.changed"})  # whether versions can be compared, not how safe they are
WORST = "worst table"
OF_TABLES: dict[str, Callable[[TableFigures], float | None]] = {
    "k": lambda table: table.k,
    "linkability": lambda table: table.figure("linkability"),
    "loss (NCP)": lambda table: table.ncp,
    "query error": lambda table: table.query_error_mean,
}


class FigureChange(Frozen):
    """One figure before and after; None where there is none. `table` is empty for the release as a whole. `better`: whether it is good for
    those in the table or for its readers; None where neither is."""

    figure: str
    table: str
    before: int | float | None
    after: int | float | None
    better: bool | None


class GateChange(Frozen):
    """One requirement on a table: its verdict before and after; None where it was not asked for. `better`: measured further on the side
    that the gate asks for. `stricter`: it asks for more."""

    gate: str
    table: str
    before: Verdict | None
    after: Verdict | None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def better(self) -> bool | None:
        return None if self.gate in NEITHER else self._further("measured")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def stricter(self) -> bool | None:
        return self._further("required")

    def _further(self, name: str) -> bool | None:
        if self.before is None or self.after is None:
            return None
        return _higher(getattr(self.before, name), getattr(self.after, name), self.after.comparison is Comparison.AT_LEAST)


def figure_changes(before: Manifest, after: Manifest) -> tuple[FigureChange, ...]:
    """Those that changed."""
    shown = _in_both(before, after)
    old, new = _figures(before, shown), _figures(after, shown)
    return tuple(
        FigureChange(figure=place[0], table=place[1], before=was, after=now, better=_better(place[0], was, now))
        for place, was, now in _pairs(old, new)
        if was != now
    )


def gate_changes(before: Manifest, after: Manifest) -> tuple[GateChange, ...]:
    """Those whose requirement or measurement changed."""
    shown = _in_both(before, after)
    old, new = _verdicts(before, shown), _verdicts(after, shown)
    return tuple(
        GateChange(gate=place[0], table=place[1], before=was, after=now) for place, was, now in _pairs(old, new) if _said(was) != _said(now)
    )


def _pairs(old: Mapping[Place, T], new: Mapping[Place, T]) -> Iterator[tuple[Place, T | None, T | None]]:
    """In the order of the later of the two; what only the earlier one has comes last."""
    return ((place, old.get(place), new.get(place)) for place in dict.fromkeys([*new, *old]))


def _said(verdict: Verdict | None) -> tuple[float | None, ...] | None:
    return None if verdict is None else (verdict.required, verdict.measured)


def _higher(before: float | None, after: float | None, more: bool) -> bool | None:
    """Whether it went up, or, without `more`, down; None where it did neither."""
    if before is None or after is None or before == after:
        return None
    return (after > before) is more


def _better(figure: str, before: float | None, after: float | None) -> bool | None:
    if figure not in LESS_IS_BETTER | MORE_IS_BETTER:
        return None
    return _higher(before, after, figure in MORE_IS_BETTER)


def _in_both(before: Manifest, after: Manifest) -> dict[tuple[str, ...], str]:
    """The tables that both have, by what they hold, with their later names."""
    known = {table.sensitive for table in before.tables}
    return {table.sensitive: table.name for table in after.tables if table.sensitive in known}


def _figures(manifest: Manifest, shown: Mapping[tuple[str, ...], str]) -> dict[Place, float | None]:
    figures: dict[Place, float | None] = {
        ("rows", ""): manifest.rows,
        ("suppressed", ""): manifest.suppressed,
        ("tables", ""): len(manifest.tables),
        ("association loss", ""): manifest.plan.association_loss,
        ("information exposure", ""): manifest.plan.information_exposure,
        ("loss (NCP)", ""): manifest.utility.ncp,
        ("query error", ""): manifest.utility.query_error_mean,
    }
    for table in manifest.tables:
        name = shown.get(table.sensitive, WORST)
        if name != WORST:
            figures["groups", name] = table.groups
        for figure, measured in OF_TABLES.items():
            worse = min if figure in MORE_IS_BETTER else max
            known = [value for value in (figures.get((figure, name)), measured(table)) if value is not None]
            figures[figure, name] = worse(known, default=None)
    return figures


def _verdicts(manifest: Manifest, shown: Mapping[tuple[str, ...], str]) -> dict[Place, Verdict]:
    """By gate, with its bound and what it is about."""
    columns = {table.name: table.sensitive for table in manifest.tables}
    verdicts: dict[Place, Verdict] = {}
    for verdict in manifest.verdicts:
        place = verdict.name, shown.get(columns.get(verdict.table, ()), WORST) if verdict.table else ""
        verdicts[place] = _worse(verdicts.get(place, verdict), verdict)
    return verdicts


def _worse(one: Verdict, other: Verdict) -> Verdict:
    """One that was not measured is the worst."""
    if one.measured is None or other.measured is None:
        return one if one.measured is None else other
    return other if (other.measured < one.measured) is (one.comparison is Comparison.AT_LEAST) else one

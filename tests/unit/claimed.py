"""Figures with some of them changed, and promises in a line each."""

from __future__ import annotations

from typing import Any

from policies.gates.figures import TableFigures
from policies.gates.verdict import Measured, Requirement


def claiming(figures: TableFigures, **values: Any) -> TableFigures:
    """The same figures but these: a number, one for each attribute or dictionary, or None for what was not measured."""
    measured = [one for one in figures.measured if one.figure not in values]
    common = {name: value for name, value in values.items() if name in TableFigures.model_fields}
    for name, value in values.items():
        if name not in common and value is not None:
            each = value if isinstance(value, dict) else {"": value}
            measured += [Measured.model_construct(figure=name, of=of, value=number) for of, number in each.items()]
    return figures.model_copy(update={**common, "measured": tuple(measured)})


def required(gate: str, bound: Any, attribute: str | None = None, **settings: str) -> Requirement:
    return Requirement(gate=gate, attribute=attribute, required=str(bound), settings=settings)


def proximity(epsilon: str, delta: str, attribute: str | None = None) -> Requirement:
    return required("dissimilarity", delta, attribute, epsilon=epsilon)

"""Figures of a table, by name and by what they are about."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from policies.gates.figures import TableFigures
from policies.gates.verdict import Measured

COMMON = {"name": "t", "sensitive": ("job",), "rows": 4, "groups": 2, "mean_group": 2, "discernibility": 8, "ncp": 0.5}


def test_a_figure_is_of_the_table_or_of_something_in_it() -> None:
    measured = (Measured(figure="k", value=2), Measured(figure="closeness", of="job", value=0.25))
    figures = TableFigures.model_validate({**COMMON, "measured": measured})
    assert (figures.k, figures.figure("closeness", "job"), figures.each("closeness")) == (2, 0.25, {"job": 0.25})
    assert (figures.figure("risk"), figures.figure("closeness"), figures.each("risk")) == (None, None, {})


def test_no_figure_has_two_values() -> None:
    """The first could be shown, and the second measured again."""
    with pytest.raises(ValidationError, match="measured twice"):
        TableFigures.model_validate({**COMMON, "measured": (Measured(figure="k", value=9), Measured(figure="k", value=2))})

"""Figures of a table, by name and by what they are about."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from policies.gates.figures import AttackGain, TableFigures, worst_attack
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


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.5, ()),
        (0.501, ("In 50 % of the rows of t, born",)),
        (0.9999, ("In 99 % of the rows of t, born",)),
        (1.0, ("In all rows of t, born",)),
    ],
)
def test_a_column_that_is_everything_in_most_rows_is_remarked(share: float, said: tuple[str, ...]) -> None:
    remarks = TableFigures.model_validate({**COMMON, "everything": {"born": share, "age": 0.0}}).remarks
    assert tuple(remark.split(" is * (everything)")[0] for remark in remarks) == said


def test_where_nobody_counted_such_cells_nothing_is_remarked() -> None:
    assert TableFigures.model_validate(COMMON).remarks == ()


def gained(right: float, overall: float, people: int = 100, drawn: bool = False) -> AttackGain:
    return AttackGain(
        attack="homogeneity", who="somebody is right about 'job'", people=people, right=right, right_overall=overall, drawn=drawn
    )


def test_the_attack_that_gains_most_over_guessing_is_named_in_plain_words() -> None:
    """Being right more often is not gaining more: of 60 people anybody is right about 59."""
    assert worst_attack((gained(60, 59), gained(38, 21), gained(5, 20), gained(0, 0, people=0))) == (
        "The attack that gains most: somebody is right about 'job' for 38.0 % of the people, against 21.0 % by guessing."
    )
    assert worst_attack((gained(38, 34, drawn=True),)).endswith("by guessing. Chance may explain the difference.")
    assert worst_attack((gained(20, 20),)) == "No attack that was tried gains anything over guessing from the whole table."
    assert worst_attack((gained(0, 0, people=0),)) == worst_attack(()) == ""


@pytest.mark.parametrize("right", [101, -1, float("nan"), float("inf")])
def test_no_more_people_are_guessed_than_were_attacked(right: float) -> None:
    with pytest.raises(ValidationError):
        gained(right, 0)

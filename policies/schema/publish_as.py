"""How a sensitive number is rounded and coded before anything else sees it (DEFINITIONS §12)."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated

from pydantic import Field, model_validator

from headgate.core.number_form import NumberForm
from headgate.core.tolerance import exact
from policies.words.fields import Exact, KeyPath, Problem, Problems, Section, decimal_text

HERE = "publish_as"
ENDS = ("bottom", "top")


def is_share(end: Decimal) -> bool:
    """A bound strictly between 0 and 1 is a share of the people; any other is a number of the column."""
    return 0 < end < 1


class PublishAs(Section):
    """`round`: to multiples of it, half to even. `top`, `bottom`: everything beyond is published as the bound."""

    round: Annotated[Exact, Field(gt=0)] | None = None
    top: Exact | None = None
    bottom: Exact | None = None

    @property
    def ends(self) -> dict[str, Decimal]:
        """Those that are given."""
        return {key: end for key in ENDS if (end := getattr(self, key)) is not None}

    @property
    def numbers(self) -> dict[str, Decimal]:
        """The ends that are numbers of the column."""
        return {key: end for key, end in self.ends.items() if not is_share(end)}

    @property
    def declared(self) -> dict[str, str]:
        """Every key that is given, as it is written."""
        return {key: decimal_text(number) for key in ("round", *ENDS) if (number := getattr(self, key)) is not None}

    @property
    def form(self) -> NumberForm:
        """As far as it is known without the data."""
        step = None if self.round is None else exact(self.round)
        return NumberForm(step, **{key: exact(end) for key, end in self.numbers.items()})

    @model_validator(mode="after")
    def _makes_sense(self) -> PublishAs:
        if self.round is None and not self.ends:
            raise Problems([Problem((), "nothing", "round: 1000, top: 250000 or bottom: 1000; a top of 0.995 is a share")])
        problems = [
            Problem((key,), decimal_text(end), f"a multiple of {decimal_text(self.round)}, to which the numbers are rounded")
            for key, end in self.numbers.items()
            if self.round is not None and exact(end) % exact(self.round)
        ]
        alike = len(self.numbers) != 1  # a share says nothing of a number before the data is read
        if self.top is not None and self.bottom is not None and alike and self.bottom >= self.top:
            problems.append(Problem(("bottom",), decimal_text(self.bottom), f"less than top, {decimal_text(self.top)}"))
        if problems:
            raise Problems(problems)
        return self


def problems_of_column(
    wanted: PublishAs, whole: bool, domain: tuple[Decimal, Decimal] | None, nonsensitive: tuple[str | None, ...]
) -> Iterator[Problem]:
    """What the column's other keys do not go with."""
    given = {"round": wanted.round, **wanted.numbers}
    for key, number in given.items():
        if whole and number is not None and number % 1:
            yield Problem((HERE, key), f"{decimal_text(number)} with kind integer", "a whole number, or kind: number")
    for key, end in wanted.numbers.items():
        if domain is not None and not domain[0] < end < domain[1]:
            low, high = map(decimal_text, domain)
            yield Problem((HERE, key), decimal_text(end), f"a number inside the domain [{low}, {high}]: nobody is beyond this one")
    yield from _never_published(wanted, nonsensitive)


def _never_published(wanted: PublishAs, nonsensitive: tuple[str | None, ...]) -> Iterator[Problem]:
    here: KeyPath = ("nonsensitive",)
    for value in nonsensitive:
        if value is not None and (published := float(wanted.form.of([float(value)])[0])) != float(value):
            yield Problem(here, f"'{value}', which publish_as makes {published:g}", "a number as it is published")

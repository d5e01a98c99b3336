"""What identifying somebody costs: the policy's weights, and people's own (DEFINITIONS §7)."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import chain
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, PlainSerializer, Tag, model_validator

from policies.words.fields import Encoding, InputPath, NotNegative, Problem, Problems, Section, Separator, Text, decimal_text

FORBIDDEN = Decimal("Infinity")


def _weight(value: Any) -> Any:
    return FORBIDDEN if isinstance(value, str) and value.lower().lstrip("+") in (".inf", "inf", "infinity") else value


def _weight_text(weight: Decimal) -> str:
    return ".inf" if weight == FORBIDDEN else decimal_text(weight)


def _form(value: Any) -> str:
    return "never" if value == FORBIDDEN else "number"


# `.inf`: may be disclosed only where nobody can be identified.
WeightKey = Annotated[
    Annotated[
        Annotated[Decimal, Field(allow_inf_nan=True), PlainSerializer(_weight_text, return_type=str), Tag("never")]
        | Annotated[NotNegative, Tag("number")],
        Discriminator(_form),
    ],
    BeforeValidator(_weight),
]


class PairKey(Section):
    """What it costs more if two attributes are disclosed together."""

    of: tuple[Text, Text]
    weight: WeightKey

    @model_validator(mode="after")
    def _two(self) -> PairKey:
        if self.of[0] == self.of[1]:
            raise Problems([Problem(("of",), "an attribute with itself", "two attributes")])
        return self


class PeopleKey(Section):
    """Weights keyed by person: a table whose column `key` is an identifier of the policy. A column named as an attribute weighs that
    attribute for each person; a column `all` is the person's factor for everything."""

    path: InputPath
    key: Text
    separator: Separator = ","
    encoding: Encoding = "utf-8"


class SensitivityKey(Section):
    """What a record's disclosed cells cost. constant: 1. additive: the sum of their weights (Φ1, Φ3). count: their number (Φ2).
    interactions: the sum, and more for pairs (Φ4). multiplicative: e to the sum (Φ5).

    An attribute that is not named weighs nothing. `preference` names a dropped column that says how much each person minds: a factor on
    all of the person's weights."""

    form: Literal["constant", "additive", "count", "interactions", "multiplicative"] = "multiplicative"
    weights: dict[str, WeightKey] = {}
    pairs: tuple[PairKey, ...] = ()
    preference: Text | None = None
    people: PeopleKey | None = None

    @model_validator(mode="after")
    def _fits_the_form(self) -> SensitivityKey:
        problems = (*self._unfit_weights(), *self._unfit_people())
        if problems:
            raise Problems(problems)
        return self

    def _unfit_weights(self) -> Iterator[Problem]:
        weighs = self.form not in ("constant", "count")
        if weighs and not self.weights and self.people is None:
            yield Problem(("weights",), f"no weight with form {self.form}", "a weight for at least one attribute")
        if not weighs and self.weights:
            yield Problem(("weights",), f"'weights' with form {self.form}", "no 'weights'")
        if bool(self.pairs) is not (self.form == "interactions"):
            written = "'pairs'" if self.pairs else "no 'pairs'"
            yield Problem(("pairs",), f"{written} with form {self.form}", "'pairs' with form interactions, and only there")

    def _unfit_people(self) -> Iterator[Problem]:
        if self.form == "constant" and (self.preference or self.people):
            yield Problem(("form",), "people's own weights with form constant", "another form")
        if self.form == "count" and not (self.preference or self.people):
            accepted = "preference: COLUMN, people: {path, key}, or form additive"
            yield Problem(("form",), "form count without people's own weights", accepted)
        if self.preference is not None and self.people is not None:
            yield Problem(("preference",), "'preference' beside 'people'", "one of them; a column 'all' in the table is the same")

    @property
    def weighed(self) -> tuple[str, ...]:
        """Attributes that the policy's own weights name."""
        return tuple(dict.fromkeys(chain(self.weights, *(pair.of for pair in self.pairs))))

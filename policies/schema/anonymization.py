"""How a release is made: which tables the sensitive attributes go to, and how each table is anonymized."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator
from pydantic_core import PydanticKnownError

from headgate.methods import choice
from headgate.methods.method import Method
from policies.attackers.dictionary_key import SOURCE
from policies.gates.every_gate import keys_of
from policies.words.fields import Exact, Positive, Problem, Problems, Section, Share, Text, UniqueNames, choices, decimal_text


class ProjectionKey(Section):
    """`association_loss` bounds Γα and `join_threat` Γβ (DEFINITIONS §6). `tables` belongs to the method `given`."""

    method: Literal["codip*", "optimal", "single", "separate", "given"] = "codip*"
    association_loss: Share = Decimal("0.3")
    join_threat: Share = Decimal("0.3")
    tables: Annotated[tuple[Annotated[tuple[Text, ...], Field(min_length=1)], ...], Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _tables_when_given(self) -> ProjectionKey:
        if self.method == "given" and self.tables is None:
            raise Problems([Problem((), "method given without 'tables'", "tables: [[attribute, …], …]")])
        if self.method != "given" and self.tables is not None:
            raise Problems([Problem(("tables",), f"'tables' with method {self.method}", "'tables' only with method given")])
        return self


class DistanceKey(Section):
    """How sensitive attributes compose into Δ. A callable of the operator's list, "module:function", replaces the composition."""

    combine: Literal["lp", "min"] | None = None
    p: Annotated[Exact, Field(ge=1)] | None = None
    callable: Annotated[str, Field(pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*$")] | None = None

    @model_validator(mode="after")
    def _one_way(self) -> DistanceKey:
        if self.callable is not None and (self.combine is not None or self.p is not None):
            raise Problems([Problem(("callable",), "'callable' beside 'combine' or 'p'", "a callable alone, or combine and p")])
        if self.combine == "min" and self.p is not None:
            raise Problems([Problem(("p",), "'p' with combine: min", "'p' only with combine: lp")])
        return self


class Suppress(Section):
    """Rows may be left out, up to this share of the input, when the promise cannot be kept with all of them."""

    suppress: Share


class Relax(Section):
    """δ may be lowered, down to this, when the promise cannot be kept."""

    relax: Share


def _infeasible_form(value: Any) -> str | None:
    if isinstance(value, Suppress | Relax):
        return type(value).__name__.lower()
    if isinstance(value, Mapping):
        return next((key for key in ("suppress", "relax") if key in value), None)
    return "fail" if value == "fail" else None


Infeasible = Annotated[
    Annotated[Literal["fail"], Tag("fail")] | Annotated[Suppress, Tag("suppress")] | Annotated[Relax, Tag("relax")],
    Discriminator(
        _infeasible_form,
        custom_error_type="infeasible",
        custom_error_message="Input should be fail, {suppress: share of rows} or {relax: least δ}",
    ),
]


def _word_of(accepted: Callable[[], tuple[str, ...]]) -> AfterValidator:
    def check(word: str) -> str:
        if word not in accepted():
            raise PydanticKnownError("literal_error", {"expected": choices(map(repr, accepted()))})
        return word

    return AfterValidator(check)


class Anonymize(*keys_of("anonymize")):  # type: ignore[misc]
    """`method` and `variant` name a method of the science; `strict` and `objective` are options that only some methods have. k and what
    else is promised of groups are keys of gates."""

    method: Annotated[str, _word_of(choice.method_keys)] = "xcolor"
    variant: Annotated[str, _word_of(choice.variants)] | None = None
    strict: Annotated[bool, Field(strict=True)] | None = None
    distance: DistanceKey = DistanceKey()
    infeasible: Infeasible = "fail"
    suppression: Share | None = None
    objective: Literal["ncp", "discernibility", "arx"] | None = None
    series: Literal["sticky"] | None = None  # people who were published together stay together

    @model_validator(mode="after")
    def _fits_the_method(self) -> Anonymize:
        problems = self._of_other_methods()
        if isinstance(self.infeasible, Relax):
            # What a single attribute is promised by `each` is never weakened.
            if self.alone:
                found = "{relax: …} with an ε for each attribute alone"
                problems.append(Problem(("infeasible",), found, "fail or {suppress: …}: what one attribute is promised is not relaxed"))
            elif self.delta is None:
                problems.append(Problem(("infeasible",), "{relax: …} without a δ to relax", "epsilon and delta, or infeasible: fail"))
            elif self.infeasible.relax > self.delta:
                problems.append(
                    Problem(("infeasible", "relax"), decimal_text(self.infeasible.relax), f"at most delta, {decimal_text(self.delta)}")
                )
        if problems:
            raise Problems(problems)
        return self

    def _of_other_methods(self) -> list[Problem]:
        """Keys that the method does not have."""
        problems = [
            Problem((key,), f"'{key}' with method {self.method}", f"'{key}' only with method {choices(keys)}")
            for key, keys in self._owners().items()
        ]
        if self.infeasible != "fail" and choice.method_type(self.method).suppresses:
            problems.append(Problem(("infeasible",), f"'infeasible' with method {self.method}", "'suppression', a share of the rows"))
        if self.series is not None and self.variant in (None, *choice.variants(self.method)) and not self.chosen.keeps_groups:
            able = choices(dict.fromkeys(method.variant or method.key for method in choice.METHODS if method.keeps_groups))
            problems.append(Problem(("series",), f"series: {self.series} with method {self.method}", f"only with {able}"))
        return problems

    def _owners(self) -> dict[str, tuple[str, ...]]:
        """Of each key that the method does not have: the methods that do."""
        method, owners = choice.method_type(self.method), {}
        if self.variant is not None and self.variant not in choice.variants(self.method):
            owners["variant"] = tuple(other.key for other in choice.METHODS if other.variant == self.variant)
        for option in dict.fromkeys(option for other in choice.METHODS for option in choice.options_of(other)):
            if getattr(self, option, None) is not None and option not in choice.options_of(method):
                owners[option] = choice.method_keys(option)
        if self.suppression is not None and not method.suppresses:
            owners["suppression"] = tuple(other.key for other in choice.METHODS if other.suppresses)
        return owners

    @property
    def chosen(self) -> Method:
        """The method, with those of its options that are set."""
        method = choice.method_type(self.method, self.variant)
        own = {option: getattr(self, option, None) for option in choice.options_of(method)}
        return method(**{option: value for option, value in own.items() if value is not None})


class SuppressCells(Section):
    """MinRisk before anything is anonymized: of every record only the `keep` cells stay that risk least; the others are missing.

    `among`: the attributes it chooses from, all quasi-identifiers and sensitive attributes unless said otherwise. `dictionary`: the name of
    one of the disclosure gate's, or the source. Weights are the disclosure gate's."""

    keep: Positive
    among: UniqueNames | None = None
    dictionary: Text = SOURCE

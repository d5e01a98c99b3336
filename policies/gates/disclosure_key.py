"""What an attacker may hold and what identifying somebody costs: the policy's gate on disclosure risk (DEFINITIONS §7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, PlainSerializer, Tag, model_validator

from policies.gates.verdict import Comparison
from policies.words.fields import (
    Encoding,
    Exact,
    InputPath,
    NotNegative,
    Positive,
    Problem,
    Problems,
    Section,
    Separator,
    Share,
    Text,
    UniqueNames,
    decimal_text,
)

SOURCE = "source"  # the name of θ = T, what the released people themselves are in the source
PRIOR = "prior"  # the name of all dictionaries together, weighed by how likely the attacker holds each
MEAN, MAX, SHARE, CANDIDATES = "mean", "max", "share", "candidates"
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


class SqlKey(Section):
    """The database's address holds a password, so the policy names the environment variable it is in."""

    url_env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
    query: Text


def _shared_form(value: Any) -> str:
    return "named" if isinstance(value, Mapping) else "same"


def _one_to_one(columns: dict[str, str]) -> dict[str, str]:
    if not columns or len(set(columns.values())) != len(columns):
        raise Problems([Problem((), "no field, or a column of the dictionary named twice", "each attribute with a column of its own")])
    return columns


SharedKey = Annotated[
    Annotated[UniqueNames, Tag("same")] | Annotated[dict[Text, Text], AfterValidator(_one_to_one), Tag("named")],
    Discriminator(_shared_form),
]
FORMS = ("path", "sql", "marginals", "source")


class DictionaryKey(Section):
    """What one attacker may hold: a register with one row per person (a file, or the result of a query); published frequency tables,
    taken for independent (`marginals`); or the source itself (`source: true`).

    `on`: the attributes it shares with the release, by their names here, or attribute: column where it names them otherwise. `key`: the
    column that says who a row is, needed only where dictionaries are compared. `prior`: how likely the attacker holds this one.
    `separator` and `encoding`: how a CSV is written."""

    name: Text | None = None
    path: InputPath | None = None
    sql: SqlKey | None = None
    marginals: InputPath | None = None
    source: Literal[True] | None = None
    on: SharedKey | None = None
    key: Text | None = None
    separator: Separator = ","
    encoding: Encoding = "utf-8"
    similar: dict[str, Annotated[Exact, Field(gt=0, le=1)]] = {}
    individuals: Positive | None = None
    prior: Share | None = None

    @model_validator(mode="after")
    def _one_form(self) -> DictionaryKey:
        forms = [form for form in FORMS if getattr(self, form) is not None]
        if len(forms) != 1:
            written = "a dictionary without its content" if not forms else f"{' and '.join(forms)} in one dictionary"
            raise Problems([Problem((), written, "one of path: FILE, sql: {url_env, query}, marginals: FILE or source: true")])
        problems = tuple(self._unfit(forms[0]))
        if problems:
            raise Problems(problems)
        return self

    def _unfit(self, form: str) -> Iterator[Problem]:
        """Keys that a dictionary of this form lacks or does not have."""
        if self.on is None and form != "source":
            yield Problem((), "a dictionary without shared attributes", "on: [attribute, …]")
        if form == "source" and isinstance(self.on, Mapping):
            yield Problem(("on",), "columns named for the source", "on: [attribute, …], or nothing for all quasi-identifiers")
        owners = {"key": ("path", "sql"), "similar": ("path", "sql"), "individuals": ("marginals",)}
        for key, accepted in owners.items():
            if getattr(self, key) and form not in accepted:
                yield Problem((key,), f"'{key}' with {form}", f"'{key}' only with {' or '.join(accepted)}")
        for name in self.similar:
            if name not in self.fields:
                yield Problem(("similar", name), f"'{name}', which is not shared", "an attribute named under 'on'")

    @property
    def called(self) -> str:
        if self.name is not None:
            return self.name
        return self.path or self.marginals or (SOURCE if self.sql is None else f"query {self.sql.url_env}")

    @property
    def file(self) -> tuple[str, str] | None:
        """The key that names a file, and the file."""
        return next(((form, path) for form in ("path", "marginals") if (path := getattr(self, form)) is not None), None)

    @property
    def fields(self) -> tuple[str, ...]:
        """The shared attributes by their names in the policy. The source has none listed, which means all quasi-identifiers."""
        return tuple(self.on or ())

    @property
    def columns(self) -> Mapping[str, str]:
        """Attribute → column of the dictionary."""
        return self.on if isinstance(self.on, dict) else {name: name for name in self.fields}


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


@dataclass(frozen=True)
class DisclosureBound:
    """What the gate requires against each dictionary by itself."""

    name: str
    required: Decimal | int

    @property
    def comparison(self) -> Comparison:
        return compared(self.name)

    def holds(self, figure: float | None) -> bool:
        """What could not be measured does not hold."""
        return figure is not None and self.comparison.holds(figure, float(self.required))


def compared(bound: str) -> Comparison:
    return Comparison.AT_LEAST if bound == CANDIDATES else Comparison.AT_MOST


class ShareKey(Section):
    """At most this share of the records may carry a larger loss than `above`."""

    above: NotNegative
    at_most: Share


class DisclosureKey(Section):
    """Bounds on the risk R = mean ℓ, on the largest ℓ, on the share of records above a loss, and on the fewest candidates of a record,
    against each dictionary; with priors, `mean` bounds the expectation over the dictionaries instead.

    Without dictionaries the attacker knows every input row's quasi-identifiers (θ = T). Without a sensitivity every record costs 1, so
    that ℓ is 1/|ρ|."""

    dictionaries: tuple[DictionaryKey, ...] = ()
    sensitivity: SensitivityKey | None = None
    mean: NotNegative | None = None
    max: NotNegative | None = None
    share: ShareKey | None = None
    min_candidates: Positive | None = None

    @model_validator(mode="after")
    def _bounds_something(self) -> DisclosureKey:
        if all(bound is None for bound in (self.mean, self.max, self.share, self.min_candidates)):
            raise Problems([Problem((), "a disclosure gate without a bound", "mean: …, max: …, share: …, min_candidates: … or several")])
        problems = [Problem(("dictionaries",), written, accepted) for written, accepted in (*self._unfit_names(), *self._unfit_priors())]
        if problems:
            raise Problems(problems)
        return self

    def _unfit_names(self) -> Iterator[tuple[str, str]]:
        names = [dictionary.called for dictionary in self.dictionaries]
        if len(set(names)) != len(names):
            yield "two dictionaries with the same name", "each file once, or a 'name' for each"
        if PRIOR in names:
            yield f"a dictionary called '{PRIOR}'", "another name"
        if any(dictionary.called == SOURCE and not dictionary.source for dictionary in self.dictionaries):
            yield f"a dictionary called '{SOURCE}' that is not the source", "another name"

    def _unfit_priors(self) -> Iterator[tuple[str, str]]:
        priors = [dictionary.prior for dictionary in self.dictionaries if dictionary.prior is not None]
        if priors and len(priors) != len(self.dictionaries):
            yield f"a prior for {len(priors)} of {len(self.dictionaries)}", "a prior for each, or for none"
        elif priors and sum(priors) != 1:
            yield f"priors that sum to {decimal_text(sum(priors, Decimal(0)))}", "priors that sum to 1"
        if priors and self.mean is None:
            yield "priors without a bound that uses them", "mean: …, which bounds the expectation"

    @property
    def all_dictionaries(self) -> tuple[DictionaryKey, ...]:
        """Without any the attacker holds the source itself (θ = T)."""
        return self.dictionaries or (DictionaryKey(source=True),)

    @property
    def bounds(self) -> tuple[DisclosureBound, ...]:
        """Where priors say how likely each dictionary is, `mean` bounds their expectation instead."""
        limits = {
            MEAN: None if self.by_prior else self.mean,
            MAX: self.max,
            SHARE: None if self.share is None else self.share.at_most,
            CANDIDATES: self.min_candidates,
        }
        return tuple(DisclosureBound(name, required) for name, required in limits.items() if required is not None)

    @property
    def by_prior(self) -> bool:
        return any(dictionary.prior is not None for dictionary in self.dictionaries)

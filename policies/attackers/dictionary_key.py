"""What one attacker may hold: the policy's entry for a dictionary (DEFINITIONS §7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator

from policies.words.fields import Encoding, Exact, InputPath, Positive, Problem, Problems, Section, Separator, Share, Text, UniqueNames

SOURCE = "source"  # the name of θ = T, what the released people themselves are in the source


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

"""One attribute of a policy: its role, its kind, and what that kind needs (DEFINITIONS §1)."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

from headgate.core.columns import Kind, Role
from headgate.core.computed_hierarchies import NESTED, nested
from headgate.core.scale import Scale
from policies.schema.intake_keys import IntakeKeys
from policies.schema.intake_problems import problems_of_intake
from policies.schema.publish_as import PublishAs, problems_of_column
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
    Text,
    UniqueNames,
    UniqueTexts,
    ValueText,
    choices,
    decimal_text,
)

KINDS_OF = {
    Role.QUASI: tuple(kind for kind in Kind if kind.rules.single),
    Role.SENSITIVE: tuple(Kind),
    Role.INSENSITIVE: tuple(kind for kind in Kind if kind.rules.insensitive),
    Role.WEIGHT: (Kind.NUMBER, Kind.INTEGER),
}
KEYS_OF_ORIGINS = ("date", "domain", "map", "unmapped")  # of a dropped attribute from which another one is made
KEYS_OF_ROLE = {
    Role.SENSITIVE: {"nonsensitive", "weight", "absent", "publish_as", "scale", "unique", "changes"},
    Role.INSENSITIVE: {"table", "unique"},
    Role.WEIGHT: {"publish_as", "table", "unique"},
}
UNPUBLISHED = (Role.IDENTIFIER, Role.HOUSEHOLD, Role.DROPPED)
WHOLE_PEOPLE = PublishAs(round=Decimal(1))  # how weights are published if nothing else is said


class Widths(Section):
    """Intervals of whole numbers, or bands of years over dates. Each width is a multiple of the one before: value → 5 → 10 → *."""

    widths: Annotated[tuple[Positive, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _nest(self) -> Widths:
        if not nested(self.widths):
            raise Problems([Problem(("widths",), f"{list(self.widths)}", NESTED)])
        return self


MOST_MASKED = 64  # levels of a hierarchy that is computed for every text


class Mask(Section):
    """A text is masked from the right, one more character per level."""

    mask: Annotated[Positive, Field(le=MOST_MASKED)]


class ValuesFrom(Section):
    """The accepted values are the distinct ones in column `key` of the table at `path`."""

    path: InputPath
    key: Text
    separator: Separator = ","
    encoding: Encoding = "utf-8"


def _hierarchy_form(value: Any) -> str | None:
    if isinstance(value, Widths | Mask):
        return type(value).__name__.lower()
    if isinstance(value, Mapping):
        return "widths" if "widths" in value else "mask" if "mask" in value else None
    return "path" if isinstance(value, str) else None


def _day(text: str) -> str:
    try:
        return datetime.date.fromisoformat(text).isoformat()
    except ValueError:
        raise PydanticCustomError("bound", "Input should be a number, or a day written YYYY-MM-DD") from None


def _is_day(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value) is not None


HierarchyKey = Annotated[
    Annotated[InputPath, Tag("path")] | Annotated[Widths, Tag("widths")] | Annotated[Mask, Tag("mask")],
    Discriminator(
        _hierarchy_form,
        custom_error_type="hierarchy",
        custom_error_message="Input should be the path of a file (leaf;…;root, one per line), {widths: [5, 10]} or {mask: 2}",
    ),
]
ValuesKey = Annotated[
    Annotated[InputPath, Tag("path")] | Annotated[UniqueTexts, Tag("list")],
    Discriminator(
        lambda value: "path" if isinstance(value, str) else "list" if isinstance(value, list | tuple) else None,
        custom_error_type="values",
        custom_error_message="Input should be a list of values, or the path of a code list",
    ),
]
Bound = Annotated[
    Annotated[str, AfterValidator(_day), Tag("day")] | Annotated[Exact, Tag("number")],
    Discriminator(lambda value: "day" if _is_day(value) else "number"),
]


class Attribute(IntakeKeys):
    role: Role
    kind: Kind | None = None
    domain: tuple[Bound, Bound] | None = None
    levels: UniqueTexts | None = None
    hierarchy: HierarchyKey | None = None
    separator: Text | None = None
    values: ValuesKey | None = None
    values_from: ValuesFrom | None = None
    nonsensitive: tuple[ValueText | None, ...] = ()
    absent: Literal["sensitive", "nonsensitive"] | None = None
    weight: NotNegative | None = None
    columns: UniqueNames | None = None
    distance: Literal["total-variation", "lp", "min"] | None = None
    publish_as: PublishAs | None = None
    scale: Scale | None = None
    unique: Literal["accepted"] | None = None
    changes: bool = Field(default=False, strict=True)
    table: Positive | None = None
    guess: bool = Field(default=False, strict=True)

    @model_validator(mode="after")
    def _makes_sense(self) -> Attribute:
        problems = _role_and_kind(self) or [*_keys_of_kind(self), *_contents(self)]
        if problems:
            raise Problems(problems)
        return self

    @property
    def published(self) -> bool:
        return self.role not in UNPUBLISHED

    @property
    def as_published(self) -> PublishAs | None:
        """How its numbers are published: as the policy says, and weights at least rounded to whole people."""
        return WHOLE_PEOPLE if self.role is Role.WEIGHT and self.publish_as is None else self.publish_as

    @property
    def is_set(self) -> bool:
        return self.kind is not None and "empty" in self.kind.rules.keys

    @property
    def level_names(self) -> tuple[str, ...] | None:
        """Lowest first, where the policy lists levels or bands."""
        return self.levels if self.bands is None else self.bands.names

    @property
    def listed_values(self) -> tuple[str, ...] | None:
        """The accepted values where the policy itself lists them, not a file."""
        if self.kind is not None and "levels" in self.kind.rules.keys:
            return self.level_names
        return self.values if isinstance(self.values, tuple) else None

    def source_columns(self, name: str) -> tuple[str, ...]:
        """Those that the source has for it."""
        return () if self.origin is not None else self.read_columns(name)

    def read_columns(self, name: str) -> tuple[str, ...]:
        """Those of its cells, once they are read as the policy says."""
        return self.columns if self.columns is not None else (name,)


def _given(attribute: Attribute) -> list[str]:
    """Keys that say something of the values; `role`, `kind` and `guess` fit everywhere."""
    fields = type(attribute).model_fields
    return [key for key in fields if key not in ("role", "kind", "guess") and getattr(attribute, key) != fields[key].default]


def _role_and_kind(attribute: Attribute) -> list[Problem]:
    role, kind = attribute.role, attribute.kind
    if not attribute.published:
        fit = KEYS_OF_ORIGINS if role is Role.DROPPED else ()
        extra = [key for key in ("kind", *_given(attribute)) if getattr(attribute, key) and key not in fit]
        return [Problem((key,), f"'{key}' on an attribute that is never published", f"only role: {role}") for key in extra]
    if kind is None:
        return [Problem((), f"no kind for a {role} attribute", "kind: " + choices(KINDS_OF[role]))]
    if kind not in KINDS_OF[role]:
        what = "a quasi-identifier" if role is Role.QUASI else role
        why = f"a {kind} cannot be {what}: make it sensitive, or drop it"
        return [Problem(("kind",), f"{kind} as {role}", f"{choices(KINDS_OF[role])}; {why}")]
    return []


def _keys_of_kind(attribute: Attribute) -> list[Problem]:
    kind = attribute.kind
    if kind is None:
        return []
    lacking = [key for key in kind.rules.required if getattr(attribute, key) is None and not (key == "levels" and attribute.bands)]
    required = [Problem((), f"kind {kind} without '{key}'", f"{key}: […]") for key in lacking]
    return [*_keys_of_others(attribute, kind), *required, *_values(attribute, kind)]


def _keys_of_others(attribute: Attribute, kind: Kind) -> list[Problem]:
    """Keys that belong to other kinds or roles."""
    role = attribute.role
    of_kind, of_role = kind.rules.keys, KEYS_OF_ROLE.get(role, set())
    problems = []
    for key in _given(attribute):
        kinds = [other for other in Kind if key in other.rules.keys]
        roles = [other for other in Role if key in KEYS_OF_ROLE.get(other, set())]
        if kinds and key not in of_kind:
            problems.append(Problem((key,), f"'{key}' with kind {kind}", f"'{key}' only with kind {choices(kinds)}"))
        elif roles and key not in of_role:
            problems.append(Problem((key,), f"'{key}' with role {role}", f"'{key}' only with role {choices(roles)}"))
    return problems


def _values(attribute: Attribute, kind: Kind) -> list[Problem]:
    """Where the accepted values come from."""
    problems = []
    if kind is Kind.SET and attribute.role is Role.SENSITIVE and attribute.values is None and attribute.values_from is None:
        problems.append(
            Problem(
                (), "a sensitive set without its values", "values: […], values: PATH or values_from: {path, key}, as they become columns"
            )
        )
    if attribute.values is not None and attribute.values_from is not None:
        problems.append(Problem(("values_from",), "both 'values' and 'values_from'", "one of them"))
    return problems


def _contents(attribute: Attribute) -> list[Problem]:
    kind = attribute.kind
    of_kind = [] if kind is None else [*_hierarchy(attribute, kind), *_nonsensitive(attribute, kind), *_columns(attribute)]
    return [*_domain(attribute), *of_kind, *_publish_as(attribute), *_scale(attribute), *_intake(attribute)]


def _intake(attribute: Attribute) -> Iterator[Problem]:
    listed = None if attribute.bands is not None else attribute.listed_values
    return problems_of_intake(attribute, attribute.kind, attribute.domain, attribute.levels is not None, listed)


def _publish_as(attribute: Attribute) -> Iterator[Problem]:
    kind, wanted = attribute.kind, attribute.publish_as
    if kind is None or wanted is None or not kind.numeric:
        return
    if attribute.role is Role.WEIGHT and wanted.ends:
        said = f"'{next(iter(wanted.ends))}' of a weight"
        yield Problem(("publish_as",), said, "{round: 1}: totals need every weight, so none is cut off")
    readable = tuple(value for value in attribute.nonsensitive if value is None or _is_point(value, kind))
    low, high = attribute.domain or (None, None)
    domain = (low, high) if isinstance(low, Decimal) and isinstance(high, Decimal) and low <= high else None
    yield from problems_of_column(wanted, kind.rules.whole, domain, readable)


def _scale(attribute: Attribute) -> Iterator[Problem]:
    """Ratios need numbers above 0, as they are published: a domain that says so, or a bound below which nothing is published."""
    if attribute.scale is not Scale.LOG or attribute.kind is None or "scale" not in attribute.kind.rules.keys:
        return
    if attribute.domain is None or not all(isinstance(end, Decimal) for end in attribute.domain):
        yield Problem(("scale",), "scale: log without a domain", "domain: [least, greatest], above 0")
        return
    ends = [float(end) for end in attribute.domain]
    low = ends[0] if attribute.publish_as is None else float(attribute.publish_as.form.of(ends)[0])
    if low <= 0:
        wanted = (
            "a domain that begins above 0 once it is rounded; or publish_as: {bottom: 1} or more, as which everything below is published"
        )
        share = (
            attribute.publish_as is not None and attribute.publish_as.bottom is not None and not attribute.publish_as.numbers.get("bottom")
        )
        told = "; a bottom below 1 is a share of the people, so nobody knows beforehand which number it is" if share else ""
        yield Problem(("scale",), "scale: log with a domain that is published from 0 or below", wanted + told)


def _hierarchy(attribute: Attribute, kind: Kind) -> list[Problem]:
    problems, hierarchy = [], attribute.hierarchy
    if isinstance(hierarchy, Widths) and not (kind.rules.whole and "widths" in kind.rules.described):
        problems.append(Problem(("hierarchy",), f"widths with kind {kind}", "widths only on kind integer, or on kind date for years"))
    if isinstance(hierarchy, str) and kind.rules.calendar:
        problems.append(Problem(("hierarchy",), f"a file with kind {kind}", "{widths: [5, 10]}, the years in each level above the year"))
    if isinstance(hierarchy, Mask) and "mask" not in kind.rules.described:
        problems.append(Problem(("hierarchy",), f"a mask with kind {kind}", "a mask only on kind category"))
    if hierarchy is not None and not kind.rules.levels_above and attribute.role is not Role.QUASI:
        what = f"a hierarchy with role {attribute.role} and kind {kind}"
        problems.append(Problem(("hierarchy",), what, "kind: category; other kinds are compared by value"))
    return problems


def _nonsensitive(attribute: Attribute, kind: Kind) -> list[Problem]:
    problems = []
    if len(set(attribute.nonsensitive)) != len(attribute.nonsensitive):
        problems.append(Problem(("nonsensitive",), "a value listed twice", "each value once"))
    listed = attribute.listed_values
    if listed is not None:
        unknown = [value for value in attribute.nonsensitive if value is not None and value not in listed]
        problems += [Problem(("nonsensitive",), f"'{value}', which is not among the values", choices(listed, value)) for value in unknown]
    if kind.numeric:
        problems += [
            Problem(("nonsensitive",), f"'{value}'", "a day written YYYY-MM-DD" if _dated(kind) else "a number")
            for value in attribute.nonsensitive
            if value is not None and not _is_point(value, kind)
        ]
    if kind.rules.components and any(value is not None for value in attribute.nonsensitive):
        problems.append(Problem(("nonsensitive",), f"values of a {kind}", "[null] or nothing"))
    return problems


def _columns(attribute: Attribute) -> list[Problem]:
    if attribute.columns is not None and len(attribute.columns) < 2 and attribute.distance in (None, "total-variation"):
        return [Problem(("columns",), "one column", "at least two columns for total variation, or distance: lp")]
    return []


def _is_point(value: str, kind: Kind) -> bool:
    try:
        return _is_day(value) and bool(_day(value)) if _dated(kind) else Decimal(value).is_finite()
    except (ValueError, ArithmeticError):
        return False


def _dated(kind: Kind) -> bool:
    return kind.rules.storage == "date"


def _domain(attribute: Attribute) -> list[Problem]:
    if attribute.domain is None or (attribute.kind is None and attribute.role is not Role.DROPPED):
        return []
    low, high = attribute.domain
    dated = attribute.kind is None or _dated(attribute.kind)
    wanted = "[first day, last day] as YYYY-MM-DD" if dated else "[least, greatest] as numbers"
    if isinstance(low, str) is not dated or isinstance(high, str) is not dated:
        return [Problem(("domain",), "ends of another kind", wanted)]
    if isinstance(low, Decimal) and isinstance(high, Decimal):
        if attribute.kind is not None and attribute.kind.rules.whole and (low % 1 or high % 1):
            return [Problem(("domain",), f"[{decimal_text(low)}, {decimal_text(high)}]", "whole numbers")]
        return [Problem(("domain",), f"[{decimal_text(low)}, {decimal_text(high)}]", "the least value first")] if low > high else []
    return [Problem(("domain",), f"[{low}, {high}]", "the first day first")] if str(low) > str(high) else []

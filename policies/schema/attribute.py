"""One attribute of a policy: its role, its kind, and what that kind needs (DEFINITIONS §1)."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

from headgate.core.columns import Kind, Role
from headgate.core.computed_hierarchies import NESTED, nested
from policies.words.fields import (
    Exact,
    InputPath,
    NotNegative,
    Positive,
    Problem,
    Problems,
    Section,
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
}
KEYS_OF_ROLE = {Role.SENSITIVE: {"nonsensitive", "weight", "absent"}, Role.INSENSITIVE: {"table"}}


class Widths(Section):
    """Intervals of whole numbers, each width a multiple of the one before: value → 5 → 10 → *."""

    widths: Annotated[tuple[Positive, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _nest(self) -> Widths:
        if not nested(self.widths):
            raise Problems([Problem(("widths",), f"{list(self.widths)}", NESTED)])
        return self


class Mask(Section):
    """A text is masked from the right, one more character per level."""

    mask: Positive


class ValuesFrom(Section):
    """The accepted values are the distinct ones in column `key` of the table at `path`."""

    path: InputPath
    key: Text


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


class Attribute(Section):
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
        return self.role not in (Role.IDENTIFIER, Role.DROPPED)

    @property
    def listed_values(self) -> tuple[str, ...] | None:
        """The accepted values where the policy itself lists them, not a file."""
        if self.kind is not None and "levels" in self.kind.rules.keys:
            return self.levels
        return self.values if isinstance(self.values, tuple) else None

    def source_columns(self, name: str) -> tuple[str, ...]:
        return self.columns if self.columns is not None else (name,)


def _given(attribute: Attribute) -> list[str]:
    """Keys that say something of the values; `role`, `kind` and `guess` fit everywhere."""
    fields = type(attribute).model_fields
    return [key for key in fields if key not in ("role", "kind", "guess") and getattr(attribute, key) != fields[key].default]


def _role_and_kind(attribute: Attribute) -> list[Problem]:
    role, kind = attribute.role, attribute.kind
    if not attribute.published:
        extra = [key for key in ("kind", *_given(attribute)) if getattr(attribute, key)]
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
    required = [
        Problem((), f"kind {kind} without '{key}'", f"{key}: […]") for key in kind.rules.required if getattr(attribute, key) is None
    ]
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
    return [*_domain(attribute), *of_kind]


def _hierarchy(attribute: Attribute, kind: Kind) -> list[Problem]:
    problems, hierarchy = [], attribute.hierarchy
    if isinstance(hierarchy, Widths) and not (kind.rules.whole and "widths" in kind.rules.described):
        problems.append(Problem(("hierarchy",), f"widths with kind {kind}", "widths only on kind integer"))
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
    if attribute.domain is None or attribute.kind is None:
        return []
    low, high = attribute.domain
    dated = _dated(attribute.kind)
    wanted = "[first day, last day] as YYYY-MM-DD" if dated else "[least, greatest] as numbers"
    if isinstance(low, str) is not dated or isinstance(high, str) is not dated:
        return [Problem(("domain",), "ends of another kind", wanted)]
    if isinstance(low, Decimal) and isinstance(high, Decimal):
        if attribute.kind.rules.whole and (low % 1 or high % 1):
            return [Problem(("domain",), f"[{decimal_text(low)}, {decimal_text(high)}]", "whole numbers")]
        return [Problem(("domain",), f"[{decimal_text(low)}, {decimal_text(high)}]", "the least value first")] if low > high else []
    return [Problem(("domain",), f"[{low}, {high}]", "the first day first")] if str(low) > str(high) else []

"""`rows`: how several rows of a person become one. What is not said here must be the same in all rows of a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, ConfigDict

from headgate.core.columns import Kind, Role
from policies.words.fields import KeyPath, Problem, Section, Text, UniqueNames, choices

if TYPE_CHECKING:
    from policies.schema.policy import Policy


class Rule(StrEnum):
    UNION = "union"
    FIRST = "first"
    LAST = "last"
    MIN = "min"
    MAX = "max"
    SUM = "sum"
    COUNT = "count"
    MODE = "mode"


NUMBERS = (Kind.NUMBER, Kind.INTEGER)
KINDS_OF_RULE: Mapping[Rule, tuple[Kind, ...]] = {
    Rule.UNION: (Kind.SET,),
    Rule.FIRST: tuple(Kind),
    Rule.LAST: tuple(Kind),
    Rule.MIN: (*NUMBERS, Kind.DATE, Kind.ORDINAL),
    Rule.MAX: (*NUMBERS, Kind.DATE, Kind.ORDINAL),
    Rule.SUM: NUMBERS,
    Rule.COUNT: NUMBERS,
    Rule.MODE: tuple(kind for kind in Kind if kind not in (Kind.SET, Kind.VECTOR)),
}
IN_ORDER = (Rule.FIRST, Rule.LAST)
ORDERED = (*NUMBERS, Kind.DATE, Kind.ORDINAL)


def _names(written: Any) -> Any:
    return [written] if isinstance(written, str) else written


class RowsKey(Section):
    """`per`: the identifier of a person. `order`: the columns by which rows of a person are first and last; the second decides where the
    first is equal. Every other key is an attribute, with its rule."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Rule]

    per: Text
    order: Annotated[UniqueNames, BeforeValidator(_names)] | None = None

    @property
    def rules(self) -> dict[str, Rule]:
        return dict(self.__pydantic_extra__)

    def said_of(self, name: str) -> str:
        """How a published column was made, as a sentence of the data dictionary."""
        rule = self.rules.get(name)
        by = f" in the order of {' and '.join(self.order or ())}" if rule in IN_ORDER else ""
        what = SENTENCES[rule] if rule is not None else "It is the same in all rows of a person."
        return what.replace("ORDER", by)


SENTENCES: Mapping[Rule, str] = {
    Rule.UNION: "All values of a person's rows.",
    Rule.FIRST: "The first present value of a person's rowsORDER.",
    Rule.LAST: "The last present value of a person's rowsORDER.",
    Rule.MIN: "The least value of a person's rows.",
    Rule.MAX: "The greatest value of a person's rows.",
    Rule.SUM: "The sum of a person's rows; missing if one of them is missing.",
    Rule.COUNT: "How many rows a person has; if the source has such a column, how many cells of it are not missing.",
    Rule.MODE: "The most frequent value of a person's rows; of several, the smallest.",
}


def problems_of_rows(policy: Policy) -> Iterator[Problem]:
    rows = policy.rows
    if rows is None:
        return
    here: KeyPath = ("rows",)
    identifiers = policy.named(Role.IDENTIFIER)
    if rows.per not in identifiers:
        accepted = choices(identifiers, rows.per) or "an attribute with role: identifier, of which the policy has none"
        yield Problem((*here, "per"), f"'{rows.per}', which is not an identifier", accepted)
    for name in rows.order or ():
        yield from _order(policy, rows, name)
    in_order = [name for name, rule in rows.rules.items() if rule in IN_ORDER]
    if in_order and rows.order is None:
        found = f"'{rows.rules[in_order[0]]}' for '{in_order[0]}' without an order"
        yield Problem((*here, in_order[0]), found, "order: COLUMN, by which a person's rows are first and last")
    if rows.order is not None and not in_order:
        yield Problem((*here, "order"), "an order that no rule needs", "first or last for some attribute, or no order")
    for name, rule in rows.rules.items():
        yield from _rule(policy, (*here, name), name, rule)


def _order(policy: Policy, rows: RowsKey, name: str) -> Iterator[Problem]:
    here: KeyPath = ("rows", "order")
    attribute = policy.attributes.get(name)
    if attribute is None:
        yield Problem(here, f"'{name}', which is not an attribute", choices(policy.attributes, name))
    elif name == rows.per or rows.rules.get(name) is Rule.COUNT:
        yield Problem(
            here, f"'{name}', by which rows cannot be ordered", "a column that differs from row to row, such as the day of a visit"
        )
    elif attribute.kind is not None and attribute.kind not in ORDERED:
        yield Problem(here, f"'{name}', which is of kind {attribute.kind}", f"a column of kind {choices(ORDERED)}, or a dropped one")


def _rule(policy: Policy, here: KeyPath, name: str, rule: Rule) -> Iterator[Problem]:
    attribute = policy.attributes.get(name)
    published = [other for other, its in policy.attributes.items() if its.published]
    if attribute is None or not attribute.published:
        what = "which is not published" if attribute is not None else "which is not an attribute"
        yield Problem(here, f"a rule for '{name}', {what}", choices(published, name))
    elif attribute.kind is not None and attribute.kind not in KINDS_OF_RULE[rule]:
        fitting = [other for other, kinds in KINDS_OF_RULE.items() if attribute.kind in kinds]
        yield Problem(here, f"'{rule}' for '{name}', which is of kind {attribute.kind}", choices(fitting))

"""Conditions on the columns of one published table, as people write them: age >= 40 and region in (north, "south west").

    condition   column == value · != · < · <= · > · >= · in (a, b) · not in (a, b) · is missing · is not missing · has value
    conditions  condition and condition and …

Names and values with blanks, quotes, commas, brackets or the signs = < > ! stand in quotes, single or double; a quote inside is written
twice. `diagnosis has asthma` asks for 1 in the column diagnosis=asthma. Nothing of it is ever run as code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from headgate.core.columns import BIT
from headgate.core.errors import InputRejected

LONGEST = 100_000
OPERATORS = {"=": "==", "==": "==", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", "≤": "<=", ">": ">", ">=": ">=", "≥": ">="}
COMPARED = ("<", "<=", ">", ">=")
CURE = "Write such as: age >= 40 and region in (north, south). Put names and values with blanks or signs in quotes."
_TOKEN = re.compile(
    r"""\s*(?:(?P<double>"(?:[^"]|"")*")|(?P<single>'(?:[^']|'')*')|(?P<sign>==|!=|<>|<=|>=|[=<>≤≥(),])|(?P<word>[^\s"'(),=<>!≤≥]+))"""
)


@dataclass(frozen=True)
class Condition:
    """`operator` is one of ==, !=, <, <=, >, >=, in, not in, is missing, is not missing, has; `values` as they were written."""

    column: str
    operator: str
    values: tuple[str, ...] = ()


def plain_column(condition: Condition) -> str:
    """The column that is asked: `diagnosis has asthma` is about diagnosis=asthma."""
    return f"{condition.column}{BIT}{condition.values[0]}" if condition.operator == "has" else condition.column


@dataclass(frozen=True)
class _Token:
    text: str
    quoted: bool
    sign: bool

    def word(self, *words: str) -> bool:
        return not self.quoted and not self.sign and self.text.lower() in words


def parse_conditions(text: str) -> tuple[Condition, ...]:
    """InputRejected where it is not a list of conditions. The empty text is no condition."""
    tokens = _Tokens(_split(text))
    conditions: list[Condition] = []
    while tokens.more:
        if conditions:
            joined = tokens.take("'and'")
            if joined.word("or"):
                raise InputRejected(
                    "Conditions are joined by 'or'.", "Join them by 'and'; for several values of a column write: in (a, b)."
                )
            if not joined.word("and"):
                raise _refused("between two conditions, where 'and' is expected")
        conditions.append(_condition(tokens))
    return tuple(conditions)


class _Tokens:
    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._next = 0

    @property
    def more(self) -> bool:
        return self._next < len(self._tokens)

    def take(self, expected: str) -> _Token:
        if not self.more:
            raise _refused(f"at its end, where {expected} is expected")
        self._next += 1
        return self._tokens[self._next - 1]

    def peek(self, *words: str) -> bool:
        return self.more and self._tokens[self._next].word(*words)

    def value(self, expected: str) -> str:
        token = self.take(expected)
        if token.sign or token.word("and", "or"):
            raise _refused(f"at '{token.text}', where {expected} is expected")
        return token.text


def _condition(tokens: _Tokens) -> Condition:
    column = tokens.value("the name of a column")
    operator = tokens.take("a comparison")
    if operator.sign and operator.text in OPERATORS:
        return Condition(column, OPERATORS[operator.text], (tokens.value("a value"),))
    if operator.word("has"):
        return Condition(column, "has", (tokens.value("a value"),))
    if operator.word("in"):
        return Condition(column, "in", _list(tokens))
    if operator.word("not") and tokens.peek("in"):
        tokens.take("in")
        return Condition(column, "not in", _list(tokens))
    if operator.word("is"):
        negated = tokens.peek("not")
        if negated:
            tokens.take("not")
        if tokens.take("'missing'").word("missing"):
            return Condition(column, "is not missing" if negated else "is missing")
    raise _refused(f"after '{column}', where a comparison is expected")


def _list(tokens: _Tokens) -> tuple[str, ...]:
    if tokens.take("'('").text != "(":
        raise _refused("after 'in', where '(' is expected")
    values = [tokens.value("a value")]
    while True:
        sign = tokens.take("',' or ')'")
        if sign.sign and sign.text == ")":
            return tuple(values)
        if not sign.sign or sign.text != ",":
            raise _refused("in a list, where ',' or ')' is expected")
        values.append(tokens.value("a value"))


def _split(text: str) -> list[_Token]:
    if len(text) > LONGEST:
        raise InputRejected(f"The conditions have more than {LONGEST:,} characters.", "Ask for less at once.")
    tokens, place = [], 0
    while text[place:].strip():
        found = _TOKEN.match(text, place)
        if found is None:
            raise _refused(f"at character {len(text) - len(text[place:].lstrip()) + 1}")
        place, kind, part = found.end(), found.lastgroup or "", found[found.lastgroup or 0]
        quoted = kind in ("double", "single")
        tokens.append(_Token(part[1:-1].replace(part[0] * 2, part[0]) if quoted else part, quoted, kind == "sign"))
    return tokens


def _refused(where: str) -> InputRejected:
    return InputRejected(f"The condition cannot be read {where}.", CURE)

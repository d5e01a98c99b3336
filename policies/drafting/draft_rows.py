"""`rows` of a draft, where people have several rows: by which identifier, in which order, and a first rule for each column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from headgate.core.columns import Kind, Role
from policies.drafting.column_roles import Guess, guess_of
from policies.drafting.table_profile import ColumnProfile, Meaning, TableProfile
from policies.schema.rows_key import Rule

CASE_NUMBER = "It differs between the rows of a person: it numbers rows or cases, so it is not published."
COMBINED = "If it does, `rows` above makes one row of all that have the same."
NUMERIC = (Kind.NUMBER, Kind.INTEGER, Kind.DATE)


def repeated_identifier(columns: Sequence[ColumnProfile]) -> ColumnProfile | None:
    """What seems to number people, of whom many have several rows."""
    repeated = [
        column
        for column in columns
        if guess_of(column).role is Role.IDENTIFIER and column.missing_share == 0 and column.distinct < column.present
    ]
    return min(repeated, key=lambda column: column.distinct, default=None)


def without_case_numbers(profile: TableProfile, guesses: Sequence[Guess]) -> list[Guess]:
    """Identifiers that differ between the rows of a person are none."""
    return [_without_case_number(profile, column.name, guess) for column, guess in zip(profile.columns, guesses, strict=True)]


def _without_case_number(profile: TableProfile, name: str, guess: Guess) -> Guess:
    if guess.role is not Role.IDENTIFIER:
        return guess
    if name in profile.varying:
        return replace(guess, role=Role.DROPPED, why=CASE_NUMBER)
    return replace(guess, why=f"{guess.why} {COMBINED}") if name == profile.per else guess


def order_of(profile: TableProfile) -> tuple[str, ...]:
    """The first column of days that differ, and a number of the row where there is one, for rows of one day."""
    varying = [column for column in profile.columns if column.name in profile.varying and not column.almost]
    days = [column.name for column in varying if column.dtype == "date" and column.meaning is not Meaning.BIRTH_DATE]
    numbers = [column.name for column in varying if column.dtype == "integer" and column.unique]
    return (days[0], *numbers[:1]) if days else tuple(numbers[:1])


def rules_of(profile: TableProfile, guesses: Sequence[Guess]) -> dict[str, Rule]:
    """For each published column that differs between the rows of a person."""
    ordered = bool(order_of(profile))
    rules: dict[str, Rule] = {}
    for column, guess in zip(profile.columns, guesses, strict=True):
        if column.name in profile.varying and guess.kind is not None:
            rules[column.name] = Rule.LAST if ordered else Rule.MAX if guess.kind in NUMERIC else Rule.MODE
    return rules


def rows_lines(profile: TableProfile, guesses: Sequence[Guess], quoted: Sequence[str]) -> Iterator[str]:
    """`quoted`: the names of the columns as YAML writes them, in their order."""
    if profile.per is None:
        return
    written = dict(zip([column.name for column in profile.columns], quoted, strict=True))
    rules, order = rules_of(profile, guesses), order_of(profile)
    yield "rows: # makes one row per person. Read each rule: union (of sets), first, last, min, max, sum, count or mode (the most frequent)"
    yield f"  per: {written[profile.per]} # columns without a rule must be the same in all rows of a person"
    if Rule.LAST in rules.values():
        yield f"  order: [{', '.join(written[name] for name in order)}] # by which rows of a person are first and last"
    separators = {column.name: column.separator for column in profile.columns}
    for name, rule in rules.items():
        yield f"  {written[name]}: {rule}" + (" # union keeps all values, once its kind is set" if separators[name] else "")
    yield "  # visits: count   would make a column of how many rows a person has; give it a role and kind: integer below"

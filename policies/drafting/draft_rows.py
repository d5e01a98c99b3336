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
    """The column of days that leaves the fewest people undecided, and a number of the row where there is one, for rows of one day."""
    days, numbers = _days(profile), _numbers(profile)
    return (days[0], *numbers[:1]) if days else tuple(numbers[:1])


def _days(profile: TableProfile, clear: bool = True) -> list[str]:
    """Columns of days that differ between the rows of a person; those that can, or cannot, be read in one way alone."""
    listed = [
        column.name
        for column in profile.columns
        if column.name in profile.varying and bool(column.almost) is not clear
        if column.dtype == "date" and column.meaning is not Meaning.BIRTH_DATE
    ]
    return sorted(listed, key=lambda name: profile.tied.get(name, 0))


def _numbers(profile: TableProfile) -> list[str]:
    return [
        column.name
        for column in profile.columns
        if column.name in profile.varying and not column.almost and column.dtype == "integer" and column.unique
    ]


def questions_of_order(profile: TableProfile, guesses: Sequence[Guess]) -> Iterator[str]:
    """What the steward must decide: no column says by itself that it tells which row comes last."""
    if profile.per is None or not rules_of(profile, guesses):
        return
    days, numbers, unclear = _days(profile), _numbers(profile), _days(profile, clear=False)
    if not days and unclear:
        yield (
            f"No `order` was drafted, as '{unclear[0]}' cannot be read, or in two ways. Once its `date` is right, "
            f"order: {unclear[0]} lets rules be first and last."
        )
    if len(days) > 1:
        others = " or ".join(f"'{name}'" for name in days[1:])
        yield f"By which day are a person's rows first and last? `order` in the draft takes '{days[0]}'; {others} would do as well: choose."
    tied = profile.tied.get(days[0], 0) if days and not numbers else 0
    if tied:
        who = "1 person has" if tied == 1 else f"{tied:,} people have"
        yield (
            f"`order` does not decide everything: {who} several rows with one '{days[0]}'. Add a column that decides, or choose rules that "
            "need no order; a release refuses what is undecided."
        )


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

"""What a steward should look at first in a draft: things that no single column shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from headgate.core.columns import Role
from policies.drafting.column_roles import Guess, weighings
from policies.drafting.draft_rows import questions_of_order
from policies.drafting.table_profile import ColumnProfile, Meaning, TableProfile

TOLD_TWICE = ((Meaning.BIRTH_DATE, Meaning.AGE), (Meaning.POSTAL_CODE, Meaning.REGION), (Meaning.POSTAL_CODE, Meaning.CITY))
FEWER = 0.98  # of the rows: two people may well have one name and one birthday


def remarks_on(profile: TableProfile, guesses: Sequence[Guess]) -> list[str]:
    return [
        *_several_rows_per_person(profile, guesses),
        *questions_of_order(profile, guesses),
        *_weights(profile.columns, guesses),
        *_told_twice(profile.columns, guesses),
        *_another_spelling(profile.columns, guesses),
    ]


def _several_rows_per_person(profile: TableProfile, guesses: Sequence[Guess]) -> Iterator[str]:
    repeated = [
        column
        for column, guess in zip(profile.columns, guesses, strict=True)
        if guess.role is Role.IDENTIFIER and column.distinct < column.present
    ]
    rows = profile.columns[0].rows
    cure = "headgate takes every row for one person. Make one row per person first; several diagnoses can be one cell of kind set."
    if repeated:
        fewest = min(repeated, key=lambda column: column.distinct)
        if profile.per is not None:
            cure = "`rows` in the draft makes one row per person: choose the rule of each column."
        yield f"Several rows per person? '{fewest.name}' has {fewest.distinct:,} different values in {rows:,} rows. {cure}"
    elif profile.people is not None and profile.people < FEWER * rows:
        yield f"Several rows per person? There are {profile.people:,} different names with a birth date in {rows:,} rows. {cure}"


def _weights(columns: Sequence[ColumnProfile], guesses: Sequence[Guess]) -> Iterator[str]:
    for column, guess in zip(columns, guesses, strict=True):
        if any(weighings(column, guess)):
            yield f"Is '{column.name}' what a body weighs, or how many people a row stands for? It is dropped until you choose."


def _told_twice(columns: Sequence[ColumnProfile], guesses: Sequence[Guess]) -> Iterator[str]:
    quasi = {column.meaning: column.name for column, guess in zip(columns, guesses, strict=True) if guess.role is Role.QUASI}
    for exact, coarse in TOLD_TWICE:
        if exact in quasi and coarse in quasi:
            yield (
                f"'{quasi[exact]}' and '{quasi[coarse]}' tell the same. Keep the one that readers need and drop the other (role: dropped); "
                "both together cost more precision and add nothing."
            )


def _another_spelling(columns: Sequence[ColumnProfile], guesses: Sequence[Guess]) -> Iterator[str]:
    named = [f"'{column.name}'" for column, guess in zip(columns, guesses, strict=True) if column.almost and guess.kind is not None]
    if named:
        what = f"{', '.join(named[:-1])} and {named[-1]} are" if len(named) > 1 else f"{named[0]} is"
        yield f"{what} not wholly clear: some values cannot be read, or in two ways. The comment on each such column says which."

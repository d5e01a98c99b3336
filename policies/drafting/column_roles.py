"""Which role each column seems to have, and why. What nobody recognizes is not published."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from headgate.core.columns import GROUP, Kind, Role
from headgate.core.errors import InputRejected
from policies.drafting.table_profile import ColumnProfile, Form, Meaning

FEW = 60  # distinct values up to which a text counts as a category
NEARLY_UNIQUE = 0.9
LARGEST_HOUSEHOLD = 12  # on average; columns that repeat more say something of households
ROWS_PER_PERSON = 5  # up to so many on average, repeated numbers can be those of people
KNOWN = {
    Meaning.E_MAIL: (Role.DROPPED, "an e-mail address"),
    Meaning.PHONE: (Role.DROPPED, "a phone number"),
    Meaning.INSURANCE_NUMBER: (Role.IDENTIFIER, "a number of a person, such as an insurance number"),
    Meaning.LAST_NAME: (Role.DROPPED, "a last name"),
    Meaning.FIRST_NAME: (Role.DROPPED, "a first name"),
    Meaning.BIRTH_DATE: (Role.QUASI, "a date of birth"),
    Meaning.POSTAL_CODE: (Role.QUASI, "a postal code"),
    Meaning.STREET: (Role.DROPPED, "a street or an address"),
    Meaning.FREE_TEXT: (Role.DROPPED, "free text"),
    Meaning.CITY: (Role.QUASI, "a city or another place"),
    Meaning.REGION: (Role.QUASI, "a region"),
    Meaning.NATIONALITY: (Role.QUASI, "the nationality, or a country"),
    Meaning.AGE: (Role.QUASI, "the age"),
    Meaning.SEX: (Role.QUASI, "the sex"),
    Meaning.MARITAL_STATUS: (Role.QUASI, "the marital status"),
    Meaning.RELIGION: (Role.SENSITIVE, "the religion"),
    Meaning.DIAGNOSIS: (Role.SENSITIVE, "a diagnosis or a treatment"),
    Meaning.INCOME: (Role.SENSITIVE, "an income or a debt"),
    Meaning.AMOUNT: (Role.SENSITIVE, "an amount or a score"),
    Meaning.OCCUPATION: (Role.QUASI, "the occupation"),
    Meaning.EDUCATION: (Role.QUASI, "the education"),
    Meaning.DATE: (Role.QUASI, "a date"),
    Meaning.SAMPLING_WEIGHT: (Role.WEIGHT, "how many people a row stands for"),
    Meaning.WEIGHT: (Role.DROPPED, "a weight"),
    Meaning.HOUSEHOLD: (Role.HOUSEHOLD, "who lives together"),
    Meaning.NAME: (Role.DROPPED, "a name"),
    Meaning.ID: (Role.IDENTIFIER, "a number or a key"),
}
CODED = (  # what is no number, even where numbers stand for it
    *(Meaning.SEX, Meaning.MARITAL_STATUS, Meaning.NATIONALITY, Meaning.RELIGION),
    *(Meaning.DIAGNOSIS, Meaning.OCCUPATION, Meaning.EDUCATION, Meaning.REGION, Meaning.CITY),
)
BECAUSE = {
    Role.QUASI: "Others may know it, so it is generalized.",
    Role.SENSITIVE: "Nobody may learn it of a person. It is published as it is, in groups.",
    Role.DROPPED: "It tells who somebody is, so it is not published.",
}
NO_TEXT = "Nobody can check free text for names, so it is not published."
OF_WHAT = "Of a body, or of a row in a survey? Until you choose, it is not published."
UNRECOGNIZED = "Not recognized, so it is not published."


@dataclass(frozen=True)
class Guess:
    role: Role
    kind: Kind | None
    why: str
    recognized: bool = True


def guessed_roles(columns: tuple[ColumnProfile, ...]) -> list[Guess]:
    """At least one quasi-identifier and one sensitive attribute, since a policy without them protects nothing."""
    survey = any(column.meaning in (Meaning.HOUSEHOLD, Meaning.SAMPLING_WEIGHT) for column in columns)
    guesses = _only_one([guess_of(_weighing(column, survey)) for column in columns])
    for role in (Role.SENSITIVE, Role.QUASI):
        if not any(guess.role is role for guess in guesses):
            place = _stand_in(columns, guesses, role)
            kind = guesses[place].kind or _kind(columns[place])
            guesses[place] = Guess(role, kind, f"No column looked {role}. This one was taken so that the draft can be read: choose.")
    return guesses


def _weighing(column: ColumnProfile, survey: bool) -> ColumnProfile:
    """Beside households a column called by nothing but `weight` says how many people a row stands for, not what a body weighs."""
    alone = column.meaning is Meaning.WEIGHT and column.name.isalpha()
    return replace(column, meaning=Meaning.SAMPLING_WEIGHT) if survey and alone else column


def _only_one(guesses: list[Guess]) -> list[Guess]:
    """A policy has one weight and one household at most: the first ones."""
    taken: set[Role] = set()
    for place, guess in enumerate(guesses):
        if guess.role in taken:
            guesses[place] = Guess(Role.DROPPED, None, f"{guess.why} Another column has role: {guess.role} already: choose one.")
        elif guess.role in (Role.WEIGHT, Role.HOUSEHOLD):
            taken.add(guess.role)
    return guesses


def _stand_in(columns: tuple[ColumnProfile, ...], guesses: list[Guess], role: Role) -> int:
    """A column that can take a role which no column seems to have: the last one that nobody recognized, if it has few values or
    numbers, or else one of several with the other role. Never one that tells who somebody is."""
    other = Role.QUASI if role is Role.SENSITIVE else Role.SENSITIVE
    unknown = [
        place
        for place, (column, guess) in enumerate(zip(columns, guesses, strict=True))
        if not guess.recognized and (column.distinct <= FEW or column.dtype != "text")
    ]
    spare = [place for place, guess in enumerate(guesses) if guess.role is other]
    if unknown:
        return unknown[-1]
    if len(spare) > 1:
        return spare[-1]
    raise InputRejected(
        "No policy can be drafted: no column looks like something that others may know about a person beside something that they must not.",
        "Give a table with both, such as an age and a diagnosis; or write the policy by hand.",
    )


def guess_of(column: ColumnProfile) -> Guess:
    if column.name == GROUP:
        return Guess(Role.DROPPED, None, "Published tables have a column of this name. Rename it to publish it.")
    if column.constant:
        return Guess(Role.DROPPED, None, "It is the same for everybody. Publish it only if that harms nobody.")
    return _told_by_values(column) or _told_by_header(column) or _told_by_form(column) or _unrecognized(column)


def _told_by_values(column: ColumnProfile) -> Guess | None:
    """What no header makes publishable."""
    if column.form is Form.E_MAIL:
        return Guess(Role.DROPPED, None, f"The values look like {column.form}. {BECAUSE[Role.DROPPED]}")
    if column.form is Form.FREE_TEXT:
        return Guess(Role.DROPPED, None, f"The values look like {column.form}. {NO_TEXT}")
    return None


def _told_by_header(column: ColumnProfile) -> Guess | None:
    if column.meaning is None:
        return None
    role, what = KNOWN[column.meaning]
    says = f"By its header, this is {what}."
    if role is Role.IDENTIFIER:
        return _number_of_people(column, says)
    if role in (Role.WEIGHT, Role.HOUSEHOLD):
        return _weight(column, says) if role is Role.WEIGHT else _household(column, says)
    if column.meaning is Meaning.WEIGHT:
        return Guess(role, None, f"{says} {OF_WHAT}")
    if column.meaning is Meaning.FREE_TEXT:
        return Guess(role, None, f"{says} {NO_TEXT}")
    if role is Role.DROPPED:
        return Guess(role, None, f"{says} {BECAUSE[role]}")
    if column.meaning is Meaning.DATE and column.dtype != "date":
        return None
    if column.meaning is Meaning.POSTAL_CODE:
        return Guess(role, Kind.CATEGORY, f"{says} {BECAUSE[role]}")
    if column.dtype == "text" and column.distinct > max(FEW, NEARLY_UNIQUE * column.present):
        return Guess(Role.DROPPED, None, f"{says} But nearly every row has a value of its own. {BECAUSE[Role.DROPPED]}")
    return Guess(role, _kind(column), f"{says} {BECAUSE[role]}")


def _told_by_form(column: ColumnProfile) -> Guess | None:
    """Where the header says nothing."""
    if column.dtype == "date":
        return Guess(Role.QUASI, Kind.DATE, f"The values are dates. {BECAUSE[Role.QUASI]}")
    if column.form is Form.POSTAL_CODE:
        return Guess(Role.QUASI, Kind.CATEGORY, f"The values look like {column.form}. {BECAUSE[Role.QUASI]}")
    if column.form is Form.PERSONAL_NUMBER:
        return _number_of_people(column, f"The values look like {column.form}.")
    if column.form is not None:
        why = "They tell which row is whose" if column.form is Form.RUNNING_NUMBER else "They tell who somebody is"
        return Guess(Role.DROPPED, None, f"The values look like {column.form}. {why}, so they are not published.")
    return None


def _unrecognized(column: ColumnProfile) -> Guess:
    if column.unique and column.dtype in ("text", "integer"):
        return Guess(Role.IDENTIFIER, None, "Every row has its own value: it seems to number people.")
    if column.dtype in ("text", "integer") and column.distinct > max(FEW, NEARLY_UNIQUE * column.present):
        return Guess(Role.DROPPED, None, "Nearly every row has a value of its own: it may tell who somebody is, so it is not published.")
    return Guess(Role.DROPPED, None, UNRECOGNIZED, recognized=False)


def _number_of_people(column: ColumnProfile, says: str) -> Guess:
    if column.unique:
        return Guess(Role.IDENTIFIER, None, f"{says} Every row has its own.")
    if column.distinct * ROWS_PER_PERSON < column.present:
        return Guess(Role.DROPPED, None, f"{says} Its values repeat too often to be those of people, so it is not published.")
    if column.distinct == column.present:
        return Guess(Role.IDENTIFIER, None, f"{says} But it is missing in some rows, and a release needs it in all.")
    return Guess(Role.IDENTIFIER, None, f"{says} But its values repeat. If it does not number people, make it role: dropped.")


def _weight(column: ColumnProfile, says: str) -> Guess:
    if not _may_weigh(column):
        why = "But not every row has a positive number, as each must."
        return Guess(Role.DROPPED, None, f"{says} {why} It is not published.")
    return Guess(Role.WEIGHT, Kind(column.dtype), f"{says} It is published rounded, in one table, and nothing protects it.")


def _may_weigh(column: ColumnProfile) -> bool:
    return column.dtype in ("number", "integer") and column.missing_share == 0 and (column.least or 0) > 0


def _household(column: ColumnProfile, says: str) -> Guess | None:
    if column.unique or column.dtype not in ("text", "integer") or column.distinct * LARGEST_HOUSEHOLD < column.present:
        return None
    return Guess(Role.HOUSEHOLD, None, f"{says} It is never published; k then counts households as well as people.")


def _kind(column: ColumnProfile) -> Kind:
    if column.dtype == "integer" and column.meaning in CODED:
        return Kind.CATEGORY
    return Kind.CATEGORY if column.dtype == "text" else Kind(column.dtype)


def weighings(column: ColumnProfile, guess: Guess) -> Iterator[tuple[str, Guess]]:
    """What a column that is called a weight may be, and how each would be declared."""
    if column.meaning is not Meaning.WEIGHT or guess.role is not Role.DROPPED or column.dtype not in ("number", "integer"):
        return
    kind = Kind(column.dtype)
    if _may_weigh(column):
        yield "If it says how many people a row stands for", Guess(Role.WEIGHT, kind, "")
    yield "If it is what a body weighs", Guess(Role.SENSITIVE, kind, "")


def as_published(column: ColumnProfile) -> Guess:
    """How a column that nobody recognized would be published."""
    return replace(_unrecognized(column), role=Role.SENSITIVE, kind=_kind(column))

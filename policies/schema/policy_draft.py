"""A first policy for a table nobody has described yet. Every role and kind in it is a guess, is marked as one, and must be
confirmed before a release runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from headgate.core.columns import GROUP, Kind, Role
from headgate.core.errors import InputRejected

FEW = 60  # distinct values up to which a text counts as a category
NEARLY_UNIQUE = 0.9
POSTAL = ("zip", "zipcode", "postcode", "postal", "plz")  # digits that are no number: 1010 is not between 1000 and 1020
WORDS = {
    Role.IDENTIFIER: (
        "id",
        "identifier",
        "name",
        "surname",
        "ssn",
        "email",
        "mail",
        "phone",
        "telephone",
        "address",
        "passport",
        "insurance",
    ),
    Role.QUASI: (
        *("age", "sex", "gender", "birth", "born", "dob", "zip", "zipcode", "postcode", "postal", "city", "town", "region", "district"),
        *("province", "state", "county", "country", "nationality", "citizenship", "race", "ethnicity", "marital", "admitted", "date"),
    ),
    Role.SENSITIVE: (
        *("diagnosis", "disease", "condition", "income", "salary", "wage", "religion", "job", "occupation", "education", "history"),
        *("drug", "treatment", "debt", "score", "hiv", "party", "conviction", "loss", "gain"),
    ),
    Role.DROPPED: ("note", "notes", "comment", "comments", "remark", "remarks", "text", "description"),
}


@dataclass(frozen=True)
class ColumnProfile:
    """What is known of a column without holding a value of it, but for the ends of a numeric one."""

    name: str
    dtype: Literal["number", "integer", "date", "text"]
    distinct: int
    rows: int
    missing_share: float = 0.0
    least: float | None = None
    greatest: float | None = None
    separator: str = ""  # what may part several values in one cell
    almost: str = ""  # where text would be numbers or dates if it were written otherwise: how to write it

    @property
    def constant(self) -> bool:
        return self.distinct == 0 or (self.distinct == 1 and self.missing_share == 0)

    @property
    def unique(self) -> bool:
        return self.rows > 1 and self.missing_share == 0 and self.distinct == self.rows


@dataclass(frozen=True)
class TableProfile:
    """`path` is written into the policy, so it is relative to where the policy will stand."""

    path: str
    columns: tuple[ColumnProfile, ...]
    kind: str = "csv"
    separator: str = ","
    encoding: str = "utf-8"


@dataclass(frozen=True)
class Guess:
    role: Role
    kind: Kind | None
    why: str


def draft_policy(profile: TableProfile) -> str:
    """Commented YAML. It reads as a policy, and is refused for release until its guesses are confirmed."""
    if not profile.columns:
        raise InputRejected("The table has no columns.", "Check the separator, and that the first line holds the names.")
    names = [column.name for column in profile.columns]
    if len(set(names)) != len(names):
        raise InputRejected("Two columns of the table have the same name.", "Give each column a name of its own.")
    guesses = _guesses(profile.columns)
    name = dataset_name(profile.path)
    lines = [
        "# A draft. Roles and kinds below were guessed from names and types; nothing is released while a guess is unconfirmed.",
        "#   role: identifier  is dropped at once         quasi      may be known to others; is generalized",
        "#         sensitive   must stay unknown          insensitive  known to nobody, harms nobody; is published as it is",
        "#         dropped     is not published",
        "#   kind: number, integer, date, ordinal (with levels: [lowest, …]), category, set (with values: […]), vector (with columns: […])",
        "# Read each line, correct it, and delete its `guess: true`; then delete the line `draft: true`.",
        "schema: 1",
        f"dataset: {_quoted(name)}",
        f"title: {_quoted(name)}",
        "draft: true",
        _source(profile),
        "attributes:",
        *_attributes(profile.columns, guesses),
        "projection: {method: codip*, association_loss: 0.3, join_threat: 0.3}",
        "anonymize:",
        "  method: xcolor",
        "  k: 10 # nobody is in a group of fewer",
        "  epsilon: 0.1 # people are alike if their sensitive values differ by no more than this share …",
        "  delta: 0.6 # … and at least this share of the others in a group must not be alike; see `headgate advise`",
        "gates:",
        "  linkability: 0.8 # no sensitive value of anyone may become more certain than this",
        "utility: {max_loss: 0.5}",
        "approval: {required: 1} # people who must sign, beside whoever runs the release",
        f"publish: {{to: {_quoted(name)}, formats: [csv, parquet]}}",
    ]
    return "\n".join(lines) + "\n"


def dataset_name(path: str) -> str:
    """A series name from a file's name."""
    stem = PurePosixPath(path.replace("\\", "/")).name.split(".")[0].lower()
    return re.sub(r"[^a-z0-9]+", "-", stem).strip("-")[:63].strip("-") or "dataset"


def _source(profile: TableProfile) -> str:
    options = ""
    if profile.kind == "csv":
        options += f", separator: {_quoted(profile.separator)}" if profile.separator != "," else ""
        options += f", encoding: {_quoted(profile.encoding)}" if profile.encoding != "utf-8" else ""
    return f"source: {{kind: {profile.kind}, path: {_quoted(profile.path)}{options}}}"


def _quoted(text: str) -> str:
    """JSON's strings are YAML's, if what does not print is escaped: any name and path survives."""
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_/-]*(\.[A-Za-z0-9_]+)*", text) and text.lower() not in _MEANT:
        return text
    return "".join(sign if sign.isprintable() else f"\\U{ord(sign):08X}" for sign in json.dumps(text, ensure_ascii=False))


_MEANT = ("null", "true", "false", "yes", "no", "on", "off", "y", "n")


def _attributes(columns: tuple[ColumnProfile, ...], guesses: list[Guess]) -> Iterator[str]:
    for column, guess in zip(columns, guesses, strict=True):
        missing = f", {_share(column.missing_share)} missing" if column.missing_share > 0 else ""
        yield f"  # {column.distinct} distinct values{missing}: {guess.why}"
        yield from (f"  #   {hint}" for hint in _hints(column, guess))
        keys = [f"role: {guess.role}"]
        if guess.kind is not None:
            keys.append(f"kind: {guess.kind}")
        domain = _domain(column, guess)
        if domain:
            keys.append(f"domain: {domain}")
        yield f"  {_quoted(column.name)}: {{{', '.join(keys)}, guess: true}}"


def _share(share: float) -> str:
    return "less than 1%" if share < 0.01 else f"{share:.0%}"


def _hints(column: ColumnProfile, guess: Guess) -> Iterator[str]:
    """What only a person can know."""
    if column.almost:
        yield column.almost
    if column.separator:
        sign = column.separator
        yield f"some cells hold '{sign}': if it separates several values: kind: set, separator: '{sign}', values: [all of them]"
    if guess.kind is Kind.CATEGORY and guess.role is Role.QUASI and column.dtype == "integer":
        yield "hierarchy: {mask: 2} would blank one more digit from the right at each of 2 levels; hierarchy: FILE names regions"


def _domain(column: ColumnProfile, guess: Guess) -> str:
    """The ends seen, rounded outwards: a least and greatest value to the digit would be someone's."""
    if guess.kind not in (Kind.NUMBER, Kind.INTEGER) or column.least is None or column.greatest is None:
        return ""
    size = max(abs(column.least), abs(column.greatest), 1.0)
    step = 10 ** max(len(str(int(size))) - 2, 0) if size >= 10 else 1
    low, high = int(column.least // step) * step, -int(-column.greatest // step) * step
    return f"[{low}, {high}]"


def _guesses(columns: tuple[ColumnProfile, ...]) -> list[Guess]:
    """At least one quasi-identifier and one sensitive attribute, since a policy without them protects nothing."""
    guesses = [_guess(column) for column in columns]
    for role in (Role.SENSITIVE, Role.QUASI):
        if any(guess.role is role for guess in guesses):
            continue
        other = Role.QUASI if role is Role.SENSITIVE else Role.SENSITIVE
        spare = [place for place, guess in enumerate(guesses) if guess.role is other]
        if len(spare) < 2:
            spare = [place for place, guess in enumerate(guesses) if guess.role in (Role.IDENTIFIER, Role.DROPPED)]
        if spare:
            place = spare[-1]
            guesses[place] = Guess(role, guesses[place].kind or _kind(columns[place]), f"no column looked {role}; choose")
    if not {Role.QUASI, Role.SENSITIVE} <= {guess.role for guess in guesses}:
        raise InputRejected("A table with one column cannot be released.", "Give a table with a quasi-identifier and a sensitive column.")
    return guesses


def _guess(column: ColumnProfile) -> Guess:
    if column.name == GROUP:
        return Guess(Role.DROPPED, None, "published tables have a column of this name; rename it to publish it")
    if column.constant:
        return Guess(Role.DROPPED, None, "it is the same for everybody; publish it only if that harms nobody")
    words = [word for word in re.split(r"[^a-z0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", column.name).lower()) if word]
    named = next((role for role, listed in WORDS.items() if any(word in listed for word in words)), None)
    kind = Kind.CATEGORY if any(word in POSTAL for word in words) else _kind(column)
    if (hidden := _never_published(column, named)) is not None:
        return hidden
    if named is not None:
        return Guess(named, kind, f"its name sounds {named}")
    return Guess(Role.SENSITIVE, kind, "not recognized: it will be published as it is, in groups; drop it if it tells who somebody is")


def _never_published(column: ColumnProfile, named: Role | None) -> Guess | None:
    """A guess for what says who somebody is, or is free text; `named` is the role that the name of the column suggests."""
    if column.unique and (named in (Role.IDENTIFIER, None) or column.dtype == "text") and column.dtype in ("text", "integer"):
        return Guess(Role.IDENTIFIER, None, "every row has its own")
    if named is Role.IDENTIFIER:
        return Guess(Role.IDENTIFIER, None, "its name sounds like an identifier; identifiers must be unique, else drop it")
    free_text = column.dtype == "text" and column.distinct > max(FEW, NEARLY_UNIQUE * column.rows)
    if named is Role.DROPPED or free_text:
        return Guess(Role.DROPPED, None, "free text cannot be published")
    return None


def _kind(column: ColumnProfile) -> Kind:
    return Kind.CATEGORY if column.dtype == "text" else Kind(column.dtype)

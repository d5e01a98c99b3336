"""A first policy for a table nobody has described yet. Every role and kind in it is a guess, is marked as one, and must be
confirmed before a release runs."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from headgate.core.calendar_parts import FIRST_DAY, LAST_DAY, format_day
from headgate.core.columns import Kind, Role
from headgate.core.errors import InputRejected
from policies.drafting.column_roles import CODED, Guess, as_published, guessed_roles, weighings
from policies.drafting.draft_remarks import remarks_on
from policies.drafting.draft_rows import rows_lines, without_case_numbers
from policies.drafting.drafted_coding import SMALLEST_GROUP, published_as, said_of_coding
from policies.drafting.table_profile import ColumnProfile, Meaning, TableProfile
from policies.words.unseen import code_point, unseen_in

MANY = 20  # values without an order from which on a hierarchy is worth its work


def draft_policy(profile: TableProfile) -> str:
    """Commented YAML. It reads as a policy, and is refused for release until its guesses are confirmed."""
    if not profile.columns:
        raise InputRejected("The table has no columns.", "Check the separator, and that the first line holds the names.")
    names = [column.name for column in profile.columns]
    if len(set(names)) != len(names):
        raise InputRejected("Two columns of the table have the same name.", "Give each column a name of its own.")
    for what, text in [("The path of the table", profile.path)] + [
        (f"The name of column {place}", name) for place, name in enumerate(names, 1)
    ]:
        if sign := unseen_in(text):
            raise InputRejected(f"{what} has {code_point(sign)}, which is invisible, so no policy can name it.", "Rename it.")
    guesses = without_case_numbers(profile, guessed_roles(profile.columns))
    name = dataset_name(profile.path)
    lines = [
        "# A draft. Every role and kind below is a guess, from the headers and from what the values look like.",
        "# Read each line, correct it, and delete its `guess: true`; then delete the line `draft: true`. Nothing can be released before.",
        "#",
        "#   role: identifier   says who somebody is; is used to find repeated rows, and never published",
        "#         quasi        others may know it, or find it in a register; is published generalized",
        "#         sensitive    nobody may learn it of a person; is published as it is, in groups",
        "#         insensitive  nobody can know it, and it harms nobody; is published as it is",
        "#         weight       says how many people of the population a row stands for; is published rounded",
        "#         household    says who lives together; is never published, and k counts households too",
        "#         dropped      is not read and not published",
        "#   kind: number, integer, date, ordinal (with levels: [lowest, …]), category, set (with values: […]), vector (with columns: […])",
        *_remarks(profile, guesses),
        "schema: 1",
        f"dataset: {_quoted(name)}",
        f"title: {_quoted(name)}",
        "draft: true",
        _source(profile),
        *rows_lines(profile, guesses, [_quoted(column.name) for column in profile.columns]),
        "attributes:",
        *_attributes(profile, guesses),
        "projection: {method: codip*, association_loss: 0.3, join_threat: 0.3}",
        "anonymize:",
        "  method: xcolor",
        f"  k: {SMALLEST_GROUP} # nobody is in a group of fewer",
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
    options += "".join(f", {key}: {text if key == 'header' else _quoted(text)}" for key, text in profile.keys.items())
    return f"source: {{kind: {profile.kind}, path: {_quoted(profile.path)}{options}}}"


def _quoted(text: str) -> str:
    """JSON's strings are YAML's, if what does not print is escaped: any name and path survives."""
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_/-]*(\.[A-Za-z0-9_]+)*", text) and text.lower() not in _MEANT:
        return text
    return _printable(json.dumps(text, ensure_ascii=False))


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else f"\\U{ord(sign):08X}" for sign in text)


_MEANT = ("null", "true", "false", "yes", "no", "on", "off", "y", "n")


def _remarks(profile: TableProfile, guesses: Sequence[Guess]) -> Iterator[str]:
    remarks = remarks_on(profile, guesses)
    if remarks:
        yield from ("#", "# Look at this first:")
    for remark in remarks:
        yield from textwrap.wrap(_printable(remark), 130, initial_indent="#   - ", subsequent_indent="#     ")


def _attributes(profile: TableProfile, guesses: list[Guess]) -> Iterator[str]:
    people = profile.most_people
    for column, guess in zip(profile.columns, guesses, strict=True):
        missing = f", {_share(column.missing_share)} missing" if column.missing_share > 0 else ""
        yield f"  # {column.distinct:,} distinct value{'' if column.distinct == 1 else 's'}{missing}. {guess.why}"
        yield from (f"  #   {hint}" for hint in _hints(column, guess, people))
        yield f"  {_quoted(column.name)}: {{{', '.join([*_keys(column, guess, people), 'guess: true'])}}}"


def _keys(column: ColumnProfile, guess: Guess, people: int) -> Iterator[str]:
    yield f"role: {guess.role}"
    if guess.kind is not None:
        yield f"kind: {guess.kind}"
    domain = "" if guess.role is Role.WEIGHT else _domain(column, guess)
    if domain:
        yield f"domain: {domain}"
    yield from _written(column, guess)
    coded = published_as(column, guess, people)
    if coded:
        yield f"publish_as: {{{', '.join(coded)}}}"


def _written(column: ColumnProfile, guess: Guess) -> Iterator[str]:
    """How the source writes the cells."""
    if guess.kind in (Kind.NUMBER, Kind.INTEGER):
        for key, mark in (("decimal", column.written.decimal), ("thousands", column.written.thousands)):
            if mark:
                yield f"{key}: {json.dumps(mark)}"
        if column.written.units:
            yield f"unit: {_one_or_list(column.written.units)}"
    if guess.kind is Kind.DATE and column.written.dates:
        yield f"date: {_one_or_list(column.written.dates)}"


def _one_or_list(texts: Sequence[str]) -> str:
    quoted = [_quoted(text) for text in texts]
    return quoted[0] if len(quoted) == 1 else f"[{', '.join(quoted)}]"


def _share(share: float) -> str:
    return "less than 1%" if share < 0.01 else f"{share:.0%}"


def _hints(column: ColumnProfile, guess: Guess, people: int) -> Iterator[str]:
    """What only a person can know."""
    if not guess.recognized:
        yield f"To publish it as it is, in groups: {{{', '.join(_keys(column, as_published(column), people))}}}"
    for meant, other in weighings(column, guess):
        yield f"{meant}: {{{', '.join(_keys(column, other, people))}}}"
    if guess.role is Role.IDENTIFIER or (guess.kind is None and guess.recognized):
        return
    if column.almost:
        yield column.almost
    if column.separator:
        sign = column.separator
        empty = ", and empty: none if an empty cell means that there are none" if column.missing_share > 0 else ""
        yield f"Some cells hold '{sign}'. If it separates several values: kind: set, separator: '{sign}', values: [all of them]{empty}"
    if guess.kind is Kind.CATEGORY and column.dtype == "integer" and column.meaning in CODED:
        yield 'To publish words instead of codes: map: {"1": …, "2": …}, and null for a code that means that it is not known.'
    if guess.kind is Kind.CATEGORY and guess.role is Role.QUASI and column.distinct > MANY:
        yield "Without a hierarchy a group lists all its values. hierarchy: FILE names what they belong to, such as regions."
        yield "hierarchy: {mask: 2} blanks one more sign from the right at each of 2 levels, as suits postal codes."
    yield from said_of_coding(column, guess, people)


def _domain(column: ColumnProfile, guess: Guess) -> str:
    """The ends seen, rounded outwards: a least and greatest value to the digit, or to the day, would be someone's."""
    if guess.kind is Kind.DATE and column.written.years is not None:
        return "[{:04d}-01-01, {:04d}-12-31]".format(*column.written.years)
    if column.least is None or column.greatest is None:
        return ""
    if guess.kind is Kind.DATE:
        return _years(column.least, column.greatest, 10 if column.meaning is Meaning.BIRTH_DATE else 1)
    if guess.kind not in (Kind.NUMBER, Kind.INTEGER):
        return ""
    size = max(abs(column.least), abs(column.greatest), 1.0)
    step = 10 ** max(len(str(int(size))) - 2, 1) if size >= 10 else 1
    low, high = int(column.least // step) * step, -int(-column.greatest // step) * step
    return f"[{low}, {high}]"


def _years(first: float, last: float, width: int) -> str:
    """Whole years; as many together as `width` says."""
    if not FIRST_DAY <= first <= last <= LAST_DAY:
        return ""
    low, high = (int(format_day(int(day))[:4]) // width * width for day in (first, last))
    return f"[{max(low, 1):04d}-01-01, {min(high + width - 1, 9999):04d}-12-31]"

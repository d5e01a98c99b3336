"""How a column writes its numbers and days, recognized from its values, and told in the keys of the policy file."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from policies.drafting.table_profile import Look, Written
from policies.intake.age_at import DAY
from policies.intake.rule import Rule
from policies.intake.written_days import CENTURY, DayForm, WrittenDays, day_form
from policies.intake.written_numbers import WrittenNumbers
from tasks.profiling.value_forms import MOST, PHONE, most, sampled
from tasks.reading.any_table import EPOCH, look_of, numbers_of

MARKS = ((".", None), (",", None), (",", "."), (".", ","), (",", " "), (".", " "), (",", "'"), (".", "'"))  # decimal, thousands
LONGEST_UNIT = 12
UNIT = re.compile(r"(?P<before>[^\w\s.,'+-]+\s*|[^\W\d_]+\s+)?[+\u2212-]?\d[\d.,'\u2019\s]*(?P<after>[^\d\s.,'\u2019][^\d]*)?")
GROUPED = re.compile(r"[1-9]\d{0,2}\.\d{3}")
IN_THOUSANDS = "Three digits follow every point. If it is the mark between thousands: decimal: ',', thousands: '.'."
CODE = re.compile(r"0\d.*")  # 007 is no number
DATE = re.compile(
    r"(\d{1,2}([./-])\d{1,2}\2(\d{4}|\d{2})|\d{4}([./-])\d{1,2}\4\d{1,2}|(19|20)\d{6}|\d{1,2}[ -]?[A-Za-z]{3,9}[ -]?\d{4})([T ]\d.*)?"
)
TIMES = ("", " %H:%M", " %H:%M:%S", "T%H:%M", "T%H:%M:%S", " %H:%M:%S.%f", "T%H:%M:%S.%f")
DAYS = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d.%m.%y", "%d/%m/%y")
DAYS_ALSO = ("%m/%d/%y", "%d-%m-%y", "%d%b%Y", "%d-%b-%Y", "%d %b %Y", "%d %B %Y")
FORMS = tuple(form for time in TIMES for days in (*DAYS, *DAYS_ALSO) if (form := day_form(days + time)) is not None)
MOST_FORMS = 4  # of one column


@dataclass(frozen=True)
class Seen:
    """What distinct texts are, how they are written, their ends, and the number in each (NaN where there is none)."""

    look: Look
    ends: tuple[float, float] | None
    written: Written = field(default_factory=Written)
    says: str = ""
    numbers: NDArray[np.float64] | None = field(default=None, repr=False)


def seen_in(distinct: Sequence[str]) -> Seen:
    """What it says names no value."""
    look, ends = look_of(distinct)
    if look in ("text", "integer"):
        dates = _dates(distinct)
        if dates is not None:
            return dates
    if look in ("number", "integer"):
        says = IN_THOUSANDS if look == "number" and _all_in_thousands(distinct) else ""
        return Seen(look, ends, says=says, numbers=numbers_of(distinct))
    if look != "text" or not distinct:
        return Seen(look, ends)
    return _numbers(distinct) or Seen(look, ends)


def _numbers(distinct: Sequence[str]) -> Seen | None:
    """Texts most of which are numbers, written in some way."""
    some = sampled(distinct)
    if sum(CODE.fullmatch(value) is not None for value in some) > 0 or most(PHONE, some):
        return None
    units = _units(some)
    readers = [WrittenNumbers(decimal, thousands, units) for decimal, thousands in MARKS]
    readable = [sum(isinstance(reader.read(value), str) for value in some) for reader in readers]
    reader, says = readers[int(np.argmax(readable))], []
    if reader.decimal == "," and reader.thousands is None and _in_thousands(some, readable):
        reader = WrittenNumbers(".", ",", units)
        says.append("The comma is taken for the mark between thousands, as three digits follow it everywhere. If not: decimal: ','.")
    read = _canonical(reader, distinct)
    wrong = sum(text is None for text in read)
    if 2 * wrong >= len(distinct):
        return None
    numbers = np.array(numbers_of([text or "" for text in read]))
    present = numbers[np.isfinite(numbers)]
    if wrong:
        are = "is not a number" if wrong == 1 else "are not numbers"
        says.append(f"{wrong:,} of the {len(distinct):,} distinct values {are}; the others are. Correct them, or `map` them.")
    plain = reader.decimal == "." and reader.thousands is None
    whole = bool((present == np.floor(present)).all()) and not any(text and "." in text for text in read)
    written = Written(decimal="" if plain else reader.decimal, thousands=reader.thousands or "", units=units)
    if not says and plain and not units:
        return None
    return Seen("integer" if whole else "number", (float(present.min()), float(present.max())), written, " ".join(says), numbers)


def _all_in_thousands(distinct: Sequence[str]) -> bool:
    """Whether 1.234 may well be more than a thousand."""
    pointed = [value.strip().lstrip("+-") for value in distinct if "." in value]
    return all(GROUPED.fullmatch(value) is not None for value in pointed)


def _in_thousands(values: Sequence[str], readable: Sequence[int]) -> bool:
    """Whether 12,500 is more likely a large number than a fraction."""
    after = [value.partition(",")[2] for value in values if "," in value]
    same = readable[MARKS.index((",", None))] == readable[MARKS.index((".", ","))]
    return same and all(re.match(r"\d{3}(\D|$)", digits) for digits in after) and not any(re.search(r"\b0,", value) for value in values)


def _canonical(rule: Rule, texts: Sequence[str]) -> list[str | None]:
    read = (rule.read(text.strip()) for text in texts)
    return [text if isinstance(text, str) else None for text in read]


def _units(values: Sequence[str]) -> tuple[str, ...]:
    """What stands beside most numbers, before or after them; a letter that begins a code is no unit."""
    found: Counter[str] = Counter()
    for value in values:
        parts = UNIT.fullmatch(value)
        if parts is not None and bool(parts["before"]) != bool(parts["after"]):
            found[(parts["before"] or parts["after"]).strip()] += 1
    if not found:
        return ()
    unit, times = found.most_common(1)[0]
    return (unit,) if unit and len(unit) <= LONGEST_UNIT and times > MOST * len(values) / 2 and len(values) > 1 else ()


def _dates(distinct: Sequence[str]) -> Seen | None:
    values = [value.strip() for value in distinct]
    some = sampled(values)
    if not values or not most(DATE, some):
        return None
    span = _century()
    forms = _forms_of(some, span)
    if all(DAY.fullmatch(value) for value in values):
        forms = [form for form in FORMS if form.text == "%Y-%m-%d"]
        values = [value[:10] for value in values]
    days = [text for text in _canonical(WrittenDays(forms, span), values) if text is not None]
    if not forms or 2 * len(days) < len(values):
        return Seen("date", None, says="The values look like dates in no order that is recognized. Declare `date`, or correct them.")
    wrong = len(values) - len(days)
    says = [_ambiguous(sampled(values), forms, span)]
    if wrong:
        says.append(f"{wrong:,} of the {len(values):,} distinct values {'fits' if wrong == 1 else 'fit'} none of these forms.")
    declared = tuple(form.text for form in forms)
    years = (span[0].year, span[1].year) if any(form.two_digits for form in forms) else None
    if years is not None:
        says.append("A two-digit year is taken to lie in the domain; correct the domain if it is wrong.")
    ends = [(datetime.date.fromisoformat(day) - EPOCH).days for day in (min(days), max(days))]
    written = Written(dates=() if declared == ("%Y-%m-%d",) else declared, years=years)
    return Seen("date", None if years else (float(ends[0]), float(ends[1])), written, " ".join(filter(None, says)))


def _century() -> tuple[datetime.date, datetime.date]:
    year = datetime.date.today().year
    return datetime.date(year - CENTURY + 1, 1, 1), datetime.date(year, 12, 31)


def _forms_of(values: Sequence[str], span: tuple[datetime.date, datetime.date]) -> list[DayForm]:
    """The form that fits most, then what fits most of the rest. Two forms that differ in the order of day and month alone are never both
    chosen: of a day that fits both nobody knows which it is."""
    rest = list(values)
    forms: list[DayForm] = []
    while rest and len(forms) < MOST_FORMS:
        able = [form for form in FORMS if all(_shape(form) != _shape(other) for other in forms)]
        fitting = {form.text: _fitting(rest, form, span) for form in able}
        best = max(able, key=lambda form: len(fitting[form.text]))
        if not fitting[best.text]:
            break
        forms.append(best)
        rest = [value for value in rest if value not in fitting[best.text]]
    return forms


def _fitting(values: Sequence[str], form: DayForm, span: tuple[datetime.date, datetime.date]) -> set[str]:
    reader = WrittenDays((form,), span)
    return {value for value in values if isinstance(reader.read(value), str)}


def _shape(form: DayForm) -> str:
    return "".join(sorted(form.text))


def _ambiguous(values: Sequence[str], forms: Sequence[DayForm], span: tuple[datetime.date, datetime.date]) -> str:
    first = len(_fitting(values, forms[0], span))
    alike = [form.text for form in FORMS if form is not forms[0] and _shape(form) == _shape(forms[0])]
    other = next((text for text in alike for form in FORMS if form.text == text and len(_fitting(values, form, span)) == first), "")
    return f'No value tells whether this is "{forms[0].text}" or "{other}": choose.' if other else ""

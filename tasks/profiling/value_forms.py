"""What the values of a column look like, whatever its header says: names of people, postal codes, running numbers, and so on."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from policies.drafting.table_profile import Form
from tasks.profiling.header_words import folded

NAMES = Path(__file__).with_name("person_names.toml")
MOST = 0.8  # of the values must look alike
SAMPLE = 5_000  # distinct values that are looked at
FEW = 60  # distinct values up to which a text counts as a category
NAMED = 0.05  # of the values are frequent names, where the others are names too
WORDS_OF_TEXT = 4
E_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
PHONE = re.compile(r"(\+|0|\()[\d\s()/.-]{6,19}")
# Poland, the Netherlands, the United Kingdom, Czechia and Greece; five digits alone only where one begins with 0.
POSTAL_CODE = re.compile(r"\d{2}-\d{3}|\d{4} ?[A-Z]{2}|[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|\d{3} \d{2}|0\d{4}|[1-9]\d{4}")
# Germany's and Italy's health insurance, Spain's identity card, and digits alone as elsewhere.
PERSONAL_NUMBER = re.compile(
    r"[A-Z]\d{9}|[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]|[XYZ\d]\d{7}-?[A-Z]|\d{8,15}|\d{6}/\d{3,4}|[A-Z]{1,4}[-_ ]?\d{4,}"
)
NAME = re.compile(r"[^\W\d_]+([ ,.'’-]+[^\W\d_]+){0,4}\.?")


def form_of(values: Sequence[str], cells: int) -> Form | None:
    """The form of distinct texts, of which there are `cells` cells."""
    if not values:
        return None
    some = sampled(values)
    if most(E_MAIL, some):
        return Form.E_MAIL
    if _personal_numbers(some, cells, len(values)):
        return Form.PERSONAL_NUMBER
    if most(POSTAL_CODE, some) and any(not value.isdecimal() or value[0] == "0" for value in some):
        return Form.POSTAL_CODE
    if most(PHONE, some):
        return Form.PHONE
    if _names(some):
        return Form.PERSON_NAME
    wordy = sum(len(value.split()) >= WORDS_OF_TEXT for value in some)
    return Form.FREE_TEXT if len(values) > FEW and 2 * wordy > len(some) else None


def runs_on(cells: Sequence[str]) -> bool:
    """Whether the cells, in the order of the rows, are 1, 2, 3 and so on, wherever they begin."""
    if len(cells) < 3 or not all(cell.isascii() and cell.isdecimal() and len(cell) < 16 for cell in cells):
        return False
    steps = np.diff(np.array(cells, dtype=np.int64))
    return bool((steps == steps[0]).all() and steps[0] in (-1, 1))


def sampled(values: Sequence[str]) -> list[str]:
    return [value.strip() for value in values[:: max(1, len(values) // SAMPLE)]]


def most(form: re.Pattern[str], values: Sequence[str]) -> bool:
    return sum(form.fullmatch(value) is not None for value in values) > MOST * len(values)


def _personal_numbers(values: Sequence[str], cells: int, distinct: int) -> bool:
    """Long codes of one length, of which nobody has many; a telephone number has no fixed one."""
    lengths = {len(value) for value in values}
    begin = sum(value.startswith("0") and value.isdecimal() for value in values)
    return distinct > FEW and 20 * distinct > cells and len(lengths) <= 2 and 2 * begin < len(values) and most(PERSONAL_NUMBER, values)


def _names(values: Sequence[str]) -> bool:
    """Enough frequent names among words that all begin with a capital letter."""
    if not most(NAME, values):
        return False
    frequent = _frequent_names()
    named = sum(bool(frequent & _parts(value)) for value in values)
    return named >= 3 and named > NAMED * len(values)


def _parts(value: str) -> set[str]:
    whole = folded(value)
    return {whole, *re.split(r"[ ,.'’-]+", whole)}


@functools.cache
def _frequent_names() -> frozenset[str]:
    sections = tomllib.loads(NAMES.read_text(encoding="utf-8"))
    return frozenset(folded(name.strip()) for listed in sections.values() for names in listed.values() for name in names.split(","))

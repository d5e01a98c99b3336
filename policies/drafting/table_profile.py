"""What is known of a table and its columns without holding a value of them, but for the ends of numbers and days."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

Look = Literal["number", "integer", "date", "text"]


class Meaning(StrEnum):
    """What a header says that a column holds. The words for each are in tasks/profiling/header_words.toml."""

    E_MAIL = "e_mail"
    PHONE = "phone"
    INSURANCE_NUMBER = "insurance_number"
    LAST_NAME = "last_name"
    FIRST_NAME = "first_name"
    BIRTH_DATE = "birth_date"
    POSTAL_CODE = "postal_code"
    STREET = "street"
    FREE_TEXT = "free_text"
    CITY = "city"
    REGION = "region"
    NATIONALITY = "nationality"
    AGE = "age"
    SEX = "sex"
    MARITAL_STATUS = "marital_status"
    RELIGION = "religion"
    DIAGNOSIS = "diagnosis"
    INCOME = "income"
    AMOUNT = "amount"
    OCCUPATION = "occupation"
    EDUCATION = "education"
    DATE = "date"
    SAMPLING_WEIGHT = "sampling_weight"
    WEIGHT = "weight"  # of a row in a survey, or of a body
    HOUSEHOLD = "household"
    ID = "id"
    NAME = "name"


class Form(StrEnum):
    """What the values of a column look like."""

    E_MAIL = "e-mail addresses"
    PHONE = "phone numbers"
    PERSON_NAME = "names of people"
    POSTAL_CODE = "postal codes"
    PERSONAL_NUMBER = "numbers of people or cases, such as insurance numbers"
    RUNNING_NUMBER = "running numbers"
    FREE_TEXT = "free text"


@dataclass(frozen=True)
class Written:
    """How the source writes numbers or days, where it is in another way than headgate does."""

    decimal: str = ""
    thousands: str = ""
    units: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    years: tuple[int, int] | None = None  # where a year has two digits: the first and the last that they can mean


@dataclass(frozen=True)
class ColumnProfile:
    name: str
    dtype: Look  # what its cells are, once they are read as they are `written`
    distinct: int
    rows: int
    missing_share: float = 0.0
    least: float | None = None
    greatest: float | None = None
    separator: str = ""  # what may part several values in one cell
    written: Written = Written()
    almost: str = ""  # what of it cannot be read so, or can be read in two ways
    meaning: Meaning | None = None
    form: Form | None = None
    tail: float | None = None  # how many times the 99th percentile the largest number is
    grid: float | None = None  # what all its numbers are multiples of
    step: float | None = None  # what numbers can be rounded to, so that few values are left

    @property
    def constant(self) -> bool:
        return self.distinct == 0 or (self.distinct == 1 and self.missing_share == 0)

    @property
    def present(self) -> int:
        return round(self.rows * (1 - self.missing_share))

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
    keys: Mapping[str, str] = field(default_factory=dict)  # what else `source` must say, such as which sheet
    per: str | None = None  # what seems to number people, where they have several rows
    varying: frozenset[str] = frozenset()  # columns that differ between the rows of such a person
    tied: Mapping[str, int] = field(default_factory=dict)  # of columns of days among them: people of whom several rows have one day
    people: int | None = None  # how many different names with a birth date there are, where the table has both

    @property
    def most_people(self) -> int:
        """At most so many people have a row."""
        per = next((column for column in self.columns if column.name == self.per), None)
        return per.distinct if per is not None else max((column.rows for column in self.columns), default=0)

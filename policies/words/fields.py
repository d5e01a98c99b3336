"""The small words a policy file is made of: exact decimals, names, paths; and sections that know their own keys."""

from __future__ import annotations

import codecs
import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal, InvalidOperation
from fractions import Fraction
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, PlainValidator, model_validator
from pydantic_core import PydanticCustomError

from policies.words.frozen import Frozen

DIGITS = Context(prec=40)
KeyPath = tuple[str | int, ...]


@dataclass(frozen=True)
class Problem:
    """One thing a policy says that cannot be meant: where, what was found, what is accepted."""

    path: KeyPath
    found: str
    accepted: str

    def below(self, *prefix: str | int) -> Problem:
        return Problem((*prefix, *self.path), self.found, self.accepted)


class Problems(ValueError):
    """Several problems of one section, each with its own place below that section."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{'.'.join(map(str, p.path))}: found {p.found}; accepted: {p.accepted}" for p in self.problems))


class WrittenInt(int):
    """A whole number of a policy file that remembers its spelling: the category 010 is not the category 10."""

    text: str

    def __new__(cls, text: str) -> WrittenInt:
        number = super().__new__(cls, text, 0) if re.match(r"[-+]?0[xob]", text) else super().__new__(cls, text.replace("_", ""))
        number.text = text
        return number


class WrittenDecimal(Decimal):
    """A decimal of a policy file that remembers its spelling."""

    text: str

    def __new__(cls, text: str) -> WrittenDecimal:
        number = super().__new__(cls, text.replace("_", ""))
        number.text = text
        return number


class WrittenFraction(Decimal):
    """A fraction of a policy file that no decimal says, such as 1/11: as a number its nearest decimal of 40 digits, as a text itself."""

    text: str

    def __new__(cls, fraction: Fraction) -> WrittenFraction:
        number = super().__new__(cls, DIGITS.divide(Decimal(fraction.numerator), Decimal(fraction.denominator)))
        number.text = str(fraction)
        return number

    def __str__(self) -> str:
        return self.text


def nearest(word: str, accepted: Iterable[str]) -> str | None:
    """The accepted word a person most likely meant."""
    close = difflib.get_close_matches(word.casefold(), list(accepted), n=1, cutoff=0.6)
    return close[0] if close else None


def choices(accepted: Iterable[str], written: str = "") -> str:
    """'a, b or c', with a guess at what was meant."""
    words = [str(word) for word in accepted]
    listed = " or ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)
    guess = nearest(written, words) if written else None
    return f"{listed} (did you mean {guess}?)" if guess else listed


SLOW_CODECS = ("punycode", "idna", "unicode_escape", "raw_unicode_escape", "undefined")


def _encoding(name: str) -> str:
    """Some of Python's codecs turn no bytes into text, or take a time that grows with the square of their length."""
    try:
        fast = bool(bytes(4).decode(name)) and codecs.lookup(name).name.replace("-", "_") not in SLOW_CODECS
    except (LookupError, ValueError):
        fast = False
    if not fast:
        raise PydanticCustomError("encoding", "Input should be a text encoding such as utf-8, latin-1 or cp1252")
    return name


Encoding = Annotated[str, AfterValidator(_encoding)]
Separator = Annotated[str, Field(min_length=1, max_length=1)]


def decimal_text(number: Decimal | int) -> str:
    """The number a person wrote, without exponent and without zeros that mean nothing: 0.60 and 6e-1 are 0.6, and 2/22 is 1/11."""
    if isinstance(number, WrittenFraction):
        return number.text
    text = format(Decimal(number), "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def decimal_of(number: Fraction) -> Decimal:
    """The decimal that is this number; where there is none, the fraction."""
    written = WrittenFraction(number)
    return Decimal(written) if Fraction(written) == number else written


def _how_to_write(text: str) -> str:
    if re.fullmatch(r"\s*[-+]?\d+([.,]\d+)?\s*%\s*", text):
        return "; write a share as a decimal, such as 0.9 for 90 %"
    return "; write a decimal with a point, such as 0.9" if re.fullmatch(r"\s*[-+]?\d+,\d+\s*", text) else ""


def _decimal(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        raise PydanticCustomError("exact_number", "Input should be a number")
    try:
        number = Decimal(repr(value)) if isinstance(value, float) else Decimal(int(value)) if isinstance(value, int) else Decimal(value)
    except InvalidOperation:
        raise PydanticCustomError("exact_number", f"Input should be a number{_how_to_write(str(value))}") from None
    if not number.is_finite():
        raise PydanticCustomError("exact_number", "Input should be a finite number")
    if not -30 <= number.adjusted() <= 30 or len(number.as_tuple().digits) > 40:
        raise PydanticCustomError("exact_number", "Input should be a number of at most 40 digits, neither above 1e30 nor finer than 1e-30")
    return number


def _fraction(value: Any) -> Any:
    """1/11 as well as 0.5."""
    written = re.fullmatch(r"(\d{1,30})/(\d{1,30})", value) if isinstance(value, str) else None
    if written is None or not int(written[2]):
        return _decimal(value)
    return decimal_of(Fraction(int(written[1]), int(written[2])))


def _text(value: Any) -> Any:
    """Numbers where values are listed are meant as written."""
    return value.text if isinstance(value, WrittenInt | WrittenDecimal) else str(value) if type(value) is int else value


def _input_path(path: str) -> str:
    if "\x00" in path or not path.strip():
        raise PydanticCustomError("path", "Input should be the path of a file, relative to the policy file")
    return path


def _store_path(path: str) -> str:
    """One folder of the store: a longer path could lead into another dataset's."""
    if not re.fullmatch(r"[A-Za-z0-9][\w.\-]{0,126}", path, re.ASCII):
        raise PydanticCustomError("store_path", "Input should be one plain name: letters and digits, then also '.', '_' and '-'")
    return path


def _unique(values: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(set(values)) != len(values):
        raise PydanticCustomError("unique", "Input should be a list without repeated values")
    return values


Exact = Annotated[Decimal, BeforeValidator(_decimal), PlainSerializer(decimal_text, return_type=str)]
Threshold = Annotated[Decimal, PlainValidator(_fraction), PlainSerializer(decimal_text, return_type=str)]
NotNegative = Annotated[Threshold, Field(ge=0)]
Share = Annotated[Threshold, Field(ge=0, le=1)]
PositiveShare = Annotated[Threshold, Field(gt=0, le=1)]
Whole = Annotated[int, Field(strict=True)]
Positive = Annotated[int, Field(strict=True, ge=1)]
Text = Annotated[str, Field(min_length=1)]
ValueText = Annotated[str, BeforeValidator(_text)]
InputPath = Annotated[str, AfterValidator(_input_path)]
StorePath = Annotated[str, AfterValidator(_store_path)]
UniqueTexts = Annotated[tuple[ValueText, ...], Field(min_length=1), AfterValidator(_unique)]
UniqueNames = Annotated[tuple[Text, ...], Field(min_length=1), AfterValidator(_unique)]


class Section(Frozen):
    """A mapping of the policy file. A key it does not know is named together with the nearest one it does."""

    @model_validator(mode="before")
    @classmethod
    def _knows_its_keys(cls, section: Any) -> Any:
        if isinstance(section, Mapping) and cls.model_config.get("extra") != "allow":
            accepted = [field.alias or name for name, field in cls.model_fields.items()]
            names = set(accepted) | set(cls.model_fields)
            unknown = [key for key in section if key not in names]
            if unknown:
                raise Problems(Problem((str(key),), f"unknown key '{key}'", choices(accepted, str(key))) for key in unknown)
        return section

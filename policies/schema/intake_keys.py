"""The keys of an attribute that say how the source writes its cells, and what they become before anything else sees them."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, TypeAdapter
from pydantic_core import PydanticCustomError

from policies.intake.bands import Bands, band_names
from policies.intake.recoding import Unmapped
from policies.intake.written_days import ACCEPTED, CENTURY, DayForm, day_form
from policies.words.fields import Encoding, Exact, InputPath, Section, Separator, Text, UniqueTexts, ValueText, decimal_text

FEWEST_BOUNDS = 3  # of two bands
ACCEPTED_BANDS = "bounds that ascend, such as [0, 18, 65, 110]; or names, such as {child: [0, 18], adult: [18, 110]}"
WITHOUT_SPAN = "A year of two digits needs a domain of less than 100 years"

DecimalMark = Literal[".", ","]
ThousandsMark = Literal[".", ",", " ", "'"]
EmptySet = Literal["missing", "none"]


def _listed(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


def _day_forms(texts: tuple[str, ...]) -> tuple[str, ...]:
    if any(day_form(text) is None for text in texts):
        raise PydanticCustomError("day_form", "{accepted}", {"accepted": f'the form of a whole day, such as "%d.%m.%Y": {ACCEPTED}'})
    return texts


def _iso_day(text: str) -> str:
    try:
        return datetime.date.fromisoformat(text).isoformat()
    except ValueError:
        raise PydanticCustomError("day", "a day written YYYY-MM-DD") from None


def _some(table: dict[str, str | None]) -> dict[str, str | None]:
    if not table:
        accepted = 'what is found and what it means, such as {"1": male, "2": female, "9": null}'
        raise PydanticCustomError("map", "{accepted}", {"accepted": accepted})
    return {key.strip(): value for key, value in table.items()}


Units = Annotated[UniqueTexts, BeforeValidator(_listed)]
DayForms = Annotated[UniqueTexts, BeforeValidator(_listed), AfterValidator(_day_forms)]
Recoded = Annotated[dict[str, ValueText | None], AfterValidator(_some)]


@dataclass(frozen=True)
class BandsKey:
    names: tuple[str, ...]
    bounds: tuple[Decimal, ...]

    @property
    def rule(self) -> Bands:
        return Bands(self.names, self.bounds)

    @property
    def written(self) -> list[dict[str, str]]:
        lows, highs = map(decimal_text, self.bounds[:-1]), map(decimal_text, self.bounds[1:])
        return [{"name": name, "from": low, "to": high} for name, low, high in zip(self.names, lows, highs, strict=True)]


_BOUNDS: TypeAdapter[tuple[Decimal, ...]] = TypeAdapter(tuple[Exact, ...])


def _bands(value: Any) -> BandsKey:
    if isinstance(value, BandsKey):
        return value
    names: Sequence[str] | None = None
    if isinstance(value, Mapping):
        names, ends = list(value), [_bounds(pair) for pair in value.values()]
        if not ends or any(len(pair) != 2 for pair in ends) or any(left[1] != right[0] for left, right in pairwise(ends)):
            accepted = "[from, to] for each band; a band begins where the one before it ends, and only the last holds its upper end"
            raise PydanticCustomError("bands", "{accepted}", {"accepted": accepted})
        bounds = (ends[0][0], *(pair[1] for pair in ends))
    else:
        bounds = _bounds(value)
    if len(bounds) < FEWEST_BOUNDS or any(left >= right for left, right in pairwise(bounds)):
        raise _not_bands()
    return BandsKey(tuple(names) if names is not None else band_names(bounds), bounds)


def _bounds(value: Any) -> tuple[Decimal, ...]:
    if not isinstance(value, list | tuple):
        raise _not_bands()
    try:
        return _BOUNDS.validate_python(value)
    except ValueError:
        raise _not_bands() from None


def _not_bands() -> PydanticCustomError:
    return PydanticCustomError("bands", "{accepted}", {"accepted": ACCEPTED_BANDS})


BandsField = Annotated[BandsKey, BeforeValidator(_bands), PlainSerializer(lambda bands: bands.written)]


class AgeKey(Section):
    """Completed years between the birth date in another attribute and a day."""

    origin: Text = Field(alias="from")
    at: Annotated[str, AfterValidator(_iso_day)]


class RegionKey(Section):
    """What another attribute's value belongs to, by a table: column `key` holds that value, column `value` what it becomes."""

    origin: Text = Field(alias="from")
    path: InputPath
    key: Text
    value: Text
    separator: Separator = ","
    encoding: Encoding = "utf-8"


def forms_of(texts: Sequence[str]) -> Iterator[DayForm]:
    for text in texts:
        form = day_form(text)
        if form is not None:
            yield form


def span_of(domain: tuple[Any, Any] | None) -> tuple[datetime.date, datetime.date] | None:
    """The days of a domain that is short enough to tell the century."""
    if domain is None or not all(isinstance(end, str) for end in domain):
        return None
    first, last = (datetime.date.fromisoformat(end) for end in domain)
    return (first, last) if last.year - first.year < CENTURY else None


class IntakeKeys(Section):
    decimal: DecimalMark | None = None
    thousands: ThousandsMark | None = None
    unit: Units | None = None
    date: DayForms | None = None
    empty: EmptySet | None = None
    map: Recoded | None = None
    unmapped: Unmapped | None = None
    bands: BandsField | None = None
    age: AgeKey | None = None
    region: RegionKey | None = None

    @property
    def origin(self) -> str | None:
        """The attribute that this one is made from; None if it is a column of the source."""
        made = self.age or self.region
        return None if made is None else made.origin

    @property
    def said(self) -> str:
        """What readers of the published column must know, in sentences of the data dictionary."""
        sentences = []
        if self.unit is not None:
            sentences.append(f"In {self.unit[0]}.")
        if self.age is not None:
            sentences.append(f"Completed years at {self.age.at}.")
        if self.bands is not None:
            low, high = decimal_text(self.bands.bounds[0]), decimal_text(self.bands.bounds[-1])
            sentences.append(f"Numbers from {low} to {high} in bands, of which each ends before the next one begins.")
        return " ".join(sentences)

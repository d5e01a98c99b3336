"""A record that crosses an edge cannot be changed, and has no place for what nobody declared."""

from __future__ import annotations

import math

import pytest
from pydantic import Field, ValidationError

from policies.words.frozen import Frozen


class Record(Frozen):
    version: int = Field(default=1, alias="schema")
    share: float = 0.5


def test_a_record_is_never_changed() -> None:
    record = Record()
    with pytest.raises(ValidationError, match="frozen"):
        record.share = 0.9  # type: ignore[misc]
    assert record == Record(share=0.5)
    assert hash(record) == hash(Record(share=0.5))


def test_an_unknown_key_is_refused() -> None:
    """A forged field beside the true ones would travel on, signed."""
    with pytest.raises(ValidationError, match="extra"):
        Record.model_validate({"share": 0.5, "shared": 1})


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_figure_is_a_number(number: float) -> None:
    """Compared with a bound, NaN is neither above nor below it."""
    with pytest.raises(ValidationError, match="finite"):
        Record(share=number)


def test_a_field_is_set_by_its_own_name_and_by_the_one_in_the_file() -> None:
    assert Record(version=2) == Record.model_validate({"schema": 2})

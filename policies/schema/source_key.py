"""Where a release's rows come from, and what is expected of them before anything is done.

A kind of source is a form here, in the tuple SOURCES, and its reader in tasks/reading/source_<kind>.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, SerializeAsAny, model_validator
from pydantic_core import PydanticKnownError

from policies.words.fields import Encoding, InputPath, NotNegative, Positive, Problem, Problems, Section, Separator, Share, Text, Whole


class SourceKey(Section):
    """`kind` decides which other keys there are."""

    kind: str


class CsvSource(SourceKey):
    kind: Literal["csv"]
    path: InputPath
    separator: Separator = ","
    encoding: Encoding = "utf-8"


class ParquetSource(SourceKey):
    kind: Literal["parquet"]
    path: InputPath


class ExcelSource(SourceKey):
    """`sheet` is needed where several sheets hold something; `header`: the line that names the columns."""

    kind: Literal["excel"]
    path: InputPath
    sheet: Text | None = None
    header: Positive = 1


class LabelledSource(SourceKey):
    """`labels`: the labels of numbers are read in their place."""

    path: InputPath
    labels: Annotated[bool, Field(strict=True)] = False
    encoding: Encoding | None = None


class SpssSource(LabelledSource):
    kind: Literal["spss"]


class StataSource(LabelledSource):
    kind: Literal["stata"]


class SqlSource(SourceKey):
    """The database's address holds a password, so the policy names the environment variable it is in."""

    kind: Literal["sql"]
    url_env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
    query: Text


SOURCES: tuple[type[SourceKey], ...] = (CsvSource, ParquetSource, ExcelSource, SpssSource, StataSource, SqlSource)


def kinds_of_source() -> dict[str, type[SourceKey]]:
    """Every kind by its word in the policy file."""
    return {get_args(form.model_fields["kind"].annotation)[0]: form for form in SOURCES}


def _of_its_kind(written: Any) -> SourceKey:
    if isinstance(written, SourceKey):
        return written
    forms = kinds_of_source()
    kind = written.get("kind") if isinstance(written, Mapping) else None
    if kind is None:
        raise PydanticKnownError("union_tag_not_found", {"discriminator": "'kind'"})
    if not isinstance(kind, str) or kind not in forms:
        expected = ", ".join(map(repr, forms))
        raise PydanticKnownError("union_tag_invalid", {"discriminator": "'kind'", "tag": str(kind), "expected_tags": expected})
    return forms[kind].model_validate(written)


Source = Annotated[SerializeAsAny[SourceKey], BeforeValidator(_of_its_kind)]


class ExpectedRows(Section):
    """`change`: the largest share by which the number of rows may differ from the previous release's."""

    min: Annotated[Whole, Field(ge=0)] | None = None
    max: Annotated[Whole, Field(ge=0)] | None = None
    change: NotNegative | None = None

    @model_validator(mode="after")
    def _in_order(self) -> ExpectedRows:
        if self.min is not None and self.max is not None and self.min > self.max:
            raise Problems([Problem(("min",), f"{self.min}", f"at most max, which is {self.max}")])
        return self


class Expectations(Section):
    """The steward's own expectations, beside the suite that follows from the policy. `suite` is a Great Expectations suite in
    JSON; `missing` gives the largest share of missing cells per attribute."""

    suite: InputPath | None = None
    rows: ExpectedRows = ExpectedRows()
    missing: dict[str, Share] = {}

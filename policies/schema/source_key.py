"""Where a release's rows come from, and what is expected of them before anything is done."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from policies.words.fields import Encoding, InputPath, NotNegative, Problem, Problems, Section, Separator, Share, Text, Whole


class CsvSource(Section):
    kind: Literal["csv"]
    path: InputPath
    separator: Separator = ","
    encoding: Encoding = "utf-8"


class ParquetSource(Section):
    kind: Literal["parquet"]
    path: InputPath


class SqlSource(Section):
    """The database's address holds a password, so the policy names the environment variable it is in."""

    kind: Literal["sql"]
    url_env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
    query: Text


Source = Annotated[CsvSource | ParquetSource | SqlSource, Field(discriminator="kind")]


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

"""What must hold of the published tables, who must agree, and where and when they are published."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator

from policies.schema.cron import check_cron, check_timezone
from policies.schema.disclosure_key import DisclosureGate
from policies.words.fields import (
    Exact,
    InputPath,
    NotNegative,
    Positive,
    PositiveShare,
    Problem,
    Problems,
    Section,
    Share,
    StorePath,
)


def _one_or_each(found: Any) -> str:
    return "each" if isinstance(found, Mapping) else "all"


LeastDistinct = Annotated[Exact, Field(ge=1)]
ClosenessKey = Annotated[
    Annotated[NotNegative, Tag("all")] | Annotated[dict[str, NotNegative], Tag("each")],
    Discriminator(_one_or_each),
]
DistinctKey = Annotated[
    Annotated[LeastDistinct, Tag("all")] | Annotated[dict[str, LeastDistinct], Tag("each")],
    Discriminator(_one_or_each),
]


class DeltaLGate(Section):
    """(δ, l)-diversity: values within 2·interval of each other are similar. For dates the interval is in days."""

    interval: NotNegative
    l: Annotated[Exact, Field(ge=1)]  # noqa: E741 - the literature's name


class ReidentificationGate(Section):
    """Prosecutor risk 1/|group|: the largest of any row, and the mean over rows."""

    max: PositiveShare | None = None
    mean: PositiveShare | None = None

    @model_validator(mode="after")
    def _bounds_something(self) -> ReidentificationGate:
        if self.mean is None and self.max is None:
            raise Problems([Problem((), "a reidentification gate without a bound", "mean: …, max: … or both")])
        return self


class Gates(Section):
    """`linkability` is mandatory: a composite (ε, δ) can hide an attribute that is equal for a whole group (DEFINITIONS §3)."""

    linkability: PositiveShare
    delta_l: dict[str, DeltaLGate] = {}
    closeness: ClosenessKey | None = None
    distinct_l: DistinctKey | None = None
    disclosure: DisclosureGate | None = None
    reidentification: ReidentificationGate | None = None


class UtilityKey(Section):
    """Count queries over `dimensions` quasi-identifiers and `sensitive_dimensions` sensitive attributes of one table, or over all
    where a table has fewer."""

    queries: Positive = 1000
    dimensions: Positive = 3
    sensitive_dimensions: Annotated[int, Field(strict=True, ge=0)] = 2
    selectivity: PositiveShare = Decimal("0.1")
    max_error: NotNegative | None = None
    max_loss: Share | None = None


class ApprovalKey(Section):
    """How many signers must agree. `signers` is an OpenSSH allowed_signers file; without it the operator's counts.
    After `expires_days` without a publication nothing more can be decided."""

    required: Positive = 1
    signers: InputPath | None = None
    expires_days: Positive | None = None


class PublishKey(Section):
    """`to` is a folder of the store."""

    to: StorePath
    formats: Annotated[tuple[Literal["csv", "parquet"], ...], Field(min_length=1)] = ("csv", "parquet")

    @model_validator(mode="after")
    def _each_once(self) -> PublishKey:
        if len(set(self.formats)) != len(self.formats):
            raise Problems([Problem(("formats",), "a format listed twice", "each format once")])
        return self


class ScheduleKey(Section):
    cron: Annotated[str, AfterValidator(check_cron)]
    timezone: Annotated[str, AfterValidator(check_timezone)] = "UTC"

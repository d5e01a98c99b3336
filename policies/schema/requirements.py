"""What must hold of the published tables, who must agree, and where and when they are published."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from headgate.core.published_form.file_parts import ROWS_PER_PART
from policies.attackers.attackers_key import AttackersKey
from policies.gates.every_gate import GATES, keys_of
from policies.schema.cron import check_cron, check_timezone
from policies.words.cron_moments import CronMoments
from policies.words.fields import (
    InputPath,
    KeyPath,
    Positive,
    PositiveShare,
    Problem,
    Problems,
    Section,
    StorePath,
)
from policies.words.quorum import Quorum, RequiredRoles

CELLS = ("csv", "parquet")  # hold the cells that are measured
LABELLED = ("spss", "stata")  # written from those cells
DDI = "ddi"  # describes the tables for data archives
CROISSANT = "croissant"  # and for machine learning


def _five_fields(text: str) -> str:
    """People read the moment on a calendar: to the minute, and spelled out."""
    if len(text.split()) != 5:
        raise PydanticCustomError("cron", "Input should be a cron expression of five fields, such as 30 9 * * 2")
    return text


MOST_DAYS = 36_500
MOST_QUERIES = 1_000_000


class Gates(*keys_of("gates")):  # type: ignore[misc]
    """What must hold of the published tables: the keys of every gate."""

    @property
    def attackers(self) -> AttackersKey | None:
        """What the policy says of attackers, at the gate that reckons with them."""
        return next((key for gate in GATES if (key := gate.attackers(self)) is not None), None)

    @model_validator(mode="after")
    def _attackers_at_one_gate(self) -> Gates:
        """Their dictionaries are read, and threats measured, once for all gates."""
        first, *others = [gate.name for gate in GATES if gate.attackers(self) is not None] or [""]
        if others:
            raise Problems([Problem((others[0],), f"attackers here and in '{first}'", "one gate that reckons with attackers")])
        return self

    @property
    def attacks_versions(self) -> bool:
        """Whether something is promised of who compares several versions by attacking them."""
        return self.attack is not None and self.attack.series is not None

    @property
    def attackers_path(self) -> KeyPath:
        """Where it says so."""
        return next((gate.section, gate.name) for gate in GATES if gate.attackers(self) is not None)


class UtilityKey(*keys_of("utility")):  # type: ignore[misc]
    """Count queries over `dimensions` quasi-identifiers and `sensitive_dimensions` sensitive attributes of one table, or over all
    where a table has fewer; and the bounds on what a release may lose."""

    queries: Annotated[Positive, Field(le=MOST_QUERIES)] = 1000
    dimensions: Positive = 3
    sensitive_dimensions: Annotated[int, Field(strict=True, ge=0)] = 2
    selectivity: PositiveShare = Decimal("0.1")


class ApprovalKey(Section):
    """How many signers must agree, and how many of them must hold a role that the operator has given them. `signers` is an OpenSSH
    allowed_signers file; without it the operator's counts. After `expires_days` without a publication nothing more can be decided.
    `blind`: nobody is shown who has agreed, as what and why, until it is decided."""

    required: Positive = 1
    roles: RequiredRoles = {}
    signers: InputPath | None = None
    expires_days: Annotated[Positive, Field(le=MOST_DAYS)] | None = None
    blind: Annotated[bool, Field(strict=True)] = False

    @property
    def quorum(self) -> Quorum:
        return Quorum(self.required, self.roles)


class NotBeforeKey(Section):
    """An approved candidate waits for the first of these moments after the approval that was still missing."""

    cron: Annotated[str, AfterValidator(check_cron), AfterValidator(_five_fields)]
    timezone: Annotated[str, AfterValidator(check_timezone)] = "UTC"


class PublishKey(Section):
    """`to` is a folder of the store, or a target of the operator's. `not_before`: when it may be published. `bounds`: the low and high ends
    of generalized numbers, days and levels are columns too. `rows_per_part`: a table of more rows is published in parts."""

    to: StorePath
    not_before: NotBeforeKey | None = None
    formats: Annotated[tuple[Literal["csv", "parquet", "spss", "stata", "ddi", "croissant"], ...], Field(min_length=1)] = ("csv", "parquet")
    bounds: Annotated[bool, Field(strict=True)] = False
    rows_per_part: Annotated[int, Field(strict=True, ge=1)] = ROWS_PER_PART

    @model_validator(mode="after")
    def _each_once(self) -> PublishKey:
        if len(set(self.formats)) != len(self.formats):
            raise Problems([Problem(("formats",), "a format listed twice", "each format once")])
        if not self.tables:
            raise Problems([Problem(("formats",), "no format of tables", "csv, parquet or both: all others are made from them")])
        return self

    @property
    def tables(self) -> tuple[str, ...]:
        """The formats whose cells are measured."""
        return tuple(form for form in self.formats if form in CELLS)

    @property
    def labelled(self) -> tuple[str, ...]:
        """The formats of statistics programs, which are written from the measured cells."""
        return tuple(form for form in self.formats if form in LABELLED)


class ScheduleKey(Section):
    cron: Annotated[str, AfterValidator(check_cron)]
    timezone: Annotated[str, AfterValidator(check_timezone)] = "UTC"

    @property
    def moments(self) -> CronMoments:
        return CronMoments(cron=self.cron, timezone=self.timezone)

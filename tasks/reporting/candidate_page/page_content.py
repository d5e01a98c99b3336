"""What the page about a candidate says, apart from its words: sealed beside the tables as `page.json`, so that it can be told again in any
language, and in the console. No row of the source, and of the published tables only the sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import ConfigDict

from headgate.released.distributions import Beside
from headgate.risk.disclosure.patterns import Pattern
from policies.changes.release_changes import Changes
from policies.gates.figures import AttackGain, ReleaseUtility, TableFigures
from policies.gates.series_figures import SeriesFigures
from policies.gates.verdict import Verdict
from policies.judging.exposure import Exposure
from policies.sealed.manifest import Plan
from policies.sealed.promise import Promise
from policies.words.frozen import Frozen
from tasks.reporting.data_dictionary import FieldDescription
from tasks.reporting.measured_tables import Limits, Outcome


class Sample(Frozen):
    """Some published rows of one table, as they are in its file; None is a missing cell."""

    table: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


class Example(Frozen):
    """What many people's published cells look like, and an invented person whom they would fit. No row of the source is behind it."""

    columns: tuple[str, ...]
    invented: tuple[str, ...]
    published: tuple[str, ...]
    people: int


class ShownTable(Frozen):
    """`loss` and `spread` by quasi-identifier; `pictures` by name, as SVG."""

    figures: TableFigures
    fields: tuple[FieldDescription, ...] = ()
    sample: Sample | None = None
    example: Example | None = None
    loss: Mapping[str, float] = {}
    pictures: Mapping[str, str] = {}

    @property
    def name(self) -> str:
        return self.figures.name


class ShownPatterns(Frozen):
    table: str
    dictionary: str
    patterns: tuple[Pattern, ...]


class Answered(Frozen):
    """A candidate for which changes were requested, and what is otherwise in the one that answers it."""

    candidate: str
    changes: Changes | None  # None where it cannot be read any more


class CandidatePage(Frozen):
    """Of a candidate, or of a release that was refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=True, ser_json_inf_nan="strings")

    schema_version: Literal[1] = 1
    product: str
    dataset: str
    title: str
    release_id: str
    created: str
    passed: bool
    refusal: str = ""  # why it ended where no gate was the reason
    about: Mapping[str, str] = {}
    runner: str = ""
    policy_file: str = ""
    policy_digest: str
    publish_to: str = ""
    approvals: int | None = None
    roles: Mapping[str, int] = {}
    rows: int
    suppressed: int
    suppressed_cells: Mapping[str, int] = {}
    left_out: tuple[str, ...] = ()
    promise: Promise | None = None
    plan: Plan | None = None
    tables: tuple[ShownTable, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    utility: ReleaseUtility | None = None
    limits: Limits = Limits()
    spread: Mapping[str, Beside] = {}  # of each quasi-identifier, in the source and as published
    attacks: tuple[str, ...] = ()
    attack_gains: tuple[AttackGain, ...] = ()
    series: SeriesFigures | None = None
    versions: Mapping[str, str] = {}
    exposures: tuple[Exposure, ...] = ()
    patterns: tuple[ShownPatterns, ...] = ()
    bounds: tuple[str, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    changes: Changes | None = None  # since the version that was published last
    uncompared: str = ""  # why there are none, where there is such a version
    answered: tuple[Answered, ...] = ()
    pictures: Mapping[str, str] = {}  # of the whole, by name, as SVG

    @property
    def suppressed_share(self) -> float:
        return self.suppressed / self.rows if self.rows else 0.0

    @property
    def refused_by(self) -> tuple[Verdict, ...]:
        return tuple(verdict for verdict in self.verdicts if not verdict.passed)

    @property
    def known(self) -> tuple[str, ...]:
        """What others may know of people: the quasi-identifiers."""
        return () if self.promise is None else tuple(quasi.name for quasi in self.promise.quasi)

    @property
    def of_release(self) -> Mapping[str, str]:
        """Every picture by a name of its own: those of a table begin with the table's."""
        return {f"{table.name}-{name}": svg for table in self.tables for name, svg in table.pictures.items()} | dict(self.pictures)


def page_json(page: CandidatePage) -> bytes:
    return page.model_dump_json(round_trip=True, exclude_defaults=True).encode() + b"\n"


def read_page(content: bytes) -> CandidatePage:
    """ValidationError where it is not one that this version writes."""
    return CandidatePage.model_validate_json(content)

"""All that changed from one candidate or version to another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from headgate.released.distributions import moved
from headgate.released.released_tables import Release
from policies.changes.figure_changes import FigureChange, GateChange, figure_changes, gate_changes
from policies.changes.people_changes import PeopleChange, people_told
from policies.changes.policy_changes import PolicyChange, policy_changes
from policies.changes.reader_changes import ReaderChange, reader_changes
from policies.sealed.manifest import Manifest
from policies.words.frozen import Frozen


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two: `candidate` is empty while it is not sealed; `policy` is the digested form, None where it is not known."""

    manifest: Manifest
    tables: Release
    candidate: str = ""
    policy: Mapping[str, Any] | None = None


class Compared(Frozen):
    candidate: str
    release: str
    dataset: str
    created: str
    policy_digest: str
    tables: tuple[tuple[str, ...], ...]  # the plan


class ColumnChange(Frozen):
    """How far the published values of a column moved: the least share of the rows that would have to change their value for both to be
    alike, and the place where the share of the rows changed most."""

    table: str
    column: str
    total_variation: float
    place: str
    before: float
    after: float


class Changes(Frozen):
    """`policy` and `people` are None where one of the two does not say them. `columns`: what moved most stands first."""

    before: Compared
    after: Compared
    same_source: bool
    people: PeopleChange | None = None
    policy: tuple[PolicyChange, ...] | None
    readers: tuple[ReaderChange, ...]
    gates: tuple[GateChange, ...]
    figures: tuple[FigureChange, ...]
    columns: tuple[ColumnChange, ...]


def release_changes(before: Side, after: Side) -> Changes:
    known = before.policy is not None and after.policy is not None
    return Changes(
        before=_compared(before),
        after=_compared(after),
        same_source=before.manifest.source_hmac == after.manifest.source_hmac,
        people=people_told(before.candidate, after.manifest),
        policy=policy_changes(before.policy or {}, after.policy or {}) if known else None,
        readers=reader_changes(before.manifest, after.manifest),
        gates=gate_changes(before.manifest, after.manifest),
        figures=figure_changes(before.manifest, after.manifest),
        columns=column_changes(before.tables, after.tables),
    )


def _compared(side: Side) -> Compared:
    said = side.manifest
    return Compared(
        candidate=side.candidate,
        release=said.release_id,
        dataset=said.dataset,
        created=said.created,
        policy_digest=said.policy_digest,
        tables=said.plan.tables,
    )


def column_changes(before: Release, after: Release) -> tuple[ColumnChange, ...]:
    """Of each column that both have, once: quasi-identifiers are in every table, of the same people."""
    changes, seen = [], set[str]()
    for name, table in after.items():
        for column in (column for column in table.columns if column not in seen):
            earlier = next((each for each in before.values() if column in each.columns), None)
            found = None if earlier is None else moved(earlier.spread(column), table.spread(column))
            if found is not None:
                seen.add(column)
                changes.append(ColumnChange(table=name, column=column, **asdict(found)))
    return tuple(sorted(changes, key=lambda change: -change.total_variation))

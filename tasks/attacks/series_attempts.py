"""The attack on several versions, tried on a version together with those before it (DEFINITIONS §11): for each steady attribute that is in
two versions of somebody; of a set, for the value with most to gain.

People who were suppressed, and are in no version before either, are the control: about them the same guesses are right by knowledge of the
population alone. Each is looked for where somebody who thinks that they were published would look: in the groups of a random person whose
record fits their quasi-identifiers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.attacks.matching import UNSEEN, translated
from headgate.attacks.series_guessing import Outsiders, SeriesGuessing, fitting_row, series_guessing
from headgate.core.columns import Column
from headgate.core.published_form.published_table import PublishedTable
from headgate.series.chains import ABSENT
from headgate.series.published_versions import Version, VersionTable
from tasks.attacks.attempts import Attempt, Finished, drawn_places

SERIES, CONTROL = "Series", "Series control"
FEWEST = 100  # outsiders: the 95 % interval of their share is then at most ten points to either side


@dataclass(frozen=True, eq=False)
class KnownSeries:
    """`versions` oldest first: the last is the new one, by whose people all are numbered, with their own values. `outsiders`: the columns
    of those people of the source who are in no version, like `Finished.people`. `told`: how many people are said to be in several versions.
    No more are attacked: what an attack says is published, and the exact number would tell how many came and left."""

    versions: Sequence[Version]
    outsiders: Mapping[str, Column]
    told: int


@dataclass(frozen=True, eq=False)
class _Attacked:
    """Who is attacked in one table of the new version, and of the outsiders those who fit in it: the rows that they fit."""

    published: PublishedTable
    table: VersionTable
    outsiders: Mapping[str, Column]
    rows: NDArray[np.int64]
    people: NDArray[np.int64]
    drawn: bool


def try_series(known: KnownSeries, finished: Finished, most: int, generator: np.random.Generator) -> tuple[Attempt, ...]:
    """At most `most` of the people, drawn at random, are attacked."""
    earlier = [version.people for version in known.versions[:-1]]
    several = np.unique(np.concatenate(earlier)).astype(np.int64) if earlier else np.empty(0, dtype=np.int64)
    if not len(several):
        return ()
    people = several[drawn_places(len(several), min(most, known.told), generator)]
    tables = list(_tables(known, finished.tables, people, len(people) < len(several), most, generator))
    attempts = [attempt for attacked in tables for attempt in _on_one(known, attacked, generator)]
    return (*attempts, *_uncontrolled(tables))


def _tables(
    known: KnownSeries, tables: Iterable[PublishedTable], people: NDArray[np.int64], drawn: bool, most: int, generator: np.random.Generator
) -> Iterator[_Attacked]:
    some = _drawn_columns(known.outsiders, most, generator)
    for table in known.versions[-1].tables:
        published = next(each for each in tables if not set(table.steady) - set(each.sensitive))
        rows = np.empty(0, dtype=np.int64)
        if len(next(iter(some.values())).codes):
            rows = fitting_row(published, some, int(generator.integers(2**32)))
        yield _Attacked(published, table, some, rows, people, drawn)


def _drawn_columns(outsiders: Mapping[str, Column], most: int, generator: np.random.Generator) -> Mapping[str, Column]:
    places = drawn_places(len(next(iter(outsiders.values())).codes), most, generator)
    return {name: column.take(places) for name, column in outsiders.items()}


def _on_one(known: KnownSeries, attacked: _Attacked, generator: np.random.Generator) -> Iterator[Attempt]:
    by_origin = defaultdict(list)
    for name in attacked.table.steady:
        tried = _try(known, attacked, name, generator)
        if tried is not None:
            by_origin[attacked.published.sensitive[name].origin or name].append(tried)
    for found in by_origin.values():
        yield Attempt.of(max(found, key=lambda one: one.success.harm), attacked.published, drawn=attacked.drawn)


def _try(known: KnownSeries, attacked: _Attacked, name: str, generator: np.random.Generator) -> SeriesGuessing | None:
    """None where nobody of those who are attacked has the attribute in another version."""
    before = [version.people for version in known.versions[:-1] if any(name in table.steady for table in version.tables)]
    several = np.unique(np.concatenate(before)).astype(np.int64) if before else np.empty(0, dtype=np.int64)
    if not np.isin(attacked.people, several).any():
        return None
    outsiders = None
    if (attacked.rows >= 0).sum() >= FEWEST:
        outsiders = _outsiders(attacked, name, several, generator)
    return series_guessing(known.versions, (name,), outsiders, attacked.people)


def _outsiders(attacked: _Attacked, name: str, several: NDArray[np.int64], generator: np.random.Generator) -> Outsiders:
    """Each like a random one of `several` in the group of the row that fits."""
    groups, classes = attacked.table.groups[0], attacked.table.classes[0]
    order = generator.permutation(several)
    order = order[np.argsort(groups[order], kind="stable")]
    starts = np.searchsorted(groups[order], np.arange(int(classes.max()) + 2))
    wanted = classes[attacked.rows]
    sizes = (starts[1:] - starts[:-1])[wanted]
    chosen = starts[wanted] + (generator.random(len(wanted)) * sizes).astype(np.int64)
    fits = (attacked.rows >= 0) & (sizes > 0)
    like = np.where(fits, order[np.where(fits, chosen, 0)], ABSENT)
    return Outsiders(like, {name: _own(attacked, name)})


def _own(attacked: _Attacked, name: str) -> NDArray[np.int32]:
    """The outsiders' own values as the versions number them: row by row, a published value has one number there and one here."""
    published, steady = attacked.published.sensitive[name], attacked.table.steady[name]
    place = np.full(len(published.values) + 1, UNSEEN, dtype=np.int32)
    place[np.where(published.codes < 0, len(published.values), published.codes)] = steady.codes
    own = translated(attacked.outsiders[name], published)
    return np.where(own < 0, np.int32(UNSEEN), place[own]).astype(np.int32)


def _uncontrolled(tables: Iterable[_Attacked]) -> Iterator[Attempt]:
    lacking = defaultdict(list)
    for attacked in tables:
        fit = int((attacked.rows >= 0).sum())
        if fit < FEWEST:
            lacking[fit].append(attacked.published.name)
    for fit, names in lacking.items():
        there = f"but only {fit:,} can be looked for" if fit else "but there is nobody"
        remark = (
            f"No control of the attack on several versions was possible: at least {FEWEST} people are needed who are known to be in no "
            f"version, {there}."
        )
        yield Attempt(CONTROL, tuple(names), remark)

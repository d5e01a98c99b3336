"""Which attacks are tried on finished tables, and what came of each.

Homogeneity, proximity and background join are tried on each table, for the attribute (or the pair of them) with most to gain in sensitive
values; linking with each dictionary on each table; background join across tables and linkage by order on each table with the next;
intersection on all of them. What would take too long is said to be left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.attacks.background_join import BackgroundJoin, background_join, join_across
from headgate.attacks.dictionary_linking import DictionaryLinking, Register, dictionary_linking
from headgate.attacks.homogeneity import Homogeneity, homogeneity
from headgate.attacks.intersection import Intersection, intersection
from headgate.attacks.linkage import linkage_frames
from headgate.attacks.matching import match
from headgate.attacks.proximity import Proximity, proximity
from headgate.attacks.series_guessing import SeriesGuessing
from headgate.attacks.success import Success
from headgate.core.columns import GROUP, Column, Table
from headgate.core.distance import LARGEST_MATRIX, Distance
from headgate.core.distinct import distinct_rows
from headgate.core.published_form.published_table import PublishedTable
from headgate.core.tolerance import exact
from headgate.projection.information import associations, entropy
from policies.attackers.attacker import Attacker
from policies.gates.attack import ATTACK, WHO
from policies.gates.dissimilarity import DISSIMILARITY, EPSILON, in_own_units
from policies.gates.figures import AttackGain
from policies.sealed.promise import Promise
from tasks.tables.read_published import published_of, read_published_frame

MOST_CELLS = 20_000  # different people by their quasi-identifiers, up to which tables are intersected
MOST_PAIRED = 100  # attributes of a table, up to which all their pairs are looked at
MOST_PAIRS = 4 * 10**8  # of a person who is looked for and an individual of the dictionary

Guessed = Homogeneity | Proximity | BackgroundJoin | Intersection | DictionaryLinking | SeriesGuessing


@dataclass(frozen=True)
class Attempt:
    """One attack on some of the tables, and how often the attacker is right; None where nothing is guessed about anybody. `who` does what,
    as in `AttackResult.who`; `drawn`: the people, or the records, are a sample."""

    attack: str
    tables: tuple[str, ...]
    remark: str
    success: Success | None = None
    who: str = ""
    drawn: bool = False

    @classmethod
    def of(cls, guessed: Guessed, *tables: PublishedTable, drawn: bool) -> Attempt:
        names = tuple(table.name for table in tables)
        return cls(guessed.success.attack, names, guessed.remark(), guessed.success, guessed.who(_listed(names)), drawn)

    @property
    def where(self) -> str:
        return _listed(self.tables)

    @property
    def key(self) -> str:
        """Its key in a policy's `gates: {attack: …}`."""
        return self.attack.lower().replace(" ", "_")

    @property
    def gain(self) -> AttackGain:
        """Where values are guessed, what counts are sensitive ones."""
        done = self.success
        if done is None:
            return AttackGain(attack=self.key, who="", people=0)
        right, overall = (
            (done.right, done.right_overall)
            if done.sensitive is None or done.sensitive_overall is None
            else (done.sensitive, done.sensitive_overall)
        )
        return AttackGain(attack=self.key, who=self.who, people=done.people, right=right, right_overall=overall, drawn=self.drawn)

    @property
    def sentence(self) -> str:
        said = self.remark if self.success is None else f"{self.success.sentence()} {self.remark}"
        return f"{self.where}: {said}"


def gains_of(attempts: Iterable[Attempt]) -> tuple[AttackGain, ...]:
    """Of those that a gate can bound."""
    return tuple(attempt.gain for attempt in attempts if attempt.key in WHO)


def _listed(tables: Sequence[str]) -> str:
    return " and ".join(tables) if len(tables) < 3 else f"{tables[0]} to {tables[-1]}"


@dataclass(frozen=True, eq=False)
class Finished:
    """The tables as they were written; the people of the source who may be in them; and who holds which dictionary."""

    promise: Promise
    tables: tuple[PublishedTable, ...]
    cells: Mapping[str, pd.DataFrame]  # by table: the quasi-identifiers and group numbers, as they are written
    people: Table  # their quasi-identifiers as groups were made of them, the rest as in the source
    original: Table  # all as in the source: a policy may suppress cells before there are groups
    attackers: tuple[Attacker, ...]


@dataclass(frozen=True, eq=False)
class FinishedTable:
    """One table, and its cells as they are written."""

    published: PublishedTable
    frame: pd.DataFrame


def finished(promise: Promise, tables: Sequence[FinishedTable], table: Table, original: Table, attackers: tuple[Attacker, ...]) -> Finished:
    """`table` is what was anonymized."""
    people = people_of(table, original)
    shown = [*(quasi.name for quasi in promise.quasi), GROUP]
    cells = {written.published.name: written.frame[shown] for written in tables}
    return Finished(promise, tuple(written.published for written in tables), cells, people, original, attackers)


def people_of(table: Table, original: Table) -> Table:
    """As attacks look for them: `table` has the quasi-identifiers that groups were made of."""
    return replace(original, columns={**original.columns, **{name: table[name] for name in table.quasi}})


def read_finished(
    promise: Promise, files: Mapping[str, Sequence[Path]], table: Table, original: Table, attackers: tuple[Attacker, ...]
) -> Finished:
    """`files` by the name of the table, the parts of one in their order; each is read once."""
    frames = {name: read_published_frame(*paths) for name, paths in files.items()}
    tables = [FinishedTable(published_of(frame, promise, name), frame) for name, frame in frames.items()]
    return finished(promise, tables, table, original, attackers)


def drawn_from(seed: bytes) -> np.random.Generator:
    """Who is attacked follows from the seed."""
    return np.random.default_rng(int.from_bytes(hashlib.sha256(seed + b"attacks").digest()[:8], "big"))


def try_attacks(finished: Finished, most: int, generator: np.random.Generator) -> tuple[Attempt, ...]:
    """`most` of the people, drawn at random, are attacked in each table; fewer where a dictionary is large."""
    some = finished.people.take(drawn_places(finished.people.rows, most, generator)).columns
    sample = most < finished.people.rows
    attempts = [attempt for table in finished.tables for attempt in _on_one(finished.promise, table, some, sample)]
    attempts += _linking(finished, most, generator)
    if len(finished.tables) > 1:
        attempts += _across(finished, some, sample)
    if len(finished.tables) > 1 or finished.promise.required(ATTACK, bound="intersection") is not None:
        attempts.append(_intersection(finished))
    return tuple(attempts)


def drawn_places(people: int, most: int, generator: np.random.Generator) -> NDArray[np.int64]:
    return np.arange(people) if people <= most else np.sort(generator.choice(people, most, replace=False))


def _on_one(promise: Promise, table: PublishedTable, people: Mapping[str, Column], sample: bool) -> Iterator[Attempt]:
    names = _guessable(table)
    if not names:
        yield Attempt("Homogeneity", (table.name,), "Homogeneity was not tried: no sensitive attribute has one value per person.")
        return
    fits = match(table, people)
    yield Attempt.of(max((homogeneity(table, people, name, matches=fits) for name in names), key=_harm), table, drawn=sample)
    near = [proximity(table, people, name, epsilon, alone, fits) for name, epsilon, alone in _neighbourhoods(promise, table, names)]
    if near:
        yield Attempt.of(max(near, key=_harm), table, drawn=sample)
    several = [table.sensitive[name] for name in _most_varied(table.sensitive, names)]
    shared = associations(several).information
    known, unknown = (several[place].name for place in np.unravel_index(shared.argmax(), shared.shape))
    if known != unknown:
        pairs = ((known, unknown), (unknown, known))
        both = [background_join(table, people, own, other, matches=fits) for own, other in pairs]
        yield Attempt.of(max(both, key=_harm), table, drawn=sample)


def _most_varied(columns: Mapping[str, Column], names: Sequence[str]) -> list[str]:
    """Those that there is most to learn about: pairs of more than these are not looked at for the one that tells most of each other."""
    if len(names) <= MOST_PAIRED:
        return list(names)
    return sorted(names, key=lambda name: entropy(columns[name]), reverse=True)[:MOST_PAIRED]


def _guessable(table: PublishedTable) -> list[str]:
    return [name for name, column in table.sensitive.items() if column.kind.rules.single]


def _harm(guessed: Guessed) -> float:
    return guessed.success.harm


def _neighbourhoods(promise: Promise, table: PublishedTable, names: Sequence[str]) -> Iterator[tuple[str, str, Distance]]:
    """The attributes with values between equal and different, each at the ε promised of it alone or else of the composite."""
    for name in names:
        column = table.sensitive[name]
        requirement = promise.required(DISSIMILARITY, name) or promise.required(DISSIMILARITY)
        graded = column.kind.ordered or (column.hierarchy is not None and len(column.values) < LARGEST_MATRIX)
        if not graded or requirement is None:
            continue
        own = in_own_units(requirement)
        if own or exact(requirement.settings[EPSILON]) < 1:
            yield name, requirement.settings[EPSILON], Distance(p=promise.power, weights={name: 1.0}, own_units=own)


def _linking(finished: Finished, most: int, generator: np.random.Generator) -> Iterator[Attempt]:
    for attacker in finished.attackers:
        if not isinstance(attacker.dictionary, Mapping):
            remark = f"Linking with {attacker.name.rsplit('/', 1)[-1]} was not tried: frequency tables list no individuals."
            yield Attempt("Dictionary linking", tuple(table.name for table in finished.tables), remark)
            continue
        register = Register(attacker.name.rsplit("/", 1)[-1], attacker.dictionary, attacker.fields, attacker.similar)
        few = drawn_places(finished.people.rows, min(most, max(1, MOST_PAIRS // register.individuals)), generator)
        people, known = (table.take(few).columns for table in (finished.people, finished.original))
        for table in finished.tables:
            yield Attempt.of(dictionary_linking(table, people, register, generator, known), table, drawn=True)


def _across(finished: Finished, people: Mapping[str, Column], sample: bool) -> Iterator[Attempt]:
    """Each table with the next, side by side as they are written: for the pair of attributes that tell most of each other in the source,
    and by order and group numbers."""
    quasi = list(finished.people.quasi)
    for first, second in pairwise(finished.tables):
        known, unknown = _guessable(first), _guessable(second)
        if known and unknown:
            known, unknown = (_most_varied(finished.people.columns, each) for each in (known, unknown))
            shared = associations(finished.people.select([*known, *unknown])).information[: len(known), len(known) :]
            i, j = np.unravel_index(shared.argmax(), shared.shape)
            yield Attempt.of(join_across(first, second, people, known[i], unknown[j]), first, second, drawn=sample)
        linked = linkage_frames(finished.cells[first.name], finished.cells[second.name], quasi)
        yield Attempt("Linkage by order", (first.name, second.name), linked.sentence())


def _intersection(finished: Finished) -> Attempt:
    cells = len(distinct_rows(finished.people.codes(finished.people.quasi))[0])
    if cells <= MOST_CELLS:
        return Attempt.of(intersection(finished.tables, finished.people.columns), *finished.tables, drawn=False)
    remark = f"Intersection was not tried: at most {MOST_CELLS:,} combinations of quasi-identifiers are compared, and there are {cells:,}."
    return Attempt("Intersection", tuple(table.name for table in finished.tables), remark)

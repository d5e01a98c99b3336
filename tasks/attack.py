"""Step 6, a second opinion: what somebody who knows people's quasi-identifiers would learn from the tables as they were written.

Nothing is judged by it. Homogeneity and background join are tried on each table, for the attribute (and the pair of them) with most to
gain; intersection and linkage on all tables together. What would take too long is said to be left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from headgate.attacks.background_join import background_join
from headgate.attacks.homogeneity import homogeneity
from headgate.attacks.intersection import intersection
from headgate.attacks.linkage import linkage_frames
from headgate.columns import GROUP, Column, Kind
from headgate.distinct import distinct_rows
from headgate.projection.information import associations
from headgate.published import PublishedTable
from tasks.workbench import Workbench, present
from tasks.write import read_published, read_published_texts

PEOPLE = 10_000  # attacked in one table, drawn from those who were released
MOST_CELLS = 20_000  # different people by their quasi-identifiers, up to which tables are intersected
WHOLE = (Kind.SET, Kind.VECTOR)  # kinds of which no single value is guessed


def attack_tables(bench: Workbench) -> int:
    """Gives how many attacks were tried."""
    promise, source = present(bench.promise, "promise"), present(bench.table, "encoded source")
    released = np.flatnonzero(present(bench.kept, "plan"))
    seed = int.from_bytes(hashlib.sha256(bench.seed + b"attacks").digest()[:8], "big")
    chosen = np.random.default_rng(seed).choice(released, PEOPLE, replace=False) if len(released) > PEOPLE else released
    known, everybody = source.take(np.sort(chosen)).columns, source.take(released)
    tables = [read_published(bench.stage / bench.written[name][0].path, promise, name) for name in bench.names]
    found = [f"{table.name}: {sentence}" for table in tables for sentence in _on_one(table, known)]
    cells = distinct_rows(np.stack([column.codes for column in everybody.select(source.quasi)], axis=1))[0]
    if len(tables) > 1:
        found.append(_by_intersection(tables, everybody.columns, len(cells)))
        found += _by_order(bench, source.quasi)
    bench.attacks = tuple(found)
    return len(found)


def _on_one(table: PublishedTable, people: Mapping[str, Column]) -> Iterator[str]:
    names = [name for name, column in table.sensitive.items() if column.kind not in WHOLE]
    if not names:
        return
    yield max((homogeneity(table, people, name) for name in names), key=lambda one: one.success.gain).sentence()
    if len(names) < 2:
        return
    shared = associations([table.sensitive[name] for name in names]).information
    one, other = (names[place] for place in np.unravel_index(shared.argmax(), shared.shape))
    if one != other:
        both = (background_join(table, people, one, other), background_join(table, people, other, one))
        yield max(both, key=lambda join: join.success.gain).sentence()


def _by_intersection(tables: Sequence[PublishedTable], people: Mapping[str, Column], cells: int) -> str:
    if cells <= MOST_CELLS:
        return intersection(tables, people).sentence()
    return f"Intersection of the tables was not tried: people differ in {cells:,} ways, and up to {MOST_CELLS:,} are compared."


def _by_order(bench: Workbench, quasi: Sequence[str]) -> Iterator[str]:
    """By rows and group numbers as they are written; each table with the next."""
    wanted = [*quasi, GROUP]
    frames = {name: read_published_texts(bench.stage / bench.written[name][0].path).select(wanted).to_pandas() for name in bench.names}
    for one, other in pairwise(bench.names):
        yield f"{one} and {other}: {linkage_frames(frames[one], frames[other], quasi).sentence()}"

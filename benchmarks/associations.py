"""What the figures of projection plans cost: pairwise associations, CODIP*, the optimum, and a set of thousands of values as bits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.measures import Row
from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec
from headgate.projection.bitmap import bits_of
from headgate.projection.codip import codip_star
from headgate.projection.information import associations
from headgate.projection.optimal import MOST_EXACT, optimal

ROWS, SEED = 100_000, 20


def drawn(attributes: int, values: int, rows: int = ROWS) -> list[Column]:
    """Attributes that copy one of a few sources, some more and some less."""
    draw = np.random.default_rng(SEED)
    sources = [draw.integers(0, values, rows) for _ in range(max(1, attributes // 5))]
    domain, flags = np.array([str(x) for x in range(values)], dtype=object), np.ones(values + 1, dtype=bool)
    made = []
    for i in range(attributes):
        copied = draw.random(rows) < draw.random()
        codes = np.where(copied, sources[i % len(sources)], draw.integers(0, values, rows)).astype(np.int32)
        made.append(Column(f"a{i}", Kind.CATEGORY, codes, domain, flags))
    return made


def sets(values: int) -> Column:
    """Up to six of `values` members a row, the first ones the most often."""
    draw = np.random.default_rng(SEED)
    chances = 1 / np.arange(1, values + 1)
    rows = draw.choice(values, (ROWS, 6), p=chances / chances.sum()).tolist()
    lengths = draw.integers(0, 7, ROWS).tolist()
    cells = [tuple(sorted({f"{x:05d}" for x in row[:length]})) for row, length in zip(rows, lengths, strict=True)]
    place = {cell: i for i, cell in enumerate(sorted(set(cells)))}
    domain = np.empty(len(place), dtype=object)
    domain[:] = list(place)
    codes = np.array([place[cell] for cell in cells], dtype=np.int32)
    return Column("diagnosis", Kind.SET, codes, domain, np.ones(len(place) + 1, dtype=bool))


def timed(name: str, run: Callable[[], object], target: float | None = None) -> Row:
    start = time.perf_counter()
    run()
    return Row(name, time.perf_counter() - start, "s", target)


def rows() -> Iterator[Row]:
    optimal(drawn(4, 3, 100), 0.3)  # loads the compiled loops
    for attributes, values, target in ((50, 20, 1.0), (50, 2, 1.0), (200, 10, None), (10, 20_000, None)):
        columns = drawn(attributes, values)
        yield timed(
            f"associations: {attributes} attributes of {values:,} values × {ROWS:,} rows", lambda own=columns: associations(own), target
        )
    for attributes in (15, 200):
        columns = drawn(attributes, 5, 1000)
        yield timed(f"codip* without anonymizing: {attributes} attributes", lambda own=columns: codip_star(own, 1.0, 1.0))
    for attributes in (12, 15, 50, 200):
        columns = drawn(attributes, 5, 1000)
        how = "every plan" if attributes <= MOST_EXACT else "search"
        yield timed(f"optimal, {how}: {attributes} attributes", lambda own=columns: optimal(own, 0.3))
    column = sets(5_000)
    spec = ColumnSpec("diagnosis", Kind.SET, Role.SENSITIVE)
    yield timed(f"bits of {ROWS:,} rows × 5,000 members, turned round", lambda: bits_of(column, spec))


def main() -> None:
    for row in rows():
        print(row, flush=True)


if __name__ == "__main__":
    main()

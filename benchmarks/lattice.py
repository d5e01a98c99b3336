"""What a search of the lattice costs: the census table with four quasi-identifiers (72 nodes), and 30,162 invented rows with seven
(2,160 nodes; domains as large as those of Adult, skewed and independent). Steady state: arrays encoded, loops compiled; the best of
several runs. The targets are twice ARX's own steady-state times.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.measures import Row
from headgate.core.columns import Kind, Role, Table
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.hierarchy import Hierarchy
from headgate.methods.full_domain.level_search import FullDomainResult, full_domain
from headgate.methods.full_domain.level_settings import LevelSettings

ROWS, SEED = 30_162, 7
REPEAT = 7
DOMAINS = {  # values, and how many of them (at each level) a node holds
    "age": (72, (5, 10, 20)),
    "sex": (2, ()),
    "race": (5, ()),
    "marital": (7, (3,)),
    "education": (16, (4, 8)),
    "country": (41, (10,)),
    "worker_class": (8, (3,)),
}


def numbered(values: Sequence[Any], widths: Sequence[int]) -> list[tuple[str, ...]]:
    """Values in order, then nodes of so many neighbours."""
    return [(str(v), *(f"{width}: {i // width}" for width in widths), "*") for i, v in enumerate(values)]


def census() -> Table:
    path = files("policies.shipped") / "census_income" / "data" / "census.parquet"
    people = pd.read_parquet(str(path), columns=["age", "race", "sex", "citizenship"])
    born = {v: "native" if v.startswith("Native") else "foreign" for v in sorted(people["citizenship"].unique())}
    rows = {
        "age": numbered(range(91), (5, 10, 20, 40)),
        "race": numbered(sorted(people["race"].unique()), ()),
        "sex": numbered(sorted(people["sex"].unique()), ()),
        "citizenship": [(v, where, "*") for v, where in born.items()],
    }
    return _encoded(people, rows)


def invented() -> Table:
    draw = np.random.default_rng(SEED)
    columns, rows = {}, {}
    for name, (size, widths) in DOMAINS.items():
        if name == "age":
            columns[name] = np.minimum(draw.gamma(4.0, 5.5, ROWS).astype(np.int64), size - 1)
        else:
            share = 1.0 / np.arange(1, size + 1) ** 1.6
            columns[name] = draw.choice(size, ROWS, p=share / share.sum())
        rows[name] = numbered(range(size), widths)
    return _encoded(pd.DataFrame(columns), rows)


def _encoded(frame: pd.DataFrame, rows: dict[str, list[tuple[str, ...]]]) -> Table:
    specs = {name: ColumnSpec(name, Kind.CATEGORY, Role.QUASI, hierarchy=Hierarchy.from_rows(own, name)) for name, own in rows.items()}
    return encode_table(frame, specs)


def best(table: Table, k: int, suppression: str) -> tuple[float, FullDomainResult]:
    settings, seconds = LevelSettings(k, Fraction(suppression), "arx"), []
    found = full_domain(table, (), settings).require()
    for _ in range(REPEAT):
        start = time.perf_counter()
        full_domain(table, (), settings)
        seconds.append(time.perf_counter() - start)
    return 1000 * min(seconds), found


def rows() -> Iterator[Row]:
    yield from _timed("census, 99,762 rows, 72 nodes, k 10", census(), "0", 2 * 3.4)
    seven = invented()
    yield from _timed("30,162 rows, 2,160 nodes, k 10", seven, "0", 2 * 9.0)
    yield from _timed("30,162 rows, 2,160 nodes, k 10, 5 % suppression", seven, "0.05", 2 * 85.0)


def _timed(name: str, table: Table, suppression: str, target: float) -> Iterator[Row]:
    milliseconds, found = best(table, 10, suppression)
    yield Row(name, milliseconds, "ms", target)
    yield Row("  nodes counted", found.checked_nodes, "")
    yield Row("  nodes valid", found.valid_nodes, "")


def main() -> None:
    for row in rows():
        print(row, flush=True)


if __name__ == "__main__":
    main()

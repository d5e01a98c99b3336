"""Disclosure risk: what exact counts of the consistent individuals cost, how the cost grows, similar names, and MinRisk.

Released records are drawn from the same skewed distribution as the dictionary (age, sex, region, day of birth, occupation), with 10 % of
cells missing on both sides: once as they are, and once with every cell generalized to a level of its own or suppressed, so that hardly
two records are generalized alike. Columns are encoded and loops compiled before; peak memory is that of a fresh process, which draws
and encodes them too. `make bench-risk` prints the table.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import headgate as hg
from benchmarks.measures import Row, best
from headgate.core.cells import format_members
from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.hierarchy import Hierarchy
from headgate.core.published_form.published_table import PublishedCells, PublishedTable
from headgate.risk.disclosure.expected_loss import disclosure
from headgate.risk.disclosure.sensitivity import Sensitivity

RECORDS, INDIVIDUALS, MISSING_SHARE, SEED = 100_000, 1_000_000, 0.1, 6
GROWTH, FASTER = (4, 2, 1), 2.3  # parts of the full size; what twice as many may cost, as a ratio
ATTRIBUTES, KEEP = 20, 5
TEXTS, NAMES = 10_000, 100_000
SYLLABLES = ("ba", "le", "mi", "ro", "son", "ka", "ter", "an", "el", "ja", "vi", "do", "smi", "th", "mar", "ia", "jo", "hn", "ge", "lu")

REGIONS = [(f"region {i:02d}", f"province {i // 4:02d}", f"state {i // 16}", "*") for i in range(96)]
DAYS = [str(day) for day in np.arange("2000-01-01", "2001-01-01", dtype="datetime64[D]")]
OCCUPATIONS = [f"occupation {i:02d}" for i in range(50)]
VALUES: dict[str, list[str]] = {
    "age": [str(age) for age in range(90)],
    "sex": ["female", "male"],
    "region": [row[0] for row in REGIONS],
    "born": DAYS,
    "occupation": OCCUPATIONS,
}
SPECS = {
    "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI),
    "sex": ColumnSpec("sex", Kind.CATEGORY, Role.QUASI),
    "region": ColumnSpec("region", Kind.CATEGORY, Role.QUASI, hierarchy=Hierarchy.from_rows(REGIONS, "region")),
    "born": ColumnSpec("born", Kind.DATE, Role.QUASI),
    "occupation": ColumnSpec("occupation", Kind.CATEGORY, Role.QUASI),
}


def _intervals(width: int) -> list[str]:
    return [f"[{age // width * width}..{age // width * width + width - 1}]" for age in range(90)]


def _sets(width: int) -> list[str]:
    """Sets of occupations that are no neighbours in the alphabet."""
    parts = 50 // width
    return [format_members(OCCUPATIONS[i % parts :: parts]) for i in range(50)]


# How each value is written at each level of generalization, from none to the widest.
LEVELS: dict[str, list[list[str]]] = {
    "age": [VALUES["age"], _intervals(5), _intervals(10), _intervals(20)],
    "sex": [VALUES["sex"], VALUES["sex"], VALUES["sex"], ["*", "*"]],
    "region": [[row[0] for row in REGIONS], [row[0] for row in REGIONS], [row[1] for row in REGIONS], [row[2] for row in REGIONS]],
    "born": [DAYS, [day[:7] for day in DAYS], [f"2000-Q{(int(day[5:7]) + 2) // 3}" for day in DAYS], ["2000" for _ in DAYS]],
    "occupation": [OCCUPATIONS, _sets(2), _sets(5), _sets(10)],
}


def people(draw: np.random.Generator, size: int) -> dict[str, NDArray[np.int64]]:
    """A place among the field's values for every person, −1 where it is missing."""
    out = {
        "age": np.minimum(draw.gamma(4.0, 9.5, size).astype(np.int64), 89),
        "sex": draw.integers(0, 2, size),
        "region": _skewed(draw, 96, size, 0.8),
        "born": draw.integers(0, 366, size),
        "occupation": _skewed(draw, 50, size, 1.0),
    }
    for places in out.values():
        places[draw.random(size) < MISSING_SHARE] = -1
    return out


def _skewed(draw: np.random.Generator, values: int, size: int, exponent: float) -> NDArray[np.int64]:
    share = 1.0 / np.arange(1, values + 1) ** exponent
    return np.searchsorted(np.cumsum(share / share.sum())[:-1], draw.random(size))


def dictionary(draw: np.random.Generator, size: int) -> dict[str, Column]:
    texts = {name: np.array([*values, None], dtype=object) for name, values in VALUES.items()}
    return {name: encode_column(pd.Series(texts[name][own]), SPECS[name]) for name, own in people(draw, size).items()}


def released(draw: np.random.Generator, size: int, generalized: bool) -> PublishedTable:
    cells = {}
    for name, own in people(draw, size).items():
        levels = LEVELS[name] if generalized else LEVELS[name][:1]
        texts = [text for level in levels for text in level]
        number = np.where(own < 0, len(texts), draw.integers(0, len(levels), size) * len(levels[0]) + own)
        codes, distinct = pd.factorize(np.array([*texts, "*" if generalized else ""], dtype=object)[number])
        cells[name] = PublishedCells(codes.astype(np.int32), distinct)
    return PublishedTable("people", size, np.zeros(size, dtype=np.int32), cells, {}, {})


def seconds(table: PublishedTable, theta: Mapping[str, Column]) -> float:
    start = time.perf_counter()
    disclosure(table, theta, list(VALUES), Sensitivity.fixed())
    return time.perf_counter() - start


def exact(generalized: bool, records: int = RECORDS, individuals: int = INDIVIDUALS) -> float:
    draw = np.random.default_rng(SEED)
    return seconds(released(draw, records, generalized), dictionary(draw, individuals))


def min_risk_seconds() -> float:
    """From frame to frame, against a dictionary as large."""
    draw = np.random.default_rng(SEED)
    frames = [
        pd.DataFrame({f"a{i}": _skewed(draw, 10 * (i + 1), RECORDS, 1.0) for i in range(ATTRIBUTES)}, dtype="Int64").mask(
            draw.random((RECORDS, ATTRIBUTES)) < MISSING_SHARE
        )
        for _ in range(2)
    ]
    weights = {f"a{i}": i / ATTRIBUTES for i in range(ATTRIBUTES)}
    hg.min_risk(frames[0].head(100), frames[1].head(100), weights, KEEP)
    start = time.perf_counter()
    hg.min_risk(frames[0], frames[1], weights, KEEP)
    return time.perf_counter() - start


def similar_seconds() -> float:
    """Names of two to five syllables, compared each with each."""
    draw = np.random.default_rng(SEED)
    names: dict[str, None] = {}
    while len(names) < NAMES:
        names["".join(draw.choice(SYLLABLES, draw.integers(2, 6)))] = None
    held = list(names)
    column = encode_column(pd.Series(held, dtype=object), ColumnSpec("name", Kind.CATEGORY, Role.QUASI))
    cells = {"name": PublishedCells(np.arange(TEXTS, dtype=np.int32), np.array(held[:TEXTS], dtype=object))}
    table = PublishedTable("people", TEXTS, np.zeros(TEXTS, dtype=np.int32), cells, {}, {})
    start = time.perf_counter()
    disclosure(table, {"name": column}, ["name"], Sensitivity.fixed(), {"name": 0.8})
    return time.perf_counter() - start


def measured(case: str) -> dict[str, float]:
    if case in ("plain", "generalized"):
        exact(case == "generalized", 5_000, 50_000)  # loads the compiled loops
    found = {
        "plain": lambda: exact(False),
        "generalized": lambda: exact(True),
        "min-risk": min_risk_seconds,
        "similar": similar_seconds,
    }[case]()
    return {"seconds": found, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def fresh(case: str) -> dict[str, float]:
    return best([sys.executable, "-m", "benchmarks.risk", "--case", case], 1)


def case_rows(name: str, case: str, target: float | None, most: float | None = None) -> Iterator[Row]:
    found = fresh(case)
    yield Row(name, found["seconds"], "s", target)
    yield Row("  peak memory of the process", found["peak"], "MiB", most)


def growth(name: str, generalized: bool, sizes: Sequence[tuple[int, int]]) -> Iterator[Row]:
    """Best of three at each size, in one process."""
    before = None
    for records, individuals in sizes:
        took = min(exact(generalized, records, individuals) for _ in range(3))
        yield Row(f"{name}: {records:,} × {individuals:,}", took, "s")
        if before is not None:
            yield Row("  times what half as many take", took / before, "", FASTER)
        before = took


def rows() -> Iterator[Row]:
    size = f"{RECORDS:,} records × {INDIVIDUALS:,} individuals, 5 fields"
    yield from case_rows(f"{size}, 10 % missing", "plain", 10.0, 2048.0)
    yield from case_rows(f"{size}, generalized", "generalized", 10.0, 2048.0)
    yield from growth("as they are", False, [(RECORDS // part, INDIVIDUALS // part) for part in GROWTH])
    yield from growth("generalized, more records", True, [(RECORDS // part, INDIVIDUALS) for part in GROWTH])
    yield from growth("generalized, more individuals", True, [(RECORDS, INDIVIDUALS // part) for part in GROWTH])
    yield from case_rows(f"MinRisk, {RECORDS:,} records × {ATTRIBUTES} attributes", "min-risk", 2.0)
    yield from case_rows(f"Jaro ≥ 0.8, {TEXTS:,} × {NAMES:,} distinct names", "similar", None)


def main(arguments: Sequence[str]) -> None:
    if arguments[:1] == ["--case"]:
        print(json.dumps(measured(arguments[1])))
        return
    for row in rows():
        print(row, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

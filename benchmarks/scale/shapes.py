"""Tables of many shapes: what `blocks` loses beside published algorithms, where nothing was tuned to.

Each shape is drawn from a fixed seed. The domain of a number is what occurs of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.cells import cells_of
from benchmarks.peers.hilbert_cut import along_the_curve, cut
from benchmarks.peers.k_member import k_member
from benchmarks.peers.recounted import loss_of
from headgate.core.columns import Column, Kind, Table
from headgate.grouping.items import items_of
from headgate.methods.anonymize import anonymize
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.mondrian.mondrian_method import Mondrian
from headgate.methods.settings import Settings

Draw = np.random.Generator
Numbers = NDArray[Any]
ROWS, SEED = 20_000, 15
KS = (5, 20)
WORSE = 1.02  # from here on a line says that another method is better


def number(values: Numbers) -> Column:
    found, codes = np.unique(values.astype(float), return_inverse=True)
    ends = (float(found[0]), float(found[-1]))
    return Column("", Kind.NUMBER, codes.astype(np.int32), found, np.ones(len(found) + 1, dtype=bool), ends)


def category(values: Numbers) -> Column:
    found, codes = np.unique(values.astype(np.int64), return_inverse=True)
    own = np.array([f"{value:05}" for value in found], dtype=object)
    return Column("", Kind.CATEGORY, codes.astype(np.int32), own, np.ones(len(found) + 1, dtype=bool), None)


def uniform(draw: Draw, rows: int, values: int, many: int) -> list[Numbers]:
    return [draw.integers(0, values, rows) for _ in range(many)]


def zipf(draw: Draw, rows: int, values: int, many: int) -> list[Numbers]:
    """Few common values and many rare ones."""
    weight = 1 / np.arange(1, values + 1)
    return [draw.permutation(values)[draw.choice(values, rows, p=weight / weight.sum())] for _ in range(many)]


def factors(draw: Draw, rows: int, hidden: int, many: int, noise: float = 0.3) -> list[Numbers]:
    """Mixtures of a few hidden numbers, with noise."""
    common = draw.normal(size=(rows, hidden))
    return [common @ draw.normal(size=hidden) + noise * draw.normal(size=rows) for _ in range(many)]


def steps(values: list[Numbers], many: int) -> list[Numbers]:
    """So many different values at equal distances; what lies far out is cut off."""
    return [np.clip((value - value.mean()) / value.std() * many / 6 + many / 2, 0, many - 1).astype(np.int64) for value in values]


def tails(draw: Draw, rows: int, many: int) -> list[Numbers]:
    return [np.rint(1000 * draw.pareto(1.2, rows)) for _ in range(many)]


def clusters(draw: Draw, rows: int, places: int, many: int) -> list[Numbers]:
    centre, of = draw.uniform(0, 100, (places, many)), draw.integers(0, places, rows)
    return list(np.rint(centre[of] + draw.normal(0, 2, (rows, many))).T)


def _numbers(values: list[Numbers]) -> list[Column]:
    return [number(value) for value in values]


def _categories(values: list[Numbers]) -> list[Column]:
    return [category(value) for value in values]


SHAPES: Mapping[str, Callable[[Draw, int], list[Column]]] = {
    "2 numbers of 10,000 values, independent": lambda d, n: _numbers(uniform(d, n, 10_000, 2)),
    "1 number of 100 values, 1 category of 1,000, sparse": lambda d, n: _numbers(uniform(d, n, 100, 1)) + _categories(zipf(d, n, 1_000, 1)),
    "3 numbers, heavy tails": lambda d, n: _numbers(tails(d, n, 3)),
    "3 numbers of 30 values, independent": lambda d, n: _numbers(uniform(d, n, 30, 3)),
    "4 numbers of 100 values, 1 factor": lambda d, n: _numbers(steps(factors(d, n, 1, 4), 100)),
    "4 categories of 200 values, sparse": lambda d, n: _categories(zipf(d, n, 200, 4)),
    "3 numbers of 100 values and 2 categories of 6, independent": lambda d, n: (
        _numbers(uniform(d, n, 100, 3)) + _categories(uniform(d, n, 6, 2))
    ),
    "2 heavy tails, 1 number of 80 values, 2 categories of 10, sparse": lambda d, n: (
        _numbers(tails(d, n, 2)) + _numbers(uniform(d, n, 80, 1)) + _categories(zipf(d, n, 10, 2))
    ),
    "6 categories of 5 values, 2 factors": lambda d, n: _categories(steps(factors(d, n, 2, 6), 5)),
    "6 numbers in 50 clusters": lambda d, n: _numbers(clusters(d, n, 50, 6)),
    "7: 2 numbers of 90 values, 5 categories of 2 to 40, 3 factors": lambda d, n: _mixed(d, n, 3, (90, 90), (2, 5, 5, 9, 40)),
    "8 numbers, 2 factors, all values different": lambda d, n: _numbers(factors(d, n, 2, 8)),
    "13 categories of 2 values, independent": lambda d, n: _categories(uniform(d, n, 2, 13)),
    "12: 4 numbers of 50 values, 8 categories of 2 to 20, 3 factors": lambda d, n: _mixed(d, n, 3, (50,) * 4, (2, 2, 3, 3, 5, 8, 12, 20)),
    "15 numbers of 100 values, 2 factors": lambda d, n: _numbers(steps(factors(d, n, 2, 15), 100)),
    "15 numbers of 100 values, independent": lambda d, n: _numbers(uniform(d, n, 100, 15)),
}


def _mixed(draw: Draw, rows: int, hidden: int, numbers: tuple[int, ...], categories: tuple[int, ...]) -> list[Column]:
    made = factors(draw, rows, hidden, len(numbers) + len(categories), 0.7)
    return [
        *(number(steps([value], many)[0]) for value, many in zip(made, numbers, strict=False)),
        *(category(steps([value], many)[0]) for value, many in zip(made[len(numbers) :], categories, strict=True)),
    ]


def drawn(shape: str, rows: int = ROWS) -> Table:
    draw = np.random.default_rng([SEED, list(SHAPES).index(shape)])
    columns = SHAPES[shape](draw, rows)
    return Table({f"q{at}": column for at, column in enumerate(columns)}, tuple(f"q{at}" for at in range(len(columns))), ())


def losses(shape: str, k: int, rows: int = ROWS) -> dict[str, Any]:
    """NCP by method, and the processor's seconds."""
    table = drawn(shape, rows)
    cells, itemized = cells_of(table), items_of(table, ())
    makers = {
        "blocks": lambda: anonymize(Blocks(), table, (), Settings(k), 0).groups,
        "strict Mondrian": lambda: anonymize(Mondrian(), table, (), Settings(k), 0).groups,
        "Hilbert + cut": lambda: cut(cells, along_the_curve(cells).cells, k),
        "k-member": lambda: k_member(cells, k),
    }
    found: dict[str, float] = {}
    seconds: dict[str, float] = {}
    for name, make in makers.items():
        start = time.process_time()
        groups = make()
        seconds[name] = time.process_time() - start
        found[name] = loss_of(itemized, groups, k)
    return {"shape": shape, "k": k, "quasi": len(table.quasi), "cells": len(cells), "loss": found, "busy_seconds": seconds}


def ratio(line: Mapping[str, Any]) -> float:
    """What `blocks` loses, over the least that any other loses."""
    least = min(loss for name, loss in line["loss"].items() if name != "blocks")
    return float(line["loss"]["blocks"] / least)

"""Tables to anonymize, and oracles that count from the definitions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role, Table
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.hierarchy import Hierarchy
from tests.unit.headgate.told_twice import Told

SYNDROMES = [  # paper "xcolor", Table I
    (0.8, 0.0, 0.0),
    (0.6, 0.4, 0.4),
    (0.7, 0.1, 0.1),
    (1.0, 0.2, 0.2),
    (0.1, 0.9, 0.9),
    (0.2, 0.5, 0.2),
    (0.8, 0.1, 0.9),
    (0.4, 0.3, 0.5),
    (0.6, 0.9, 0.3),
    (1.0, 0.7, 0.7),
]


@pytest.fixture
def syndromes() -> Table:
    parts = ("allergy", "asthma", "myocarditis")
    frame = pd.DataFrame(SYNDROMES, columns=list(parts)).assign(age=[20, 22, 25, 30, 18, 32, 40, 35, 33, 39])
    specs = {
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI),
        "syndrome": ColumnSpec("syndrome", Kind.VECTOR, Role.SENSITIVE, metric="min", components=parts),
    }
    return encode_table(frame, specs)


@pytest.fixture
def make_table() -> Callable[..., Table]:
    """A table from plain columns. QIs: age (integer), sex (flat), town (hierarchy), day (date); sensitive: the rest, by dtype."""

    def build(frame: pd.DataFrame, quasi: Sequence[str], nonsensitive: dict[str, Sequence[Any]] | None = None) -> Table:
        specs = {}
        for name in frame.columns:
            role = Role.QUASI if name in quasi else Role.SENSITIVE
            kind = Kind.NUMBER if pd.api.types.is_numeric_dtype(frame[name].dtype) else Kind.CATEGORY
            kind = Kind.DATE if name == "day" else kind
            tree = None
            if name == "town":
                rows = [(f"t{i}", f"district{i // 3}", f"region{i // 6}", "*") for i in range(12)]
                tree = Hierarchy.from_rows(rows, "town")
            harmless = frozenset((nonsensitive or {}).get(name, ()))
            specs[name] = ColumnSpec(name, kind, role, hierarchy=tree, nonsensitive=harmless)
        return encode_table(frame, specs)

    return build


@pytest.fixture
def people(make_table: Callable[..., Table]) -> Callable[..., Table]:
    def build(rows: int, seed: int = 0, diseases: int = 6, skew: float = 0.0) -> Table:
        draw = np.random.default_rng(seed)
        weights = np.arange(1, diseases + 1, dtype=float) ** -skew
        frame = pd.DataFrame(
            {
                "age": draw.integers(18, 90, rows),
                "sex": draw.choice(["f", "m"], rows),
                "town": [f"t{i}" for i in draw.integers(0, 12, rows)],
                "disease": draw.choice([f"d{i}" for i in range(diseases)], rows, p=weights / weights.sum()),
                "income": draw.integers(0, 100, rows) * 1000,
            }
        )
        return make_table(frame, ["age", "sex", "town"])

    return build


@pytest.fixture
def set_partitions() -> Callable[[int, int], Iterator[list[list[int]]]]:
    """Every way to divide rows 0 … n−1 into groups of at least k."""

    def divide(rows: int, k: int) -> Iterator[list[list[int]]]:
        def grow(row: int, groups: list[list[int]]) -> Iterator[list[list[int]]]:
            if row == rows:
                if all(len(group) >= k for group in groups):
                    yield [list(group) for group in groups]
                return
            if sum(max(0, k - len(group)) for group in groups) > rows - row:
                return
            for group in groups:
                group.append(row)
                yield from grow(row + 1, groups)
                group.pop()
            groups.append([row])
            yield from grow(row + 1, groups)
            groups.pop()

        return grow(0, [])

    return divide


@pytest.fixture
def most_allowed() -> Callable[[int, str], int]:
    """The most rows within ε of a row, itself included, by (ε, δ): ⌊(1−δ)(s−1)⌋ + 1; a single row only if δ = 0."""

    def count(size: int, delta: str) -> int:
        share = Fraction(delta)
        if size == 1 and share > 0:
            return 0
        whole = (1 - share) * (size - 1)
        return whole.numerator // whole.denominator + 1

    return count


@pytest.fixture(scope="session")
def told() -> Callable[..., Told]:
    return Told

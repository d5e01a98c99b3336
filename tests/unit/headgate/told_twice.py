"""Small tables told twice: as items for the loops, and as cells from which an oracle counts by the definitions."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np
import pandas as pd

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.hierarchy import Hierarchy
from headgate.grouping.items import items_of
from headgate.grouping.limits import delta_l, dissimilarity, linkability
from headgate.grouping.nearness import order_of_limits

TOWNS = {f"t{i}": (f"district{i % 3}", f"region{i % 3 // 2}", "*") for i in range(6)}
SCHOOLS = ("none", "low", "mid", "high")


class Told:
    """Ages, schools (ordinal), colours (flat) and towns (hierarchy) with holes; words and pays under three limits, or none."""

    def __init__(self, seed: int, rows: int, *, limited: bool = True, quasi: tuple[str, ...] = ()) -> None:
        draw = np.random.default_rng(seed)
        spread, pays, holes = int(draw.choice([3, 8, 40])), int(draw.choice([2, 5, 21])), float(draw.choice([0.0, 0.1]))

        def some(values: Iterable[object]) -> list[object]:
            return [None if draw.random() < holes else value for value in values]

        self.rows = rows
        self.cells = {
            "age": some(draw.integers(0, spread, rows).tolist()),
            "school": some(draw.choice(SCHOOLS, rows).tolist()),
            "colour": some(draw.choice(list("abcd"), rows).tolist()),
            "town": some(draw.choice(sorted(TOWNS), rows).tolist()),
            "word": some(draw.choice(list("uvwxyz"), rows, p=[0.25, 0.25, 0.2, 0.1, 0.1, 0.1]).tolist()),
            "pay": some((draw.integers(0, pays, rows) * (20 // (pays - 1))).tolist()),
        }
        drawn = [("age", "colour"), ("age", "school", "town"), ("colour", "town"), ("age",)][int(draw.integers(0, 4))]
        self.quasi = quasi or drawn
        self.harmless = frozenset(["u"] if draw.random() < 0.5 else [])
        self.epsilon, self.delta = Fraction(int(draw.integers(0, 7)), 10), Fraction(int(draw.integers(2, 8)), 10)
        self.share, self.half, self.l = Fraction(1, 2), int(draw.integers(0, 3)), Fraction(3, 2)
        kinds = {"age": Kind.INTEGER, "school": Kind.ORDINAL, "colour": Kind.CATEGORY, "town": Kind.CATEGORY}
        tree = Hierarchy.from_rows([(town, *above) for town, above in TOWNS.items()], "town")
        specs = {
            name: ColumnSpec(
                name,
                kind,
                Role.QUASI if name in self.quasi else Role.DROPPED,
                levels=SCHOOLS if name == "school" else (),
                hierarchy=tree if name == "town" else None,
            )
            for name, kind in kinds.items()
        }
        specs["word"] = ColumnSpec("word", Kind.CATEGORY, Role.SENSITIVE, nonsensitive=self.harmless)
        specs["pay"] = ColumnSpec("pay", Kind.INTEGER, Role.SENSITIVE, domain=(0, 20))
        self.table = encode_table(pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in self.cells.items()}), specs)
        both = dissimilarity(self.table.select(["word", "pay"]), self.epsilon, self.delta)
        limits = [both, linkability(self.table["word"], self.share), delta_l(self.table["pay"], self.half, self.l)]
        self.limits = tuple(limits[i] for i in sorted(draw.choice(3, int(draw.integers(1, 4)), replace=False))) if limited else ()
        self.names = tuple(limit.name for limit in order_of_limits(self.limits))  # in the order in which the loops number them
        self.itemized = items_of(self.table, self.limits)
        self.items = self.itemized.items
        self.like = self.itemized.first.tolist()  # a row of each item

    def similar(self, name: str, i: int, j: int) -> bool:
        a, b = self.cells["pay"][i], self.cells["pay"][j]
        if name == "linkability of word":
            return self.cells["word"][i] == self.cells["word"][j]
        if name == "delta_l of pay":
            return a == b if a is None or b is None else abs(a - b) <= 2 * self.half
        pays = Fraction(a != b) if a is None or b is None else Fraction(abs(a - b), 20)
        return (pays + (self.cells["word"][i] != self.cells["word"][j])) / 2 <= self.epsilon

    def centre(self, name: str, row: int) -> bool:
        """A pay is always sensitive, a word may be harmless."""
        return name != "linkability of word" or self.cells["word"][row] not in self.harmless

    def allowed(self, name: str, size: int) -> int:
        if name == "linkability of word":
            return int(self.share * size)
        if name == "delta_l of pay":
            return int(size / self.l)
        return 0 if size <= 1 else int((1 - self.delta) * (size - 1)) + 1

    def rows_of(self, cells: Iterable[int]) -> dict[int, int]:
        """All rows of some cells, by item."""
        within = set(cells)
        return {item: rows for item, rows in enumerate(self.items.rows.tolist()) if int(self.items.item.cell[item]) in within}

    def near(self, name: str, group: dict[int, int], item: int) -> int:
        """Rows of a group (rows by item) that are similar to an item."""
        return sum(rows for other, rows in group.items() if self.similar(name, self.like[item], self.like[other]))

    def keeps(self, group: dict[int, int]) -> bool:
        size = sum(group.values())
        return all(
            self.near(name, group, item) <= self.allowed(name, size)
            for name in self.names
            for item, rows in group.items()
            if rows > 0 and self.centre(name, self.like[item])
        )

    def loss(self, group: Iterable[int]) -> float:
        """loss(G) of a group's items, by DEFINITIONS §4."""
        rows = [self.like[item] for item in group]
        return float(sum(self._loss(name, {self.cells[name][row] for row in rows}) for name in self.quasi)) if rows else 0.0

    def _loss(self, name: str, values: set[object]) -> Fraction:
        everything = set(self.cells[name])
        present = everything - {None}
        if len(values) == 1:
            return Fraction(0)
        if name == "colour":
            return Fraction(len(values), len(present) + (None in values))
        if None in values:
            return Fraction(1)
        if name == "age":
            return Fraction(max(values) - min(values), max(present) - min(present))
        if name == "school":
            ranks = [SCHOOLS.index(value) for value in values]
            return Fraction(max(ranks) - min(ranks), len(SCHOOLS) - 1)
        common = next(level for level in range(3) if len({TOWNS[town][level] for town in values}) == 1)
        return Fraction(sum(above[common] == TOWNS[min(values)][common] for above in TOWNS.values()), len(TOWNS))

    def form(self, group: Iterable[int]) -> tuple[object, ...]:
        """What is published of a group."""
        rows = [self.like[item] for item in group]
        return tuple(self._form(name, {self.cells[name][row] for row in rows}) for name in self.quasi)

    def _form(self, name: str, values: set[object]) -> object:
        if name == "colour" or len(values) == 1:
            return frozenset(values)
        if None in values:
            return "everything"
        if name == "town":
            node = next(TOWNS[min(values)][level] for level in range(3) if len({TOWNS[town][level] for town in values}) == 1)
            return "everything" if node == "*" else node
        ranks = [SCHOOLS.index(value) for value in values] if name == "school" else values
        return min(ranks), max(ranks)

"""Tables, and what cuts and conditions mean by their definitions: nothing here shares code with what it checks."""

from __future__ import annotations

import datetime
from collections import Counter
from fractions import Fraction
from math import exp, log

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from scipy.optimize import linprog

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.hierarchy import Hierarchy
from headgate.grouping.conditions import conditions_of, frequencies_of
from headgate.grouping.limits import delta_l, dissimilarity
from headgate.methods.settings import Settings

TOWNS = [(f"t{i}", f"district{i // 2}", f"region{i // 6}", "*") for i in range(9)]

TREE = Hierarchy.from_rows(TOWNS, "town")

LEVELS = ("low", "middle", "high")

KINDS = {
    "age": Kind.INTEGER,
    "sex": Kind.CATEGORY,
    "town": Kind.CATEGORY,
    "day": Kind.DATE,
    "level": Kind.ORDINAL,
    "illness": Kind.CATEGORY,
    "pay": Kind.INTEGER,
    "home": Kind.CATEGORY,
    "grade": Kind.ORDINAL,
}

SENSITIVE = ("illness", "pay", "home", "grade")

QUASI = [["age"], ["age", "sex"], ["town", "day"], ["town", "level"], ["age", "sex", "town", "day", "level"]]


def encoded(frame, quasi, harmless=()):
    return encode_table(
        frame,
        {
            name: ColumnSpec(
                name,
                KINDS[name],
                Role.QUASI if name in quasi else Role.SENSITIVE if name in SENSITIVE else Role.DROPPED,
                levels=LEVELS if KINDS[name] is Kind.ORDINAL else (),
                hierarchy=TREE if name in ("town", "home") else None,
                nonsensitive=frozenset(harmless) if name == "illness" else frozenset(),
            )
            for name in frame.columns
        },
    )


@st.composite
def frames(draw, most=60):
    """Every kind of quasi-identifier and of sensitive attribute, with and without missing cells."""
    rows = draw(st.integers(4, most))
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    spread, holes = draw(st.sampled_from([2, 6, 400])), draw(st.sampled_from([0.0, 0.2]))

    def some(values):
        return pd.Series([None if random.random() < holes else value for value in values], dtype=object)

    frame = pd.DataFrame(
        {
            "age": some(random.integers(0, spread, rows).tolist()),
            "sex": some(random.choice(["f", "m", "x"], rows, p=[0.5, 0.4, 0.1]).tolist()),
            "town": some([f"t{i}" for i in random.integers(0, 9, rows)]),
            "day": some([f"2020-{m:02d}-{d:02d}" for m, d in zip(random.integers(1, 13, rows), random.integers(1, 29, rows), strict=True)]),
            "level": some(random.choice(LEVELS, rows).tolist()),
            "illness": some(random.choice(["none", "flu", "cold", "ache"], rows, p=[0.4, 0.3, 0.2, 0.1]).tolist()),
            "pay": some(random.integers(0, 30, rows).tolist()),
            "home": some([f"t{i}" for i in random.integers(0, 9, rows)]),
            "grade": some(random.choice(LEVELS, rows, p=[0.6, 0.3, 0.1]).tolist()),
        }
    )
    return frame, draw(st.sampled_from(QUASI))


class Line:
    """One quasi-identifier as LeFevre sees it: every cell has a place in an order, and a range is a share of the domain."""

    def __init__(self, name, cells):
        given = sorted({cell for cell in cells if cell is not None})
        if name in ("age", "day"):
            number = (lambda cell: cell) if name == "age" else (lambda cell: datetime.date.fromisoformat(cell).toordinal())
            self.where = {cell: Fraction(number(cell)) for cell in given}
        else:
            order = LEVELS if name == "level" else [row[0] for row in TOWNS] if name == "town" else given
            self.where = {cell: Fraction(i) for i, cell in enumerate(order)}
        ends = sorted(self.where.values()) if given else [Fraction(0)]
        self.width = ends[-1] - ends[0] or Fraction(1)
        self.place = [Fraction(10**9) if cell is None else self.where[cell] for cell in cells]

    def range(self, rows):
        low, high = min(self.place[row] for row in rows), max(self.place[row] for row in rows)
        if low == high:
            return None
        return Fraction(1) if high == 10**9 else (high - low) / self.width


def recursion(lines, rows, k, admissible):
    """Strict multidimensional Mondrian, written down plainly: groups as frozensets of rows."""
    ranges = [(line.range(rows), -i) for i, line in enumerate(lines)]
    for width, place in sorted([one for one in ranges if one[0] is not None], reverse=True):
        line = lines[-place]
        median = sorted(line.place[row] for row in rows)[(len(rows) - 1) // 2]
        sides = [[row for row in rows if line.place[row] <= median], [row for row in rows if line.place[row] < median]]
        for left in sorted(sides, key=lambda left: abs(2 * len(left) - len(rows))):
            right = [row for row in rows if row not in set(left)]
            if min(len(left), len(right)) >= k and admissible(left) and admissible(right):
                assert width > 0
                return recursion(lines, left, k, admissible) | recursion(lines, right, k, admissible)
    return {frozenset(rows)}


def as_sets(groups):
    return {frozenset(np.flatnonzero(groups == g).tolist()) for g in range(int(groups.max()) + 1)}


def ground(name, one, other, line):
    if one == other:
        return 0.0
    if one is None or other is None or name == "illness":
        return 1.0
    if name == "home":
        paths = {row[0]: row for row in TOWNS}
        return min(level for level in range(4) if paths[one][level] == paths[other][level]) / 3
    return abs(line.index(one) - line.index(other)) / (len(line) - 1)


def transport(name, group, everything):
    """The earth mover's distance as the linear program that defines it."""
    points = sorted(set(everything), key=repr)
    line = list(LEVELS) if name == "grade" else sorted(cell for cell in points if cell is not None) if name == "pay" else []
    p = [group.count(point) / len(group) for point in points]
    q = [everything.count(point) / len(everything) for point in points]
    cost = [ground(name, one, other, line) for one in points for other in points]
    size = len(points)
    leaving = [[float(i == place // size) for place in range(size * size)] for i in range(size)]
    arriving = [[float(i == place % size) for place in range(size * size)] for i in range(size)]
    return linprog(cost, A_eq=leaving + arriving, b_eq=p + q, bounds=(0, None)).fun


class Oracle:
    """Each principle from its definition, on the cells."""

    def __init__(self, frame, harmless, asked):
        self.cells = {name: frame[name].tolist() for name in SENSITIVE if name in frame}
        self.harmless, self.asked = harmless, asked

    def holds(self, rows):
        return all(getattr(self, f"_{principle}")(rows, *bound) for principle, bound in self.asked.items())

    def _values(self, name, rows):
        cells = [self.cells[name][row] for row in rows]
        safe = self.harmless if name == "illness" else ()
        return cells, [cell for cell in cells if cell not in safe]

    def _distinct(self, rows, name, l):  # noqa: E741
        cells, sensitive = self._values(name, rows)
        return not sensitive or len(set(cells)) >= min(l, len(set(self.cells[name])))

    def _frequency(self, rows, name, l):  # noqa: E741
        cells, sensitive = self._values(name, rows)
        return not sensitive or max(Counter(sensitive).values()) * Fraction(l) <= len(cells)

    def _entropy(self, rows, name, l):  # noqa: E741
        cells, sensitive = self._values(name, rows)
        shares = [count / len(cells) for count in Counter(cells).values()]
        return not sensitive or exp(-sum(share * log(share) for share in shares)) >= float(l) - 1e-9 * max(1, float(l))

    def _recursive(self, rows, name, c, l):  # noqa: E741
        cells, sensitive = self._values(name, rows)
        if not sensitive:
            return True
        value, most = Counter(sensitive).most_common(1)[0]
        others = sorted((count for cell, count in Counter(cells).items() if cell != value), reverse=True)
        return most < Fraction(c) * sum(others[l - 2 :])

    def _closeness(self, rows, name, t):
        return transport(name, self._values(name, rows)[0], self.cells[name]) <= float(t) + 1e-8

    def _dissimilar(self, rows, epsilon, delta):
        """Over illness and pay, equal weights, L¹."""
        cells = [(self.cells["illness"][row], self.cells["pay"][row]) for row in rows]
        paid = [pay for pay in self.cells["pay"] if pay is not None]
        width = (max(paid) - min(paid) if paid else 0) or 1

        def apart(a, b):
            pay = Fraction(a[1] != b[1]) if a[1] is None or b[1] is None else Fraction(abs(a[1] - b[1]), width)
            return (Fraction(a[0] != b[0]) + pay) / 2

        most = max(sum(apart(cell, other) <= Fraction(epsilon) for other in cells) for cell in cells)
        return len(cells) > 1 and most - 1 <= (1 - Fraction(delta)) * (len(cells) - 1)

    def _star(self, rows, interval, l):  # noqa: E741
        """(δ, l) of pay."""
        cells = [self.cells["pay"][row] for row in rows]
        near = [sum(a == b if a is None or b is None else abs(a - b) <= 2 * interval for b in cells) for a in cells]
        return max(near) * Fraction(l) <= len(cells)


MONOTONE = [
    {"distinct": ("illness", 3)},
    {"frequency": ("pay", "3")},
    {"entropy": ("illness", "2.1")},
    {"recursive": ("illness", "2", 2)},
    {"recursive": ("grade", "0.9", 3)},
    {"closeness": ("illness", "0.31")},
    {"closeness": ("pay", "0.23")},
    {"closeness": ("home", "0.37")},
    {"closeness": ("grade", "0.33"), "distinct": ("pay", 3)},
]

OTHERS = [{"dissimilar": ("0.1", "0.6")}, {"dissimilar": ("0", "0.3"), "closeness": ("home", "0.5")}, {"star": (2, "2")}]


def settings_of(table, k, asked):
    limits, conditions = [], []
    for principle, bound in asked.items():
        match principle:
            case "dissimilar":
                limits.append(dissimilarity(table.select(["illness", "pay"]), *bound))
            case "star":
                limits.append(delta_l(table["pay"], *bound))
            case "frequency":
                limits += frequencies_of(table.select([bound[0]]), bound[1])
            case "recursive":
                conditions += conditions_of([bound[0]], recursive=bound[1:])
            case _:
                key = "closeness" if principle == "closeness" else f"{principle}_l"
                conditions += conditions_of([bound[0]], **{key: bound[1]})
    return Settings(k, tuple(limits), conditions=tuple(conditions))

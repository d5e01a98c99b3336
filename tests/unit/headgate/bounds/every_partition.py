"""Limits from their definitions, every partition of a few rows, and small random tables to hold what is said against them."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd

from headgate.core.columns import Kind, Role
from headgate.core.distance import Distance
from headgate.core.encode import ColumnSpec, encode_table
from headgate.grouping.limits import delta_l, dissimilarity, linkability


class Promise:
    """One limit from its definition: who is similar to whom, whose neighbours count, and how many a group of a size may hold."""

    def __init__(self, similar, centre, most):
        self.similar, self.centre, self.most = similar, centre, most

    def kept_by(self, group):
        return all(sum(self.similar(i, j) for j in group) <= self.most(len(group)) for i in group if self.centre(i))


class EveryPartition:
    """Tries all of them: over sets of rows, as bits, whether they can be divided into groups that keep all promises."""

    def __init__(self, rows, k, promises):
        self.rows, self.k = rows, k
        members = [[row for row in range(rows) if mask >> row & 1] for mask in range(1 << rows)]
        self.size = [len(group) for group in members]
        self.good = [len(group) >= k and all(promise.kept_by(group) for promise in promises) for group in members]
        self.divisible = [mask == 0 for mask in range(1 << rows)]
        for mask in range(1, 1 << rows):
            lowest = mask & -mask
            part = mask
            while part and not self.divisible[mask]:
                self.divisible[mask] = bool(part & lowest) and self.good[part] and self.divisible[mask ^ part]
                part = (part - 1) & mask

    def exists(self):
        return self.divisible[-1]

    def fewest_suppressed(self):
        """All rows where not even one group can be released."""
        kept = max((self.size[mask] for mask in range(1, 1 << self.rows) if self.divisible[mask]), default=0)
        return self.rows - kept

    def equitable_exists(self):
        classes = self.rows // self.k
        base, larger = divmod(self.rows, classes)

        def divide(mask, small, large):
            if mask == 0:
                return True
            lowest, part = mask & -mask, mask
            while part:
                if part & lowest and self.good[part]:
                    if self.size[part] == base and small and divide(mask ^ part, small - 1, large):
                        return True
                    if self.size[part] == base + 1 and large and divide(mask ^ part, small, large - 1):
                        return True
                part = (part - 1) & mask
            return False

        return divide((1 << self.rows) - 1, classes - larger, larger)


def floor(share):
    return share.numerator // share.denominator


def alike(a, b, width):
    """Distance of two numbers with missing cells."""
    if a is None or b is None:
        return Fraction(a is not b)
    return Fraction(abs(a - b), width)


def random_case(draw):
    """A small table with one or two sensitive attributes, limits on it, and the same limits from their definitions."""
    rows, k, width = int(draw.integers(4, 9)), int(draw.integers(1, 5)), 10
    holes = draw.choice([0, 0.15])
    spread = draw.choice([3, 5, 11], p=[0.3, 0.4, 0.3])
    pay = [None if draw.random() < holes else int(x) for x in draw.integers(0, spread, rows)]
    ill = [None if draw.random() < holes else str(x) for x in draw.choice(["a", "b", "c"], rows, p=[0.6, 0.25, 0.15])]
    harmless = [(), ("b",), ("a",), ("a", None)][int(draw.integers(0, 4))]
    harmless_pay = [(), (), (0, 1)][int(draw.integers(0, 3))]
    frame = pd.DataFrame({"age": range(rows), "pay": pd.Series(pay, dtype=object), "ill": pd.Series(ill, dtype=object)})
    specs = {
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI),
        "pay": ColumnSpec("pay", Kind.INTEGER, Role.SENSITIVE, domain=(0, width), nonsensitive=frozenset(map(str, harmless_pay))),
        "ill": ColumnSpec("ill", Kind.CATEGORY, Role.SENSITIVE, nonsensitive=frozenset(harmless)),
    }
    table = encode_table(frame, specs)
    limits, promises = [], []
    for kind in draw.choice(["pay", "both", "least", "share", "interval"], int(draw.integers(1, 3)), replace=False):
        if kind in ("pay", "both", "least"):
            steps = [Fraction(j, max(1, k - 1)) for j in range(max(2, k))] + [Fraction(3, 5), Fraction(1, 3)]
            delta = steps[int(draw.integers(0, len(steps)))]
            epsilon = Fraction(int(draw.integers(0, 7)), 10)

            def near(i, j, kind=kind, epsilon=epsilon):
                numbers, words = alike(pay[i], pay[j], width), Fraction(ill[i] != ill[j])
                gap = {"pay": numbers, "both": (numbers + words) / 2, "least": min(numbers, words)}[kind]
                return gap <= epsilon

            def harmed(i, kind=kind):
                return pay[i] not in harmless_pay or (kind != "pay" and ill[i] not in harmless)

            def most(size, delta=delta):
                return 0 if size == 1 and delta > 0 else floor((1 - delta) * (size - 1)) + 1

            names = ["pay"] if kind == "pay" else ["pay", "ill"]
            limits.append(dissimilarity(table.select(names), epsilon, delta, Distance(combine="min" if kind == "least" else "lp"), kind))
            promises.append(Promise(near, harmed, most))
        elif kind == "share":
            share = Fraction(int(draw.integers(2, 11)), 10)
            limits.append(linkability(table["ill"], share))
            promises.append(
                Promise(lambda i, j: ill[i] == ill[j], lambda i: ill[i] not in harmless, lambda s, share=share: floor(share * s))
            )
        else:
            half, least = int(draw.integers(0, 3)), Fraction(int(draw.integers(2, 7)), 2)

            def beside(i, j, half=half):
                return pay[i] is pay[j] if pay[i] is None or pay[j] is None else abs(pay[i] - pay[j]) <= 2 * half

            limits.append(delta_l(table["pay"], half, least))
            promises.append(Promise(beside, lambda i: pay[i] not in harmless_pay, lambda s, least=least: floor(s / least)))
    return table, limits, promises, k

"""Tables that were made so that a partition exists: some drawn at random, some around groups that keep all promises."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np

from benchmarks.every_partition import MOST_PAY, OLDEST, Case, Promised
from headgate.core.columns import Column, Kind

DELTAS = [Fraction(text) for text in ("0.3", "0.5", "0.6", "0.7", "0.8", "0.9", "1")]
SHAPES = ("one word", "numbers", "two attributes", "together", "graph")
TRIES = 200  # draws of one value before a group starts anew


def small(seed: int, most: int = 10) -> Case:
    """Up to `most` rows, whatever comes. Nobody knows whether a partition exists."""
    draw = np.random.default_rng([1, seed])
    rows = int(draw.integers(4, most + 1))
    k = int(draw.integers(2, 5))
    shape = str(draw.choice(SHAPES))
    spread = int(draw.choice([2, 4, 100]))
    delta = Fraction(int(draw.integers(2, 11)), 10)
    words = [str(word) for word in draw.choice(list("abcde"), rows, p=[0.36, 0.25, 0.18, 0.12, 0.09])]
    case = {
        "k": min(k, rows),
        "age": draw.integers(0, spread, rows).tolist(),
        "sex": [str(sex) for sex in draw.choice(["f", "m"], rows)],
        "word": words,
    }
    if shape == "graph":
        case["word"], pairs = _graph(draw, rows, float(draw.uniform(0.1, 0.6)))
        return Case(promises=(Promised(("word",), delta=delta),), edges=pairs, **case)  # type: ignore[arg-type]
    others = [str(word) for word in draw.choice(list("pqrs"), rows, p=[0.4, 0.3, 0.2, 0.1])]
    pays = draw.integers(0, MOST_PAY + 1, rows).tolist()
    return Case(promises=_promises(draw, shape, delta), other=others, pay=pays, **case)  # type: ignore[arg-type]


def planted(seed: int, least: int = 12, most: int = 220) -> Case:
    """`least` to `most` rows around groups of k to 2k − 1 rows that keep all promises, by group and as published."""
    draw = np.random.default_rng([2, seed])
    while True:
        k = int(draw.integers(2, 11))
        shape, delta = str(draw.choice(SHAPES)), DELTAS[int(draw.integers(len(DELTAS)))]
        promises = (Promised(("word",), delta=delta),) if shape == "graph" else _promises(draw, shape, delta)
        rows = int(draw.integers(max(least, 2 * k), most + 1))
        sizes = _sizes(draw, rows, k)
        if any(promised.most(size) < 1 for promised in promises for size in sizes):
            continue
        case = _graph_case(draw, k, sizes, promises) if shape == "graph" else _valued_case(draw, k, sizes, promises)
        if case is not None:
            return case


def _promises(draw: np.random.Generator, shape: str, delta: Fraction) -> tuple[Promised, ...]:
    epsilon = Fraction(int(draw.integers(1, 16)), 100)
    second = DELTAS[int(draw.integers(len(DELTAS) - 2))]
    share = Fraction(int(draw.integers(3, 8)), 10)
    match shape:
        case "one word":
            return (Promised(("word",), delta=delta),)
        case "numbers":
            return (Promised(("pay",), epsilon, delta),)
        case "two attributes":
            return (
                Promised(("word",), delta=delta),
                Promised(("other",), share=share) if draw.random() < 0.5 else Promised(("other",), delta=second),
            )
        case _:
            return (Promised(("word", "pay"), epsilon + Fraction(1, 10), delta), Promised(("word",), delta=min(second, Fraction(7, 10))))


def _sizes(draw: np.random.Generator, rows: int, k: int) -> list[int]:
    """Mostly k, some up to 2k − 1."""
    sizes: list[int] = []
    larger = float(draw.choice([0.0, 0.3, 1.0]))
    while rows - sum(sizes) >= 2 * k:
        sizes.append(int(draw.integers(k, 2 * k)) if draw.random() < larger else k)
        if rows - sum(sizes) < k:
            sizes[-1] = k
    sizes.append(rows - sum(sizes))
    return sizes


def _numbered(sizes: Sequence[int]) -> list[list[int]]:
    ends = np.cumsum(sizes).tolist()
    return [list(range(end - size, end)) for size, end in zip(sizes, ends, strict=True)]


def _people(draw: np.random.Generator, rows: int) -> tuple[list[int], list[str]]:
    return draw.integers(0, OLDEST + 1, rows).tolist(), [str(sex) for sex in draw.choice(["f", "m"], rows)]


def _shuffled(draw: np.random.Generator, case: Case) -> Case | None:
    """In another order of rows; None if groups that would be published alike do not hold together."""
    if not case.holds(case.planted):
        return None
    order = draw.permutation(case.rows)
    place = np.argsort(order)
    moved = {
        name: [getattr(case, name)[row] for row in order] for name in ("age", "sex", "word", "other", "pay") if len(getattr(case, name))
    }
    groups = [sorted(place[group].tolist()) for group in case.planted]
    return Case(case.k, promises=case.promises, edges=case.edges, planted=groups, **moved)


def _valued_case(draw: np.random.Generator, k: int, sizes: list[int], promises: tuple[Promised, ...]) -> Case | None:
    """Row after row takes a value from a skewed distribution, if its group then still keeps all promises."""
    of_words, of_others = (_chances(draw, k, [one for one in promises if one.columns == (name,)]) for name in ("word", "other"))
    centre, width = float(draw.uniform(0, MOST_PAY)), float(draw.uniform(10, 60))
    words: list[str] = []
    others: list[str] = []
    pays: list[int] = []
    for size in sizes:
        own: list[tuple[int, int, int]] = []
        tries = 0
        while len(own) < size:
            tries += 1
            if tries > TRIES * size:
                return None
            row = (
                int(draw.choice(len(of_words), p=of_words)),
                int(draw.choice(len(of_others), p=of_others)),
                int(np.clip(draw.normal(centre, width), 0, MOST_PAY)),
            )
            if _fits([*own, row], size, promises):
                own.append(row)
        words += [f"w{word:02d}" for word, _, _ in own]
        others += [f"o{other:02d}" for _, other, _ in own]
        pays += [pay for _, _, pay in own]
    age, sex = _people(draw, sum(sizes))
    return _shuffled(draw, Case(k, age, sex, promises, words, others, pays, planted=_numbered(sizes)))


def _chances(draw: np.random.Generator, k: int, promises: Sequence[Promised]) -> np.ndarray:
    """Chances of few more values than a group of k needs, some of them larger."""
    least = max((-(-k // promised.most(k)) for promised in promises), default=4)
    chances = 1 / np.arange(1, least + 2 + int(draw.integers(0, least + 1))) ** float(draw.choice([0.0, 0.5, 1.0]))
    return np.asarray(chances / chances.sum())


def _fits(rows: Sequence[tuple[int, int, int]], size: int, promises: tuple[Promised, ...]) -> bool:
    values = np.array(rows)
    for promised in promises:
        total = np.zeros((len(rows), len(rows)), dtype=np.int64)
        for name in promised.columns:
            column = values[:, ("word", "other", "pay").index(name)]
            total += np.abs(column[:, None] - column) if name == "pay" else 100 * (column[:, None] != column)
        most = promised.epsilon * 100 * len(promised.columns)
        if int((total * most.denominator <= most.numerator).sum(axis=1).max()) > promised.most(size):
            return False
    return True


def _graph_case(draw: np.random.Generator, k: int, sizes: list[int], promises: tuple[Promised, ...]) -> Case | None:
    """Any two rows are similar with one chance, but inside the planted groups no row is to more than may be."""
    rows, groups = sum(sizes), _numbered(sizes)
    words, pairs = _graph(draw, rows, float(draw.uniform(0.1, 0.7)))
    near = np.eye(rows, dtype=bool)
    for one, two in pairs:
        near[int(one[1:]), int(two[1:])] = near[int(two[1:]), int(one[1:])] = True
    for group in groups:
        most = promises[0].most(len(group))
        inside = near[np.ix_(group, group)]
        while (degrees := inside.sum(axis=1)).max() > most:
            worst = int(degrees.argmax())
            other = int(draw.choice([i for i in np.flatnonzero(inside[worst]).tolist() if i != worst]))
            inside[worst, other] = inside[other, worst] = False
        near[np.ix_(group, group)] = inside
    left = frozenset((words[i], words[j]) for i, j in combinations(range(rows), 2) if near[i, j])
    age, sex = _people(draw, rows)
    return _shuffled(draw, Case(k, age, sex, promises, words, edges=left, planted=groups))


def _graph(draw: np.random.Generator, rows: int, chance: float) -> tuple[list[str], frozenset[tuple[str, str]]]:
    """A word for each row, and pairs of similar words."""
    words = [f"v{row:03d}" for row in range(rows)]
    return words, frozenset(pair for pair in combinations(words, 2) if draw.random() < chance)


def drawn_plans(seed: int) -> tuple[list[Column], float, float, Callable[[tuple[str, ...]], bool], bool]:
    """Attributes that copy each other, two thresholds, which tables pass, and whether a table that fails does so with more attributes."""
    draw = np.random.default_rng([3, seed])
    size, rows = int(draw.integers(3, 7)), 200
    sources = [draw.integers(0, 4, rows) for _ in range(2)]
    flags = np.ones(5, dtype=bool)
    columns = []
    for i in range(size):
        copied = draw.random(rows) < draw.random()
        codes = np.where(copied, sources[int(draw.integers(2))], draw.integers(0, 4, rows)).astype(np.int32)
        columns.append(Column("abcdef"[i], Kind.CATEGORY, codes, np.array(list("wxyz"), dtype=object), flags))
    monotone, chance = bool(draw.random() < 0.5), float(draw.uniform(0.3, 1.0))
    names = [column.name for column in columns]
    refused = {frozenset(table) for n in range(1, size + 1) for table in combinations(names, n) if draw.random() > chance ** (n - 1)}

    def check(table: tuple[str, ...]) -> bool:
        return not any(one <= set(table) if monotone else one == set(table) for one in refused)

    return columns, float(draw.uniform(0.2, 1.0)), float(draw.uniform(0.1, 1.0)), check, monotone

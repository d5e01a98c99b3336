"""What the figures of the (δ, l) and of the general-proximity paper say: their tables, measured here; the checking algorithm as it is
printed; and groups of the census, in which the same questions are asked of real numbers."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import headgate as hg
from benchmarks.census import adults
from benchmarks.papers.xcolor_runs import shuffled
from headgate.core.columns import Codes, Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.principles.dissimilarity import dissimilarity

DEFINITION, WINDOW, EPSILON_M = "definition", "window", "(ε, m)"
SALARIES = {"[17,25]": (490, 500, 510, 1000), "[26,35]": (500, 600, 700), "[36-45]": (1000, 510, 680)}  # (δ, l), Figure 1
EXAMPLES = {"G1": (40, 60), "G2": (40, 50, 60), "E2": (50, 80), "G1 ∪ E2": (40, 50, 60, 80)}  # Figure 2 and Example 1
DISEASES = (  # general proximity, Table I: flu, asthma, bronchitis, none; and the group
    (0.5, 0.3, 0.1, 0.1, 1), (0.4, 0.3, 0.2, 0.1, 1), (0.4, 0.2, 0.2, 0.2, 1), (0.3, 0.4, 0.2, 0.1, 1), (0.2, 0.7, 0.1, 0.0, 1),
    (0.2, 0.6, 0.2, 0.0, 2), (0.8, 0.1, 0.0, 0.1, 2), (0.3, 0.1, 0.5, 0.1, 2),
)  # fmt: skip
NAMES = ("flu", "asthma", "bronchitis", "none")
QUASI = ["education", "marital", "race", "sex"]


def number(cells: Iterable[float], name: str = "value") -> Column:
    return encode_column(pd.Series(list(cells)), ColumnSpec(name, Kind.NUMBER, Role.SENSITIVE))


def diversities(groups: Sequence[Sequence[float]], interval: float) -> dict[str, list[float]]:
    """l of each group in both readings, and m with ε = δ."""
    column = number(cell for group in groups for cell in group)
    classes = [np.repeat(np.arange(len(groups), dtype=np.int32), [len(group) for group in groups])]
    counted = hg.count(column, classes)
    found = hg.delta_l(counted, interval)
    figures = {DEFINITION: found.definition, WINDOW: found.window, EPSILON_M: hg.epsilon_m(counted, interval).figure}
    return {name: figure.per_group.tolist() for name, figure in figures.items()}


# Figure 3 of the (δ, l) paper, for the two readings of its index letters. `≤` stands where the printed `<` would let intervals that touch
# overlap on one side only.


def checked_as_window(ascending: Sequence[float], delta: float, strict: bool = False) -> float:
    """t_i is left out as long as it is not similar to t_j: all values from i to j are similar to each other."""
    least, i = np.inf, 0
    for j, value in enumerate(ascending):
        while _apart(ascending[i], value, delta, strict):
            i += 1
        least = min(least, len(ascending) / (j - i + 1))
    return float(least)


def checked_as_star(ascending: Sequence[float], delta: float, strict: bool = False) -> float:
    """Around each t_x: i is the first value that is similar to it, j the first one past it that is not."""
    least, i, j, size = np.inf, 0, 0, len(ascending)
    for value in ascending:
        while _apart(ascending[i], value, delta, strict=False):
            i += 1
        while j < size and not _apart(value, ascending[j], delta, strict):
            j += 1
        least = min(least, size / (j - i))
    return float(least)


def _apart(low: float, high: float, delta: float, strict: bool) -> bool:
    """Whether the δ-intervals of two values do not overlap; `strict`: nor do they if they only touch."""
    return high - low >= 2 * delta if strict and high > low else high - low > 2 * delta


CHECKS = {DEFINITION: checked_as_star, WINDOW: checked_as_window}


def by_definition(values: Sequence[float], delta: float, reading: str) -> float:
    """|E| over the largest number of rows similar to one value; or, for the window, in any interval of length 2δ."""
    similar = [[other for other in values if abs(other - value) <= 2 * delta] for value in values]
    if reading == WINDOW:
        similar = [[other for other in values if value <= other <= value + 2 * delta] for value in values]
    return len(values) / max(map(len, similar))


def small_groups(most: int, values: int) -> Iterator[tuple[int, ...]]:
    """All multisets of up to `most` numbers below `values`."""
    for size in range(1, most + 1):
        yield from itertools.combinations_with_replacement(range(values), size)


def checking(most: int, values: int, deltas: Sequence[float]) -> list[dict[str, Any]]:
    """How often the transcribed algorithm gives the l of each reading."""
    lines = []
    for letters, check in CHECKS.items():
        for strict in (False, True):
            same, asked = dict.fromkeys(CHECKS, 0), 0
            for group, delta in itertools.product(small_groups(most, values), deltas):
                asked += 1
                found = check(group, delta, strict)
                for reading in CHECKS:
                    same[reading] += found == by_definition(group, delta, reading)
            lines.append({"letters": letters, "strict": strict, "groups": asked, "same": same})
    return lines


def check_seconds(sizes: Sequence[int], repeats: int) -> list[dict[str, Any]]:
    """Of the algorithm in both readings, as plain Python, on one group of n different values in ascending order."""
    points = []
    for size in sizes:
        values, spent = list(range(size)), []
        for _ in range(repeats):
            start = time.process_time()
            for check in CHECKS.values():
                check(values, 50)
            spent.append(time.process_time() - start)
        points.append({"rows": size, "seconds": min(spent)})
    return points


def monotone(most: int, values: int, deltas: Sequence[float]) -> dict[str, Any]:
    """In how many pairs of groups the union has a smaller l than both."""
    groups, falls, pairs = list(small_groups(most, values)), dict.fromkeys(CHECKS, 0), 0
    for delta in deltas:
        own = {reading: [by_definition(group, delta, reading) for group in groups] for reading in CHECKS}
        for i, j in itertools.combinations_with_replacement(range(len(groups)), 2):
            pairs += 1
            for reading in CHECKS:
                union = by_definition(groups[i] + groups[j], delta, reading)
                falls[reading] += union < min(own[reading][i], own[reading][j]) - 1e-9
    return {"pairs": pairs, "falls": falls}


def people(rows: int) -> pd.DataFrame:
    return shuffled(adults(), only_workers=False)[[*QUASI, "age"]].iloc[:rows].reset_index(drop=True)


def census_groups(rows: int, k: int = 10, frequency: int = 3) -> tuple[pd.DataFrame, Codes]:
    """Groups of people of whom nobody's age is shared by more than a third of the group, as in the paper's Figure 1."""
    frame = people(rows)
    return frame, hg.mondrian(frame, QUASI, k=k, sensitive=["age"], frequency=frequency).groups


def census_diversity(frame: pd.DataFrame, groups: Codes, intervals: Sequence[str]) -> list[dict[str, Any]]:
    counted, points = hg.count(number(frame["age"], "age"), [groups]), []
    for interval in intervals:
        found = hg.delta_l(counted, interval)
        figures = {DEFINITION: found.definition, WINDOW: found.window, EPSILON_M: hg.epsilon_m(counted, interval).figure}
        points.append(
            {"interval": float(Fraction(interval))}
            | {name: {"least": figure.value, "below": float((figure.per_group < 2 - 1e-9).mean())} for name, figure in figures.items()}
        )
    return points


def census_unions(frame: pd.DataFrame, groups: Codes, intervals: Sequence[str]) -> list[dict[str, Any]]:
    """The same question of groups that follow each other, two and two."""
    column, points = number(frame["age"], "age"), []
    pairs = groups // 2
    whole = pairs < (groups.max() + 1) // 2
    for interval in intervals:
        single, double = (hg.delta_l(hg.count(column.take(np.flatnonzero(whole)), [one[whole]]), interval) for one in (groups, pairs))
        falls = {}
        for name in (DEFINITION, WINDOW):
            parts, union = getattr(single, name).per_group.reshape(-1, 2).min(axis=1), getattr(double, name).per_group
            falls[name] = float((union < parts - 1e-9).mean())
        points.append({"interval": float(Fraction(interval)), "pairs": int(pairs[whole].max()) + 1, "falls": falls})
    return points


def diseases() -> tuple[Column, Codes]:
    """Table I of the general-proximity paper: distributions, compared by total variation."""
    frame = pd.DataFrame(DISEASES, columns=[*NAMES, "group"])
    spec = ColumnSpec("disease", Kind.VECTOR, Role.SENSITIVE, metric="total-variation", components=NAMES)
    return encode_column(frame[list(NAMES)], spec), (frame["group"].to_numpy() - 1).astype(np.int32)


def disease_distances() -> NDArray[np.float64]:
    cells = np.array([row[:4] for row in DISEASES])
    return np.asarray(np.abs(cells[:, None] - cells[None]).sum(axis=2) / 2)


def risks_of_diseases(epsilons: Sequence[str]) -> list[dict[str, Any]]:
    column, groups = diseases()
    return [
        {"epsilon": float(epsilon), "risk": dissimilarity([column], [groups], hg.Distance(), epsilon).per_group.tolist()}
        for epsilon in epsilons
    ]


def dimensions(distances: NDArray[np.float64]) -> list[float]:
    """Eigenvalues of classical scaling, the largest first: points in a plane have two that are positive, and no other."""
    middle = np.eye(len(distances)) - 1 / len(distances)
    return sorted(np.linalg.eigvalsh(-0.5 * middle @ distances**2 @ middle).tolist(), reverse=True)


def principles(frame: pd.DataFrame, groups: Codes, epsilon: str, deltas: Sequence[str]) -> list[dict[str, Any]]:
    """Of the groups that another principle calls safe, how many are open to general proximity breach."""
    column = number(frame["age"], "age")
    counted, width = hg.count(column, [groups]), column.width
    near = dissimilarity([column], [groups], hg.Distance(), epsilon)
    close = hg.closeness(counted).figure.per_group
    safe = {
        "frequency l ≥ 3": hg.diversity(counted).frequency.per_group >= 3 - 1e-9,
        "t-closeness, t ≤ 0.2": close <= 0.2 + 1e-9,
        "variance ≥ 100": hg.variance(counted).variance.per_group >= 100,
        "(k, e): range ≥ 30": hg.k_e(counted).e.per_group >= 30,
    }
    lines = []
    for name, flags in safe.items():
        open_to = {delta: _share(near.per_group[flags] > 1 - float(Fraction(delta)) + 1e-9) for delta in deltas}
        lines.append({"principle": name, "groups": int(flags.sum()), "vulnerable": open_to})
    for m in (2, 3, 4):
        figure = hg.epsilon_m(counted, float(Fraction(epsilon)) * width).figure.per_group
        by_m, by_delta = figure >= m - 1e-9, near.per_group <= 1 / m + 1e-9
        lines.append({"m": m, "by_m": int(by_m.sum()), "by_delta": int(by_delta.sum()), "only_by_m": int((by_m & ~by_delta).sum())})
    return lines


def _share(flags: NDArray[np.bool_]) -> float:
    return float(flags.mean()) if len(flags) else 0.0


def theorem_1(most: int, values: int, epsilons: Sequence[int]) -> dict[str, int]:
    """risk ≤ 1 − δ exactly where every value is dissimilar to at least δ(|G| − 1) others, for every δ that a group can have."""
    asked = wrong = 0
    for group in small_groups(most, values):
        for epsilon in epsilons:
            unlike = [sum(abs(other - value) > epsilon for other in group) for value in group]
            measured = dissimilarity(
                [number([*group, *range(values)])], [np.repeat([0, 1], [len(group), values]).astype(np.int32)], hg.Distance(),
                str(Fraction(epsilon, values - 1)),
            ).per_group[0]  # fmt: skip
            for apart in range(len(group)):
                share = apart / max(len(group) - 1, 1)
                holds = len(group) > 1 and min(unlike) >= apart
                asked += 1
                wrong += holds != (measured <= 1 - share + 1e-9) if len(group) > 1 else 0
    return {"asked": asked, "wrong": int(wrong)}

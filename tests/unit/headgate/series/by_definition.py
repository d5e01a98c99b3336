"""Random series, and their figures counted from the definition (DEFINITIONS §11) with Counters and fractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations
from typing import Any

import numpy as np
import pandas as pd

Names = tuple[str, ...]
Values = dict[str, Any]


@dataclass(frozen=True)
class Drawn:
    """A version: who is in it with which values, and by table the group of each."""

    people: dict[int, Values]
    tables: dict[Names, dict[int, int]]


@dataclass
class Figures:
    """By person."""

    linkability: dict[int, Fraction]
    linkability_any: dict[int, Fraction]
    candidates: dict[int, int]  # only of people with a sensitive value in one of their groups
    risk: dict[int, Fraction]
    told: set[int]


def few(versions: Sequence[int]) -> list[tuple[int, ...]]:
    """Every single version, every pair, and all."""
    return list(dict.fromkeys([*combinations(versions, 1), *combinations(versions, 2), tuple(versions)]))


def every(versions: Sequence[int]) -> Iterable[tuple[int, ...]]:
    return chain.from_iterable(combinations(versions, size) for size in range(1, len(versions) + 1))


def by_definition(
    series: Sequence[Drawn],
    names: Names,
    harmless: frozenset[Any] = frozenset(),
    near: Callable[[tuple[Any, ...], tuple[Any, ...]], bool] | None = None,
    known: int | None = None,
) -> Figures:
    """Of the attributes together, over the versions that publish just these together; of one attribute, over all that publish it. `known`:
    the only version of which it is known who has which value."""
    held: dict[int, dict[int, Counter[tuple[Any, ...]]]] = {}
    own: dict[int, set[tuple[Any, ...]]] = {}
    for i, version in enumerate(series):
        for published, groups in version.tables.items():
            if set(published) == set(names) or (len(names) == 1 and names[0] in published):
                for person in groups:
                    mates = [other for other in groups if groups[other] == groups[person]]
                    held.setdefault(person, {})[i] = Counter(tuple(version.people[mate][name] for name in names) for mate in mates)
                    if known in (None, i):
                        own.setdefault(person, set()).add(tuple(version.people[person][name] for name in names))

    def is_sensitive(value: tuple[Any, ...]) -> bool:
        return any(part not in harmless for part in value)

    def common(person: int, versions: Sequence[int]) -> Counter[tuple[Any, ...]]:
        first, *others = (held[person][i] for i in versions)
        return Counter({value: min([first[value], *(other[value] for other in others)]) for value in first}) + Counter()

    def share(group: Counter[tuple[Any, ...]]) -> Fraction:
        return max((Fraction(count, group.total()) for value, count in group.items() if is_sensitive(value)), default=Fraction(0))

    def star(group: Counter[tuple[Any, ...]]) -> Fraction:
        if group.total() == 1:
            return Fraction(1)
        stars = [
            Fraction(sum(count for other, count in group.items() if near is not None and near(value, other)) - 1, group.total() - 1)
            for value in group
            if is_sensitive(value)
        ]
        return max(stars, default=Fraction(0))

    out = Figures({}, {}, {}, {}, set())
    for person, groups in held.items():
        everywhere = common(person, list(groups))
        told = any(value not in group for value in own.get(person, ()) for group in groups.values())
        if told:
            out.told.add(person)
        out.linkability[person] = Fraction(1) if told else max(share(common(person, some)) for some in few(list(groups)))
        out.linkability_any[person] = Fraction(1) if told else max(share(common(person, some)) for some in every(list(groups)))
        out.risk[person] = Fraction(1) if told else max(star(common(person, some)) for some in few(list(groups)))
        if any(is_sensitive(value) for group in groups.values() for value in group):
            out.candidates[person] = 1 if told else min(len(common(person, some)) for some in few(list(groups))) if everywhere else 1
    return out


def random_series(seed: int, versions: int | None = None, steady: bool = False) -> list[Drawn]:
    """A few people who come and go, some of whose values change; two attributes in one table or apart; missing cells."""
    draw = np.random.default_rng(seed)
    many, values, groups = int(draw.integers(2, 14)), int(draw.choice([2, 3, 5])), int(draw.integers(1, 4))
    versions = int(draw.integers(1, 6)) if versions is None else versions
    changes, split = 0.0 if steady else float(draw.choice([0.0, 0.1])), bool(draw.random() < 0.3)
    illness = [*(f"v{i}" for i in range(values)), None]
    own = [{"illness": illness[draw.integers(0, values + 1)], "pay": int(draw.integers(0, values))} for _ in range(many)]
    out: list[Drawn] = []
    for _ in range(versions):
        for values_of_person in own:
            if draw.random() < changes:
                values_of_person["illness"] = illness[draw.integers(0, values + 1)]
        there = [person for person in range(many) if draw.random() < 0.8] or [0]
        apart: list[Names] = [("illness",), ("pay",)] if split and draw.random() < 0.5 else [("illness", "pay")]
        tables = {names: {person: int(draw.integers(0, groups)) for person in there} for names in apart}
        out.append(Drawn({person: dict(own[person]) for person in there}, tables))
    return out


def as_frames(series: Sequence[Drawn]) -> list[tuple[pd.DataFrame, dict[Names, list[int]]]]:
    """As the library takes them; who was not published stands in the frame with group −1."""
    out = []
    for version in series:
        ids = [*version.people, 999]
        cells = {name: [version.people.get(person, {"illness": "v0", "pay": 0})[name] for person in ids] for name in ("illness", "pay")}
        frame = pd.DataFrame({"id": ids, "illness": pd.Series(cells["illness"], dtype=object), "pay": cells["pay"]})
        out.append((frame, {names: [groups.get(person, -1) for person in ids] for names, groups in version.tables.items()}))
    return out

"""Every node of a lattice counted by hand, from the definitions."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.hierarchy import Hierarchy
from headgate.grouping.conditions import Closeness, DistinctL, EntropyL, RecursiveCL
from headgate.grouping.limits import delta_l, dissimilarity, linkability
from headgate.methods.full_domain.level_search import full_domain
from headgate.methods.full_domain.level_settings import LevelSettings
from headgate.methods.full_domain.windows import WindowL

TOWN = [("a", "ab", "x", "*"), ("b", "ab", "x", "*"), ("c", "c'", "x", "*"), ("d", "de", "y", "*"), ("e", "de", "y", "*")]

AGE = [(str(v), f"[{v // 2 * 2}..{v // 2 * 2 + 1}]", "*") for v in range(6)]

SEX = [("f", "*"), ("m", "*")]

TREES = {"town": TOWN, "age": AGE, "sex": SEX}

ILLS = [("flu", "lung", "*"), ("cold", "lung", "*"), ("ulcer", "gut", "*"), ("none", "gut", "*")]

rows_of_tables = st.lists(
    st.tuples(
        st.sampled_from(["a", "a", "b", "c", "d", "e", None]),
        st.sampled_from([0, 0, 1, 2, 3, 5]),
        st.sampled_from(["f", "m"]),
        st.sampled_from(["flu", "cold", "ulcer", "none", "none", None]),
        st.sampled_from([10, 11, 13, 20, 40, None]),
    ),
    min_size=6,
    max_size=30,
)


def encoded(rows, tree=False, harmless=()):
    frame = pd.DataFrame(rows, columns=["town", "age", "sex", "ill", "pay"])
    frame["pay"] = frame["pay"].astype("Float64")
    specs = {
        name: ColumnSpec(name, Kind.INTEGER if name == "age" else Kind.CATEGORY, Role.QUASI, hierarchy=Hierarchy.from_rows(own, name))
        for name, own in TREES.items()
    }
    own = Hierarchy.from_rows(ILLS, "ill") if tree else None
    specs["ill"] = ColumnSpec("ill", Kind.CATEGORY, Role.SENSITIVE, hierarchy=own, nonsensitive=frozenset(harmless))
    specs["pay"] = ColumnSpec("pay", Kind.NUMBER, Role.SENSITIVE)
    return encode_table(frame, specs)


def label(name, value, level):
    own = TREES[name]
    if value is None:
        return "*" if level == len(own[0]) - 1 else None
    return next(row for row in own if row[0] == str(value))[level]


def loss(rows, name, value, level):
    own = TREES[name]
    if level == len(own[0]) - 1:
        return Fraction(1)
    if value is None or level == 0:
        return Fraction(0)
    if name == "age":
        ages = sorted({int(leaf[0]) for leaf in own})
        low, high = (int(end) for end in label(name, value, level)[1:-1].split(".."))
        seen = {row[1] for row in rows}
        bottom, top = min(ages), max(ages)
        assert seen <= set(ages)
        return Fraction(min(high, top) - max(low, bottom), top - bottom)
    under = sum(row[level] == label(name, value, level) for row in own)
    return Fraction(under, len(own)) if under > 1 else Fraction(0)


def arx_share(rows, place, name, value, level):
    own, missing = TREES[name], any(row[place] is None for row in rows)
    size = len(own) + missing
    if level == len(own[0]) - 1:
        return Fraction(1), size
    if value is None:
        return Fraction(1, size), size
    return Fraction(sum(row[level] == label(name, value, level) for row in own), size), size


def emd(group, released, tree, kind):
    if kind == "pay":
        points = sorted({row[4] for row in released})
        if len(points) < 2:
            return 0.0
        gap, total = Fraction(0), Fraction(0)
        for point in points:
            gap += Fraction(sum(r[4] == point for r in group), len(group)) - Fraction(sum(r[4] == point for r in released), len(released))
            total += abs(gap)
        return float(total / (len(points) - 1))
    p, q = Counter(r[3] for r in group), Counter(r[3] for r in released)
    net = {v: Fraction(p[v], len(group)) - Fraction(q[v], len(released)) for v in set(p) | set(q)}
    if not tree:
        return float(sum(abs(one) for one in net.values()) / 2)
    total, at = Fraction(0), {(row[0],): net.get(row[0], Fraction(0)) for row in ILLS}
    parts = {}
    for row in ILLS:
        parts.setdefault(row[1], []).append(at[(row[0],)])
    for children in parts.values():
        total += Fraction(1, 2) * min(sum(max(c, 0) for c in children), sum(max(-c, 0) for c in children))
    upper = [sum(children) for children in parts.values()] + [net.get(None, Fraction(0))]
    return float(total + min(sum(max(c, 0) for c in upper), sum(max(-c, 0) for c in upper)))


def keeps(condition, group, rows, harmless):
    what, *bounds = condition
    size, ills, pays = len(group), Counter(r[3] for r in group), [r[4] for r in group]
    sensitive = {v: n for v, n in ills.items() if v not in harmless}
    if what in ("distinct", "entropy", "recursive") and not sensitive:
        return True
    match what:
        case "distinct":
            return len(ills) >= min(bounds[0], len({r[3] for r in rows}))
        case "entropy":
            return math.exp(-sum(n / size * math.log(n / size) for n in ills.values())) >= float(bounds[0]) - 1e-9
        case "recursive":
            top = max(sensitive.values())
            others = sorted(ills.values(), reverse=True)
            others.remove(top)
            return top < Fraction(bounds[0]) * sum(others[bounds[1] - 2 :])
        case "linkability":
            return max(sensitive.values(), default=0) <= Fraction(bounds[0]) * size
        case "star":
            most = max(sum(u is v or (None not in (u, v) and abs(u - v) <= 2 * bounds[0]) for u in pays) for v in pays)
            return most * Fraction(bounds[1]) <= size
        case "window":
            windows = [sum(u is not None and v <= u <= v + 2 * bounds[0] for u in pays) for v in pays if v is not None]
            return max([*windows, sum(u is None for u in pays)]) * Fraction(bounds[1]) <= size
        case "dissimilar":
            known = [r[4] for r in rows if r[4] is not None]
            width = max(known, default=0) - min(known, default=0)
            near = [sum(u is v or (None not in (u, v) and abs(u - v) <= float(bounds[0]) * width + 1e-9) for u in pays) - 1 for v in pays]
            return size > 1 and max(near) <= (1 - Fraction(bounds[1])) * (size - 1)
    raise AssertionError(what)


def by_hand(rows, k, share, objective, asked, harmless, tree):
    """{node: cost} of the valid nodes, and the rows suppressed at each."""
    closeness = [one for one in asked if one[0] == "close"]
    rest = [one for one in asked if one[0] != "close"]
    allowed, found = math.floor(Fraction(share) * len(rows)), {}
    for node in itertools.product(*(range(len(own[0])) for own in TREES.values())):
        groups = {}
        for row in rows:
            key = tuple(label(name, row[i], node[i]) for i, name in enumerate(TREES))
            groups.setdefault(key, []).append(row)
        kept = [g for g in groups.values() if len(g) >= k and all(keeps(one, g, rows, harmless) for one in rest)]
        while kept and closeness:
            released = rows if allowed == 0 else [row for g in kept for row in g]
            near = [g for g in kept if all(emd(g, released, tree, one[1]) <= float(Fraction(one[2])) + 1e-9 for one in closeness)]
            if len(near) == len(kept):
                break
            kept = near
        gone = len(rows) - sum(map(len, kept))
        if not kept or gone > allowed:
            continue
        if objective == "discernibility":
            cost = Fraction(sum(len(g) ** 2 for g in kept) + gone * len(rows))
        elif objective == "ncp":
            lost = sum(loss(rows, name, row[i], node[i]) for g in kept for row in g for i, name in enumerate(TREES))
            cost = (lost / 3 + gone) / len(rows)
        else:
            cost = 1.0
            for i, name in enumerate(TREES):
                shares = [arx_share(rows, i, name, row[i], node[i])[0] for g in kept for row in g]
                size = arx_share(rows, i, name, None, 0)[1]
                cost *= 1 + float(((sum(shares) + gone) / len(rows) - Fraction(1, size)) / (1 - Fraction(1, size)))
            cost = cost ** (1 / 3) - 1
        found[node] = (float(cost), gone)
    return found


def asked_of(table, asked):
    conditions, limits = [], []
    for what, *bounds in asked:
        match what:
            case "distinct":
                conditions.append(DistinctL("ill", Fraction(bounds[0])))
            case "entropy":
                conditions.append(EntropyL("ill", Fraction(bounds[0])))
            case "recursive":
                conditions.append(RecursiveCL("ill", Fraction(bounds[0]), bounds[1]))
            case "close":
                conditions.append(Closeness(bounds[0], Fraction(bounds[1])))
            case "window":
                conditions.append(WindowL("pay", Fraction(bounds[0]), Fraction(bounds[1])))
            case "linkability":
                limits.append(linkability(table["ill"], bounds[0]))
            case "star":
                limits.append(delta_l(table["pay"], bounds[0], bounds[1]))
            case "dissimilar":
                limits.append(dissimilarity([table["pay"]], bounds[0], bounds[1]))
    return tuple(conditions), tuple(limits)


CONDITIONS = [
    ("distinct", 2),
    ("distinct", 3),
    ("entropy", "1.7"),
    ("recursive", "1.5", 2),
    ("recursive", "2", 3),
    ("linkability", "0.6"),
    ("star", 1, "1.5"),
    ("star", 0, "2"),
    ("window", 1, "1.5"),
    ("dissimilar", "0.1", "0.4"),
    ("dissimilar", "0", "0.5"),
    ("close", "ill", "0.35"),
    ("close", "pay", "0.2"),
]


def compare(rows, k, share, objective, asked, harmless=(), tree=False):
    table = encoded(rows, tree, harmless)
    conditions, limits = asked_of(table, asked)
    wanted = LevelSettings(k, Fraction(share), objective, conditions, limits)
    found = full_domain(table, ("ill", "pay"), wanted)
    expected = by_hand(rows, k, share, objective, asked, harmless, tree)
    assert {tuple(int(i) for i in node) for node in np.argwhere(found.valid)} == set(expected)
    assert found.valid_nodes == len(expected)
    assert found.reached == bool(expected)
    assert found.nodes == 4 * 3 * 2
    sooner = full_domain(table, ("ill", "pay"), replace(wanted, every_node=False))
    assert (sooner.optimum, sooner.suppressed, sooner.groups.tolist()) == (found.optimum, found.suppressed, found.groups.tolist())
    assert sooner.checked_nodes <= found.nodes
    if not expected:
        return
    finer = {v for v in expected for u in expected if u != v and all(a <= b for a, b in zip(u, v, strict=True))}
    assert set(found.minimal) == set(expected) - finer
    cheapest = min(cost for cost, _ in expected.values())
    first = min((sum(node), node) for node, (cost, _) in expected.items() if cost <= cheapest + 1e-11 * max(1, cheapest))[1]
    assert found.optimum == first
    assert found.loss == pytest.approx(expected[first][0], abs=1e-9)
    assert found.suppressed == expected[first][1] == int((found.groups < 0).sum())
    assert found.ncp == pytest.approx(
        float(
            (
                sum(
                    loss(rows, name, row[i], first[i])
                    for row, g in zip(rows, found.groups, strict=True)
                    if g >= 0
                    for i, name in enumerate(TREES)
                )
                / 3
                + found.suppressed
            )
            / len(rows)
        )
    )


def drawn(seed, rows=24):
    draw = np.random.default_rng(seed)
    return [
        (
            draw.choice(["a", "b", "c", "d", "e"]),
            int(draw.integers(0, 6)),
            draw.choice(["f", "m"]),
            draw.choice(["flu", "cold", "ulcer", "none"], p=[0.3, 0.2, 0.2, 0.3]),
            int(draw.choice([10, 11, 13, 20, 40])),
        )
        for _ in range(rows)
    ]

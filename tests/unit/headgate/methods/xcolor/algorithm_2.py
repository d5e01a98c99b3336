"""Algorithm 2 as the paper prints it, row by row, and what it makes of a table beside what is compiled."""

from fractions import Fraction

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.hierarchy import Hierarchy
from headgate.grouping.axes import axes_of
from headgate.grouping.limits import dissimilarity, linkability
from headgate.methods.xcolor.faithful import color

TOWNS = [(f"t{i}", f"district{i // 3}", f"region{i // 6}", "*") for i in range(12)]

AGE_WIDTH = 36  # every loss is a whole number of 1/36: losses that are equal tie


def encoded(frame):
    specs = {
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI, domain=(0, AGE_WIDTH)),
        "sex": ColumnSpec("sex", Kind.CATEGORY, Role.QUASI),
        "town": ColumnSpec("town", Kind.CATEGORY, Role.QUASI, hierarchy=Hierarchy.from_rows(TOWNS, "town")),
        "income": ColumnSpec("income", Kind.NUMBER, Role.SENSITIVE),
        "disease": ColumnSpec("disease", Kind.CATEGORY, Role.SENSITIVE, nonsensitive=frozenset({"none"})),
    }
    return encode_table(frame, specs)


class _Loss:
    """loss(G) by DEFINITIONS §4: interval over domain, values present over all values, leaves under the common ancestor over all."""

    def __init__(self, frame):
        self.ages, self.sexes = frame["age"].tolist(), frame["sex"].fillna("?").tolist()
        self.paths = [TOWNS[int(town[1:])] for town in frame["town"]]
        self.all_sexes = len(set(self.sexes) - {"?"})

    def __call__(self, group):
        total = Fraction(0)
        ages = {self.ages[v] for v in group if self.ages[v] == self.ages[v]}
        if any(self.ages[v] != self.ages[v] for v in group):
            total += 1 if ages else 0
        elif ages:
            total += Fraction(int(max(ages) - min(ages)), AGE_WIDTH)
        sexes = {self.sexes[v] for v in group}
        if len(sexes) > 1:
            total += Fraction(len(sexes), self.all_sexes + ("?" in sexes))
        if group:
            level = next(level for level in range(4) if len({self.paths[v][level] for v in group}) == 1)
            total += Fraction((0, 3, 6, 12)[level], 12)
        return total


def _initialize(degrees, classes):
    """Algorithm 1, with the remainder spread evenly."""
    groups, load, height = [0] * len(degrees), [0] * classes, [0] * classes
    base = len(degrees) // classes
    for i, row in enumerate(sorted(range(len(degrees)), key=lambda row: (-degrees[row], row))):
        full = base if i < base * classes else base + 1
        chosen = min((g for g in range(classes) if height[g] < full), key=lambda g: (load[g], g))
        groups[row] = chosen
        load[chosen] += degrees[row]
        height[chosen] += 1
    return groups


def _algorithm_2(loss, edges, harmed, most, k, cycles):
    """Lines 4–11, and exchanges of three, every choice by looking at everything. `edges[i][v]` are v's neighbours under limit i."""
    rows, kinds = len(loss.ages), range(len(edges))
    groups = _initialize([sum(len(edges[i][v]) for i in kinds) for v in range(rows)], rows // k)
    members = [{v for v in range(rows) if groups[v] == g} for g in range(rows // k)]
    exchanges = 0

    def violated(v):
        own = members[groups[v]]
        return any(harmed[i][v] and len(edges[i][v] & own) + 1 > most[i](len(own)) for i in kinds)

    def movable(v, others, size):
        return all(not harmed[i][v] or len(edges[i][v] & others) + 1 <= most[i](size) for i in kinds)

    def potential(classes):
        return sum(len(edges[i][v] & one) for i in kinds for one in classes for v in one) // 2

    def change(movers):
        """Every mover goes where the next one is. Loss if that lowers the potential, else nothing."""
        before = [members[groups[v]] for v in movers]
        after = [own - {v} | {previous} for own, v, previous in zip(before, movers, movers[-1:] + movers[:-1], strict=True)]
        if potential(after) < potential(before):
            return sum(map(loss, after)) - sum(map(loss, before))
        return None

    def choose(violations, candidates):
        """The violation whose departure loses least, and its best candidate; moves them."""
        nonlocal exchanges
        v = min(violations, key=lambda v: (loss(members[groups[v]] - {v}) - loss(members[groups[v]]), v))
        changes = [(change([v, *others]), *others) for others in candidates(v)]
        changes = [found for found in changes if found[0] is not None]
        if not changes:
            return v
        movers = [v, *min(changes)[1:]]
        places = [groups[w] for w in movers]
        for w, g, to in zip(movers, places, places[1:] + places[:1], strict=True):
            members[g].remove(w)
            members[to].add(w)
            groups[w] = to
        exchanges += 1
        return None

    def partners(v):
        return [(w,) for w in range(rows) if groups[w] != groups[v] and movable(v, members[groups[w]], len(members[groups[w]]))]

    def pairs_of_others(v):
        for second in range(rows):
            there = members[groups[second]]
            if groups[second] != groups[v] and movable(v, there - {second}, len(there)):
                yield from ((second, third) for third in range(rows) if groups[third] not in (groups[v], groups[second]))

    def exhaust(candidates, afterwards):
        stuck, begun = set(), exchanges
        while True:
            violations = [v for v in range(rows) if v not in stuck and violated(v)]
            if violations:
                failed = choose(violations, candidates)
                if failed is not None:
                    stuck.add(failed)
                else:
                    afterwards()
            elif exchanges == begun:
                return
            else:
                stuck, begun = set(), exchanges

    exhaust(partners, lambda: None)
    if cycles:
        exhaust(pairs_of_others, lambda: exhaust(partners, lambda: None))
    return groups, exchanges


def _most(delta):
    def most(size):
        whole = (1 - Fraction(delta)) * (size - 1)
        return 0 if size == 1 and Fraction(delta) > 0 else whole.numerator // whole.denominator + 1

    return most


def agree(seed, rows, k, epsilon, delta, both, missing, cycles=False):
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": np.where(draw.random(rows) < missing, np.nan, draw.integers(0, AGE_WIDTH + 1, rows)),
            "sex": np.where(draw.random(rows) < missing, None, draw.choice(["f", "m", "x"], rows)),
            "town": [f"t{i}" for i in draw.integers(0, 12, rows)],
            "income": draw.integers(0, draw.integers(2, 20), rows).astype(float),
            "disease": draw.choice(["none", "flu", "flu", "cold"], rows),
        }
    )
    table = encoded(frame)
    limits = [dissimilarity(table.select(["income"]), epsilon, delta)]
    income = frame["income"].to_numpy()
    reach = float(epsilon) * (income.max() - income.min()) + 1e-6
    edges = [[{u for u in range(rows) if u != v and abs(income[u] - income[v]) <= reach} for v in range(rows)]]
    harmed, most = [[True] * rows], [_most(delta)]
    if both:
        limits.append(linkability(table["disease"], "0.5"))
        disease = frame["disease"].tolist()
        edges.append([{u for u in range(rows) if u != v and disease[u] == disease[v]} for v in range(rows)])
        harmed.append([value != "none" for value in disease])
        most.append(lambda size: size // 2)
    expected, exchanges = _algorithm_2(_Loss(frame), edges, harmed, most, k, cycles)
    coloring = color(axes_of(table), limits, rows, k, cycles=cycles)
    assert coloring.groups.tolist() == expected
    assert coloring.exchanges == exchanges
    return exchanges


@st.composite
def instances(draw, largest):
    k = draw(st.integers(2, 5))
    return (
        draw(st.integers(0, 10**6)),
        draw(st.integers(2 * k, largest)),
        k,
        draw(st.sampled_from(["0", "0.1", "0.2", "0.4"])),
        draw(st.sampled_from(["0.2", "0.5", "0.6", "0.7", "0.9"])),
        draw(st.booleans()),
        draw(st.sampled_from([0.0, 0.1])),
    )

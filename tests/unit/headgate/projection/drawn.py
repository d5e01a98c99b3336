"""Attributes that share more or less, drawn, and their ratios by the definitions."""

import numpy as np
from hypothesis import strategies as st

from headgate.core.columns import Column, Kind
from headgate.projection.information import Associations


def drawn(size, rows=150, seed=0):
    """Attributes that copy one of a few sources, some more and some less."""
    draw = np.random.default_rng(seed)
    sources = [draw.integers(0, 4, rows) for _ in range(max(1, size // 3))]
    made = []
    for i in range(size):
        kinds = int(draw.integers(2, 5))
        codes = np.where(draw.random(rows) < draw.random(), sources[i % len(sources)], draw.integers(0, 4, rows)) % kinds
        values = np.array([str(x) for x in range(kinds)], dtype=object)
        made.append(Column(f"a{i}", Kind.CATEGORY, codes.astype(np.int32), values, np.ones(kinds + 1, dtype=bool)))
    return made


def figures_of(plan, information, exposable):
    """Γα and Γβ from their definitions."""
    size = len(information)
    pairs = [(i, j) for i in range(size) for j in range(i + 1, size)]
    table_of = {i: table for table in plan for i in table}
    total, exposed = sum(information[i, j] for i, j in pairs), sum(exposable[i, j] for i, j in pairs)
    loss = sum(information[i, j] for i, j in pairs if table_of[i] != table_of[j]) / total if total else 0.0
    exposure = sum(exposable[i, j] / exposed * len(table_of[i]) / size for i, j in pairs if table_of[i] == table_of[j]) if exposed else 0.0
    return loss, exposure


@st.composite
def drawn_figures(draw, least=1, most=7):
    size = draw(st.integers(least, most))
    numbers = st.one_of(st.just(0.0), st.floats(0.001, 3.0))
    information, exposable = np.zeros((size, size)), np.zeros((size, size))
    for i in range(size):
        for j in range(i):
            information[i, j] = information[j, i] = draw(numbers)
            exposable[i, j] = exposable[j, i] = draw(numbers)
    return Associations(tuple(f"a{i}" for i in range(size)), np.ones(size), information, exposable)

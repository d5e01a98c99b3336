"""Published cells and the domains of a small register."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.hierarchy import Hierarchy
from headgate.core.published_form.published_table import PublishedCells
from headgate.risk.candidates import consistency

TREE = [["Rome", "Italy", "*"], ["Milan", "Italy", "*"], ["Lyon", "France", "*"], ["Nice", "France", "*"]]


SPECS = {
    "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI, domain=(0, 9)),
    "pay": ColumnSpec("pay", Kind.NUMBER, Role.QUASI, domain=(0, 4)),
    "town": ColumnSpec("town", Kind.CATEGORY, Role.QUASI, hierarchy=Hierarchy.from_rows(TREE, "town")),
    "born": ColumnSpec("born", Kind.DATE, Role.QUASI),
    "eye": ColumnSpec("eye", Kind.CATEGORY, Role.QUASI),
    "level": ColumnSpec("level", Kind.ORDINAL, Role.QUASI, levels=("low", "middle", "high")),
}


# What an individual may have, the last of which no released cell but `*` covers, and released texts with what they cover.
HELD: dict[str, tuple[Any, ...]] = {
    "age": (0, 1, 2, 5, 8, 9, 99),
    "pay": (0.5, 1.0, 1.25, 3.75, 7.5),
    "town": ("Rome", "Milan", "Lyon", "Nice", "Atlantis"),
    "born": ("2024-12-31", "2025-01-01", "2025-02-28", "2025-03-01", "2025-06-30", "1900-01-01"),
    "eye": ("blue", "brown", "green", "red"),
    "level": ("low", "middle", "high", "odd"),
}


COVERED: dict[str, dict[str, tuple[Any, ...]]] = {
    "age": {"5": (5,), "[1..5]": (1, 2, 5), "[3..4]": (), "[0..9]": (0, 1, 2, 5, 8, 9), "[9..50]": (9,)},
    "pay": {"1": (1.0,), "[0.5..1.25]": (0.5, 1.0, 1.25), "[1.25..3.75]": (1.25, 3.75)},
    "town": {"Rome": ("Rome",), "Italy": ("Rome", "Milan"), "France": ("Lyon", "Nice"), "{Milan|Nice}": ("Milan", "Nice")},
    "born": {
        "2025": ("2025-01-01", "2025-02-28", "2025-03-01", "2025-06-30"),
        "2025-Q1": ("2025-01-01", "2025-02-28", "2025-03-01"),
        "2025-02": ("2025-02-28",),
        "2024-12-31": ("2024-12-31",),
    },
    "eye": {"blue": ("blue",), "{blue|green}": ("blue", "green"), "{|brown}": ("brown",), "grey": ()},
    "level": {"low": ("low",), "[low..middle]": ("low", "middle"), "[middle..high]": ("middle", "high")},
}


BY = {"trie": (1, 1e9), "bits": (2**62, 0.0), "trie, and bits where it takes too long": (1, 0.6)}


@contextmanager
def counted(by: str) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(consistency, "_TRIE_FROM", BY[by][0])
        patch.setattr(consistency, "_STEPS", BY[by][1])
        yield


def published(texts: Sequence[str]) -> PublishedCells:
    distinct = list(dict.fromkeys(texts))
    return PublishedCells(np.array([distinct.index(text) for text in texts], dtype=np.int32), np.array(distinct, dtype=object))


def domains() -> dict[str, Column]:
    rows = {name: list(own[:-1]) for name, own in HELD.items()}
    longest = max(len(own) for own in rows.values())
    frame = pd.DataFrame({name: pd.Series([*own, *[None] * (longest - len(own))], dtype=object) for name, own in rows.items()})
    return dict(encode_table(frame, SPECS).columns)


DOMAINS = domains()

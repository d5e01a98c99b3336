"""Known answers on the census file: from another implementation, confirmed by brute force over all nodes."""

from __future__ import annotations

from fractions import Fraction
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest

import headgate as hg
from headgate.grouping.conditions import Closeness
from headgate.library.frame_columns import table as table_of
from headgate.methods.full_domain.level_search import full_domain
from headgate.methods.full_domain.level_settings import LevelSettings

QUASI = ("age", "race", "sex", "citizenship")
CLOSE = ("worker_class", "education", "industry", "employment_status", "salary_class", "occupation")


@pytest.fixture(scope="module")
def people():
    path = files("policies.shipped") / "census_income" / "data" / "census.parquet"
    return pd.read_parquet(str(path), columns=[*QUASI, *CLOSE])


@pytest.fixture(scope="module")
def hierarchies(people):
    def flat(name):
        return [(value, "*") for value in sorted(people[name].unique())]

    age = [(str(a), *(f"[{a // w * w}..{a // w * w + w - 1}]" for w in (5, 10, 20, 40)), "*") for a in range(91)]
    born = [(v, "native" if v.startswith("Native") else "foreign", "*") for v in sorted(people["citizenship"].unique())]
    return {"age": age, "race": flat("race"), "sex": flat("sex"), "citizenship": born}


@pytest.fixture(scope="module")
def table(people, hierarchies):
    return table_of(people, QUASI, CLOSE, dict.fromkeys(CLOSE, "category"), hierarchies, None)


@pytest.mark.parametrize(
    ("k", "suppression", "valid", "optimum", "classes", "smallest", "largest", "suppressed"),
    [
        (2, "0", 47, (5, 0, 0, 0), 48, 3, 38_990, 0),
        (10, "0", 31, (5, 0, 0, 1), 20, 12, 39_698, 0),
        (2, "0.05", None, (0, 0, 0, 0), 1_936, None, None, 584),
        (10, "0.05", None, (1, 0, 0, 0), 368, None, None, 1_046),
    ],
)
def test_k_anonymity_with_arx_loss(table, k, suppression, valid, optimum, classes, smallest, largest, suppressed):
    found = full_domain(table, CLOSE, LevelSettings(k, Fraction(suppression), "arx"))
    sizes = np.bincount(found.groups[found.groups >= 0])
    assert (found.optimum, found.count, found.suppressed, found.nodes) == (optimum, classes, suppressed, 72)
    assert len(sizes) == classes
    assert sizes.sum() + suppressed == 99_762
    assert valid in (None, found.valid_nodes)
    assert smallest in (None, sizes.min())
    assert largest in (None, sizes.max())


@pytest.mark.parametrize(("name", "valid"), list(zip(CLOSE, (10, 11, 9, 23, 31, 9), strict=True)))
def test_k_and_closeness(table, name, valid):
    found = full_domain(table, CLOSE, LevelSettings(10, Fraction(0), "arx", (Closeness(name, Fraction("0.4")),)))
    assert found.valid_nodes == valid
    if name == "occupation":
        assert found.optimum == (5, 1, 0, 0)
        assert _largest_distance(table[name].codes, found.groups) == pytest.approx(0.292642, abs=5e-7)


def _largest_distance(values, groups):
    counts = np.zeros((groups.max() + 1, values.max() + 1))
    np.add.at(counts, (groups, values), 1)
    shares = counts / counts.sum(axis=1, keepdims=True)
    return np.abs(shares - counts.sum(axis=0) / counts.sum()).sum(axis=1).max() / 2


def test_the_library_gives_levels_by_name(people, hierarchies):
    found = hg.full_domain(people, hierarchies, k=10, suppression=0.0, objective="arx", closeness={"occupation": 0.4})
    assert found.levels == {"age": 5, "race": 1, "sex": 0, "citizenship": 0}
    assert found.valid_nodes == 9
    assert found.checked_nodes <= 72
    assert found.suppressed == 0
    assert len(found.groups) == len(people)

"""|ρ| against brute force over record × individual pairs, by the trie and by bit rows; Jaro against its definition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from headgate.core.cell_reader import CellReader
from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_column, encode_table
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.core.published import PublishedCells
from headgate.risk.candidates import consistency, similar
from headgate.risk.candidates.consistency import consistent_individuals, encode_dictionary
from headgate.risk.candidates.runs import cell_runs

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
RECORDS = st.lists(st.tuples(*[st.sampled_from(["", "*", *own]) for own in COVERED.values()]), min_size=1, max_size=12)
PEOPLE = st.lists(st.tuples(*[st.sampled_from([None, *own]) for own in HELD.values()]), min_size=1, max_size=16)


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


def fits(text: str, value: Any, name: str) -> bool:
    return text in ("", "*") or text.startswith("{|") or value is None or value in COVERED[name][text]


@pytest.mark.parametrize("by", BY)
@settings(max_examples=80, deadline=None)
@given(records=RECORDS, people=PEOPLE, fields=st.lists(st.sampled_from(list(SPECS)), min_size=1, max_size=6, unique=True))
def test_every_way_counts_the_individuals_of_the_definition(
    by: str, records: list[tuple[str, ...]], people: list[tuple[Any, ...]], fields: list[str]
) -> None:
    frame = pd.DataFrame(people, columns=list(SPECS), dtype=object)
    dictionary = encode_dictionary(frame, DOMAINS, fields)
    released = [dict(zip(SPECS, record, strict=True)) for record in records]
    cells = {name: published([record[name] for record in released]) for name in fields}
    with counted(by):
        found = consistent_individuals(cells, dictionary, fields)
    individuals = [dict(zip(SPECS, person, strict=True)) for person in people]
    wanted = [sum(all(fits(record[name], person[name], name) for name in fields) for person in individuals) for record in released]
    assert found.tolist() == wanted


@pytest.mark.parametrize("by", BY)
def test_thousands_of_intervals_are_counted_as_by_comparing_all_pairs(by: str) -> None:
    rng = np.random.default_rng(6)
    sizes = {"a": 40, "b": 3, "c": 200, "d": 12}
    held = {name: np.where(rng.random(5000) < 0.1, -1, rng.integers(0, size, 5000)) for name, size in sizes.items()}
    low = {name: rng.integers(0, size, 3000) for name, size in sizes.items()}
    high = {name: low[name] + rng.integers(0, 1 + size // 4, 3000) for name, size in sizes.items()}
    hidden = {name: rng.random(3000) < 0.1 for name in sizes}
    pairs = np.ones((3000, 5000), dtype=bool)
    for name in sizes:
        inside = (held[name] >= low[name][:, None]) & (held[name] <= high[name][:, None])
        pairs &= inside | (held[name] < 0) | hidden[name][:, None]
    cells = {
        name: published(
            ["*" if hide else f"[{one}..{other}]" for one, other, hide in zip(low[name], high[name], hidden[name], strict=True)]
        )
        for name in sizes
    }
    dictionary = {
        name: encode_column(pd.Series(own).where(own >= 0), ColumnSpec(name, Kind.INTEGER, Role.QUASI)) for name, own in held.items()
    }
    with counted(by):
        assert (consistent_individuals(cells, dictionary, list(sizes)) == pairs.sum(axis=1)).all()


def mask_of(cells: PublishedCells, column: Column) -> np.ndarray:
    """Cells × values of the dictionary's column, its missing ones last: by reading each cell by itself."""
    out = np.ones((len(cells.texts), len(column.values) + 1), dtype=bool)
    for place, text in enumerate(cells.texts):
        covered = CellReader(column).covers(text) if text != "" else out[place]
        out[place, :-1] = covered[:-1] | covered[-1]
    return out


def test_what_a_cell_covers_is_the_same_as_runs_and_as_a_mask() -> None:
    for name, own in COVERED.items():
        cells = published(["", "*", *own])
        column = encode_dictionary(pd.DataFrame({name: pd.Series([None, *HELD[name]], dtype=object)}), DOMAINS, [name])[name]
        runs, mask = cell_runs(cells, column), mask_of(cells, column)
        pairs = np.array([(cell, code) for cell in range(len(cells.texts)) for code in range(-1, len(column.values))])
        assert runs.cover(pairs[:, 0], pairs[:, 1]).tolist() == mask[pairs[:, 0], pairs[:, 1]].tolist()
        for cell in range(len(cells.texts)):
            covered = np.zeros(len(column.values) + 1, dtype=bool)
            for run in range(runs.starts[cell], runs.starts[cell + 1]):
                covered[np.arange(runs.low[run], runs.high[run])] = True
            assert covered.tolist() == mask[cell].tolist()
        assert runs.sums(column.counts()).tolist() == (mask @ column.counts()).tolist()


def test_a_release_without_records_and_fields_that_are_not_shared() -> None:
    dictionary = encode_dictionary(pd.DataFrame({"age": [1, 2]}), DOMAINS, ["age"])
    assert consistent_individuals({"age": published([])}, dictionary, ["age"]).tolist() == []
    with pytest.raises(InputRejected, match="at least one field"):
        consistent_individuals({"age": published(["1"])}, dictionary, [])
    with pytest.raises(InputRejected, match="'pay' is not in the release"):
        consistent_individuals({"age": published(["1"])}, dictionary, ["pay"])
    with pytest.raises(InputRejected, match="'pay' is not in the dictionary"):
        consistent_individuals({"pay": published(["1"])}, dictionary, ["pay"])


def jaro(one: str, other: str) -> float:
    """Jaro 1989: characters agree within half the longer text, each once; two that agree in another order are a transposition."""
    reach = max(max(len(one), len(other)) // 2 - 1, 0)
    free = [True] * len(other)
    left = []
    for i, sign in enumerate(one):
        for j in range(max(0, i - reach), min(len(other), i + reach + 1)):
            if free[j] and other[j] == sign:
                free[j] = False
                left.append(sign)
                break
    if not left:
        return 0.0
    right = [sign for sign, unmatched in zip(other, free, strict=True) if not unmatched]
    transposed = sum(a != b for a, b in zip(left, right, strict=True)) // 2
    return (len(left) / len(one) + len(left) / len(other) + (len(left) - transposed) / len(left)) / 3


def test_golden_jaro_similarities_of_winkler_1990() -> None:
    assert round(jaro("MARTHA", "MARHTA"), 3) == 0.944
    assert round(jaro("DWAYNE", "DUANE"), 3) == 0.822
    assert round(jaro("DIXON", "DICKSONX"), 3) == 0.767


NAMES = st.text("abAé", min_size=1, max_size=7)
NAMED = ColumnSpec("name", Kind.CATEGORY, Role.QUASI)


def named(names: Sequence[str | None]) -> dict[str, Column]:
    return {"name": encode_column(pd.Series(names, dtype=object), NAMED)}


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.lists(NAMES, min_size=0, max_size=3, unique=True), min_size=1, max_size=6),
    st.lists(st.none() | NAMES, min_size=1, max_size=12),
    st.sampled_from([0.5, 0.7, 0.8, 0.9, 1.0, 11 / 12, 7 / 9]),
    st.sampled_from([1, 20, 10**6]),
)
@example([["ab"]], ["Ab", "ab", None], 1.0, 1)
@example([["ab"]], [None], 0.8, 1)
def test_a_text_matches_what_is_similar_enough_and_a_set_what_any_member_matches(
    released: list[list[str]], people: list[str | None], threshold: float, at_once: int
) -> None:
    texts = ["*" if not own else own[0] if len(own) == 1 else "{" + "|".join(own) + "}" for own in released]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(similar, "_PAIRS_AT_ONCE", at_once)
        found = consistent_individuals({"name": published(texts)}, named(people), ["name"], {"name": threshold})
    for own, count in zip(released, found, strict=True):
        wanted = [person is None or not own or any(jaro(text, person) >= threshold - 1e-9 for text in own) for person in people]
        assert count == sum(wanted)


@pytest.mark.parametrize("by", BY)
def test_similarity_in_one_field_narrows_the_others(by: str) -> None:
    cells = {"name": published(["martha", "{dwayne|zoe}", "*"]), "age": published(["5", "[1..5]", "9"])}
    people = pd.DataFrame({"name": ["marhta", "martha", "duane", None, "dixon"], "age": [5, 9, 2, 5, 9]})
    dictionary = {**named(list(people["name"])), **encode_dictionary(people, DOMAINS, ["age"])}
    with counted(by):
        assert consistent_individuals(cells, dictionary, ["name", "age"], {"name": 0.8}).tolist() == [2, 2, 2]


def test_similarity_is_compared_with_the_tolerance() -> None:
    cells, people = {"name": published(["MARTHA"])}, named(["MARHTA"])
    exactly = 17 / 18
    assert consistent_individuals(cells, people, ["name"], {"name": exactly + 0.9e-9}).tolist() == [1]
    assert consistent_individuals(cells, people, ["name"], {"name": exactly + 1.1e-9}).tolist() == [0]


def test_a_similarity_that_cannot_be_measured_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    cells, people = {"name": published(["ab"]), "age": published(["1"])}, pd.DataFrame({"name": ["ab"], "age": [1]})
    dictionary = {**named(["ab"]), **encode_dictionary(people, DOMAINS, ["age"])}
    for threshold in (0.0, -1.0, 1.01, float("nan")):
        with pytest.raises(InputRejected, match="not above 0 and at most 1"):
            consistent_individuals(cells, dictionary, ["name"], {"name": threshold})
    with pytest.raises(InputRejected, match="'age' is compared by similarity but is no category"):
        consistent_individuals(cells, dictionary, ["name", "age"], {"age": 0.8})
    with pytest.raises(InputRejected, match="'age' is compared by similarity but is not shared"):
        consistent_individuals(cells, dictionary, ["name"], {"age": 0.8})
    town = encode_dictionary(pd.DataFrame({"town": ["Rome"]}), DOMAINS, ["town"])
    with pytest.raises(InputRejected, match="no category without hierarchy"):
        consistent_individuals({"town": published(["Rome"])}, town, ["town"], {"town": 0.8})
    with pytest.raises(InputRejected, match="released as intervals"):
        consistent_individuals({"name": published(["[a..b]"])}, dictionary, ["name"], {"name": 0.8})
    monkeypatch.setattr(similar, "MOST_PAIRS", 0)
    with pytest.raises(InputRejected, match="too many texts to compare each with each: 1 and 1 distinct"):
        consistent_individuals(cells, dictionary, ["name"], {"name": 0.8})

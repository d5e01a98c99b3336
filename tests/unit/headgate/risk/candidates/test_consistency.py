"""|ρ| against brute force over record × individual pairs, by the trie and by bit rows; Jaro against its definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.risk.candidates.consistency import consistent_individuals, encode_dictionary
from tests.unit.headgate.risk.candidates.release_and_register import BY, COVERED, DOMAINS, HELD, SPECS, counted, published

RECORDS = st.lists(st.tuples(*[st.sampled_from(["", "*", *own]) for own in COVERED.values()]), min_size=1, max_size=12)


PEOPLE = st.lists(st.tuples(*[st.sampled_from([None, *own]) for own in HELD.values()]), min_size=1, max_size=16)


def fits(text: str, value: Any, name: str) -> bool:
    return text in ("", "*") or text.startswith("{|") or value is None or value in COVERED[name][text]


@pytest.mark.slow
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


def test_a_release_without_records_and_fields_that_are_not_shared() -> None:
    dictionary = encode_dictionary(pd.DataFrame({"age": [1, 2]}), DOMAINS, ["age"])
    assert consistent_individuals({"age": published([])}, dictionary, ["age"]).tolist() == []
    with pytest.raises(InputRejected, match="at least one field"):
        consistent_individuals({"age": published(["1"])}, dictionary, [])
    with pytest.raises(InputRejected, match="'pay' is not in the release"):
        consistent_individuals({"age": published(["1"])}, dictionary, ["pay"])
    with pytest.raises(InputRejected, match="'pay' is not in the dictionary"):
        consistent_individuals({"pay": published(["1"])}, dictionary, ["pay"])

"""The largest δ that a method reaches, against trying every δ that a group of some size can have."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role, Table
from headgate.core.encode import ColumnSpec, encode_table
from headgate.grouping.limits import NeighbourhoodLimit, dissimilarity
from headgate.methods import relaxing
from headgate.methods.anonymize import anonymize
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.mondrian.mondrian_method import Mondrian
from headgate.methods.partition import Partition
from headgate.methods.relaxing import falling_deltas, fractions_between, relax, simplest_between
from headgate.methods.settings import Infeasible, Settings
from tests.unit.headgate.methods.crowded import crowded

SPECS = {"age": ColumnSpec("age", Kind.INTEGER, Role.QUASI), "word": ColumnSpec("word", Kind.CATEGORY, Role.SENSITIVE)}


def people(words: str) -> Table:
    return encode_table(pd.DataFrame({"age": range(len(words)), "word": list(words)}), SPECS)


def relaxed(table: Table, k: int, delta: str, floor: str, method=None) -> Partition:
    limit = dissimilarity(table.select(["word"]), "0", delta)
    return anonymize(method or Blocks(), table, ["word"], Settings(k, (limit,), infeasible=Infeasible.of({"relax": floor})), 0)


def share_apart(table: Table, groups: np.ndarray) -> Fraction:
    """δ by definition: of the others in one's group, the share whose word is another; the worst of all people."""
    words = [table["word"].values[code] for code in table["word"].codes]
    worst = Fraction(1)
    for group in set(groups.tolist()):
        inside = [word for word, number in zip(words, groups, strict=True) if number == group]
        worst = min([worst, *(1 - Fraction(inside.count(word) - 1, len(inside) - 1) for word in inside)])
    return worst


@given(st.text("abc", min_size=6, max_size=9), st.integers(2, 4), st.sampled_from([Blocks(), Mondrian()]))
@settings(max_examples=15, deadline=None)
def test_no_delta_that_the_method_reaches_is_larger(words: str, k: int, method) -> None:
    table = people(words)
    found = relaxed(table, k, "0.95", "0.1", method)
    reached = Fraction(0)
    for delta in {Fraction(top, size) for size in range(1, len(words)) for top in range(size + 1)}:
        if delta < Fraction(95, 100):
            limit = dissimilarity(table.select(["word"]), "0", str(delta))
            tried = anonymize(method, table, ["word"], Settings(k, (limit,)), 0)
            if tried.reached:
                reached = max(reached, share_apart(table, tried.groups))
    if found.reached and found.delta_asked is not None:
        assert share_apart(table, found.groups) >= reached
        assert found.delta_reached == pytest.approx(float(share_apart(table, found.groups)))
    else:
        assert reached < Fraction(1, 10)


def test_a_delta_between_those_of_the_smallest_group_is_found() -> None:
    """Eleven people, five of one kind: in one group of eleven, 0.6 of the others are of another kind. Ten have 0.5556 or 0.6667."""
    found = relaxed(people("aaaaabbbbcc"), 10, "0.7", "0.1")
    assert found.reached
    assert found.delta_reached == pytest.approx(0.6)


@pytest.mark.parametrize("cheap", [0, relaxing.CHEAP])
def test_halving_finds_it_too(monkeypatch, cheap: int) -> None:
    monkeypatch.setattr(relaxing, "CHEAP", cheap)
    assert relaxed(people("aaaaabbbbcc"), 10, "0.7", "0.1").delta_reached == pytest.approx(0.6)
    assert relaxed(people("aaaaaabbbbccdd"), 12, "0.95", "0.1").delta_reached == pytest.approx(1 - 5 / 13)


@pytest.mark.parametrize("cheap", [0, relaxing.CHEAP])
def test_a_method_that_does_no_more_than_it_is_asked_ends_at_its_largest_delta(monkeypatch, cheap: int) -> None:
    """Where 0.6 could be had, 0.5556 was the end: a group of ten has nothing between that and 0.6667."""
    monkeypatch.setattr(relaxing, "CHEAP", cheap)
    table = people("aabbccddeefg")
    limit = dissimilarity(table.select(["word"]), "0", "0.7")
    failed = Partition(np.zeros(12, dtype=np.int32), False, 1.0, None, 0, 0.0, 0.7, (limit.name,), 12, 12, 1, 0.5)

    def group(_table: Table, asked: Settings) -> Partition:
        delta = asked.limits[0].delta
        assert delta is not None
        return failed if delta > Fraction(3, 5) else replace(failed, reached=True, risk=float(1 - delta), broken=(), rows_over=0)

    found = relax(table, Settings(10, (limit,), infeasible=Infeasible.of({"relax": "0.1"})), failed, group)
    assert found.reached
    assert found.delta_reached == 0.6


def test_what_was_reached_counts_whatever_was_tried() -> None:
    """A method that always makes the same groups: what it misses is reached all the same, unless something else is broken."""
    table = people("aabbccdd")
    limit = dissimilarity(table.select(["word"]), "0", "0.9")
    asked = Settings(4, (limit,), infeasible=Infeasible.of({"relax": "0.5"}))
    made = Partition(np.repeat(np.arange(2, dtype=np.int32), 4), False, 1 / 3, None, 0, 2 / 3, 0.9, (limit.name,), 8, 4, 2, 0.5)
    found = relax(table, asked, made, lambda _table, _settings: made)
    assert (found.reached, found.delta_reached, found.rows_over, found.broken) == (True, pytest.approx(2 / 3), 0, ())
    for spoiled in (replace(made, broken=(limit.name, "linkability")), replace(made, smallest=3), replace(made, risk=0.6)):
        assert not relax(table, asked, spoiled, lambda _table, _settings, made=spoiled: made).reached


def test_without_a_delta_there_is_nothing_to_relax(make_table) -> None:
    table, limit = crowded(make_table)
    bare: NeighbourhoodLimit = replace(limit, delta=None)
    made = Partition(np.zeros(200, dtype=np.int32), False, None, None, 0, None, None, (), 1, 200, 1, 0.0)
    assert relax(table, Settings(10, (bare,), infeasible=Infeasible.of({"relax": "0"})), made, lambda *_: made) is made


def test_relaxing_goes_down_to_the_floor_and_reports_the_delta_reached(make_table):
    table, limit = crowded(make_table)
    found = anonymize(Blocks(), table, ["illness"], Settings(10, (limit,), infeasible=Infeasible.of({"relax": "0.2"})), 0)
    assert found.reached
    assert found.delta_asked is not None
    assert 0.2 <= found.delta_asked < 0.6
    assert found.delta_reached == pytest.approx(1 - found.risk)
    assert found.delta_reached >= found.delta_asked - 1e-9
    refused = anonymize(Blocks(), table, ["illness"], Settings(10, (limit,), infeasible=Infeasible.of({"relax": "0.5"})), 0)
    assert not refused.reached


def test_delta_falls_by_one_similar_row_at_a_time_to_the_floor_and_no_lower():
    """1 − j/9 for k = 10, from below the δ asked for; the floor itself is tried too."""
    asked, floor = Fraction(7, 10), Fraction(1, 4)
    assert falling_deltas(asked, floor, 10) == (Fraction(6, 9), Fraction(5, 9), Fraction(4, 9), Fraction(3, 9), floor)
    assert falling_deltas(asked, asked, 10) == ()
    assert falling_deltas(asked, Fraction(0), 1) == (Fraction(0),)


def test_every_fraction_in_between_is_tried_unless_there_are_too_many() -> None:
    low, high = Fraction(1, 3), Fraction(2, 3)
    everything = {Fraction(top, size) for size in range(1, 8) for top in range(size + 1)}
    assert fractions_between(low, high, 7, 100) == tuple(sorted((each for each in everything if low < each < high), reverse=True))
    assert fractions_between(low, high, 7, 3) is None


def test_the_simplest_fraction_in_between_has_the_smallest_denominator() -> None:
    ends = sorted({Fraction(top, size) for size in range(1, 13) for top in range(size + 1)})
    for low, high in (*pairwise(ends), *zip(ends, ends[3:], strict=False)):
        simplest = simplest_between(low, high)
        assert simplest is not None
        smallest = next(size for size in range(1, 400) if any(low < Fraction(top, size) < high for top in range(size + 1)))
        assert simplest.denominator == smallest
        assert low < simplest < high
    assert simplest_between(high, low) is None

"""What is known before any try: 1000 rows of which some are equal, k = 10. A group of s holds ⌊(1 − δ)(s − 1)⌋ + 1 equal rows."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pytest

from headgate.advice.prospect import Prospect
from headgate.bounds.cliques import cliques_of
from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.grouping.limits import dissimilarity


def prospect(equal: int, k: int = 10) -> Prospect:
    frame = pd.DataFrame({"age": range(1000), "word": ["x"] * equal + [f"v{i}" for i in range(1000 - equal)]})
    specs = {"age": ColumnSpec("age", Kind.INTEGER, Role.QUASI), "word": ColumnSpec("word", Kind.CATEGORY, Role.SENSITIVE)}
    table = encode_table(frame, specs)
    columns = table.select(["word"])
    limit = dissimilarity(columns, "0", "0")
    return Prospect(k, limit, (), columns, table.select(["age"]), [cliques_of(limit)])


@pytest.mark.parametrize("equal", [150, 400, 700])
def test_the_last_possible_hundredth_is_followed_by_one_with_a_proof(equal: int) -> None:
    known = prospect(equal)
    assert known.possible is not None
    assert known.certificate is not None
    assert known.at(known.possible).certificate is None
    assert known.at(known.possible + Fraction(1, 100)).certificate == known.certificate
    assert known.guaranteed is None or known.guaranteed <= known.possible


def test_lemma_2_guarantees_up_to_its_floors() -> None:
    """150 equal rows have 149 neighbours each; m(t + 1)/2 = 50·(t + 1) ≥ 149 needs t = 2: (1 − δ)·9 ≥ 2, so δ ≤ 0.77."""
    assert prospect(150).guaranteed == Fraction("0.77")


def test_rungs_that_are_refuted_are_not_tried() -> None:
    known = prospect(400)
    open_ = known.open_rungs((Fraction("0.123"),))
    assert Fraction("0.123") in open_
    assert open_ == sorted(open_, reverse=True)
    assert open_[0] <= known.possible < open_[0] + Fraction(1, 20)


def test_what_was_looked_at_is_not_looked_at_again() -> None:
    known = prospect(150)
    assert known.at(Fraction("0.5")) is known.at(Fraction("0.5"))


def test_rows_that_are_all_equal_leave_only_delta_0() -> None:
    known = prospect(1000)
    assert known.possible == 0
    assert known.open_rungs(()) == [0]

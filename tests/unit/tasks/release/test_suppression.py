"""Suppressed rows leave every table: comparing tables would else tell who they are."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from headgate.core.errors import RequirementNotMet
from headgate.core.tolerance import exact
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.full_domain.full_domain_method import FullDomain
from headgate.methods.method import Method
from tasks.release.make_tables import agree_on_suppression


def bench_of(share: str, *groups: list[int], kept: list[bool] | None = None) -> Any:
    return SimpleNamespace(
        kept=np.array(kept or [True] * 6),
        suppressed=0,
        partitions={f"table-{place}": SimpleNamespace(groups=np.array(one)) for place, one in enumerate(groups, 1)},
        check=SimpleNamespace(suppression=exact(share), method=Blocks()),
    )


def test_who_is_suppressed_in_one_table_leaves_all_of_them() -> None:
    bench = bench_of("0.34", [0, 0, -1, 0, 0, 0], [0, 0, 0, 0, 0, -1])
    assert not agree_on_suppression(bench)
    assert bench.kept.tolist() == [True, True, False, True, True, False]
    assert bench.suppressed == 2


def test_tables_have_agreed_when_nobody_more_is_suppressed() -> None:
    kept = [True, True, False, True, True, False]
    bench = bench_of("0.34", [0, 0, 0, 0], [0, 0, 1, 1], kept=kept)
    assert agree_on_suppression(bench)
    assert bench.kept.tolist() == kept


def test_a_later_round_speaks_of_the_rows_that_are_left() -> None:
    bench = bench_of("0.5", [0, 0, -1, 0], [0, 0, 0, 0], kept=[True, True, False, True, True, False])
    assert not agree_on_suppression(bench)
    assert bench.kept.tolist() == [True, True, False, False, True, False]
    assert bench.suppressed == 3


def test_the_share_is_of_the_input_rows_inclusive_and_counts_all_tables_together() -> None:
    assert not agree_on_suppression(bench_of("0.5", [0, 0, -1, -1, 0, 0], [0, 0, 0, 0, 0, -1]))
    with pytest.raises(RequirementNotMet) as refusal:
        agree_on_suppression(bench_of("0.49", [0, 0, -1, -1, 0, 0], [0, 0, 0, 0, 0, -1]))
    assert (refusal.value.measured, refusal.value.required) == (0.5, 0.49)
    assert refusal.value.cure


@dataclass(frozen=True)
class Check:
    """What agreement asks of a plan's check."""

    method: Method
    suppression: Fraction = Fraction(1, 3)
    lent: Fraction = Fraction(1)
    tried: Any = None


def test_where_whole_columns_suppress_too_much_together_each_table_gets_its_part_and_then_none() -> None:
    """Two of six rows may go; each table would let two others go."""
    bench = bench_of("0", [-1, -1, 0, 0, 0, 0], [0, 0, -1, -1, 0, 0])
    bench.names, bench.check = ("table-1", "table-2"), Check(FullDomain())
    for part in (Fraction(1, 2), Fraction(0)):
        assert not agree_on_suppression(bench)
        assert (bench.check.lent, bench.kept.all(), bench.suppressed) == (part, True, 0)
    with pytest.raises(RequirementNotMet):
        agree_on_suppression(bench)

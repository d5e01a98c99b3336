from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from headgate.bounds.certificates import Reason, refute
from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.grouping.limits import dissimilarity, linkability


def _table(values):
    specs = {"age": ColumnSpec("age", Kind.INTEGER, Role.QUASI), "value": ColumnSpec("value", Kind.INTEGER, Role.SENSITIVE, domain=(0, 10))}
    return encode_table(pd.DataFrame({"age": range(len(values)), "value": list(values)}), specs)


def _possible(values, k, reach, delta, partitions):
    """Does any partition satisfy the definition? Every one is tried."""
    share = 1 - Fraction(delta)
    for groups in partitions(len(values), k):
        if all(
            (len(group) > 1 or share == 1)
            and all(sum(abs(values[i] - values[j]) <= reach for j in group) - 1 <= share * (len(group) - 1) for i in group)
            for group in groups
        ):
            return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("delta", ["0.3", "0.5", "0.6", "1"])
@pytest.mark.parametrize("reach", [0, 1, 3])
def test_what_is_refuted_has_no_partition(set_partitions, k, delta, reach):
    """Sound against exhaustive search over all partitions of up to 8 rows."""
    draw = np.random.default_rng(int(Fraction(delta) * 100) + 10 * k + reach)
    for _ in range(12):
        values = draw.integers(0, 4 if reach else 3, int(draw.integers(4, 9))).tolist()
        table = _table(values)
        found = refute([dissimilarity(table.select(["value"]), str(reach / 10), delta)], k, table.select(["value"]))
        if found is not None and found.refutes == "every partition":
            assert not _possible(values, k, reach, delta, set_partitions)
            if found.to_suppress is not None:
                for gone in range(min(found.to_suppress, len(values) - k + 1)):
                    for rows in combinations(range(len(values)), len(values) - gone):
                        assert not _possible([values[row] for row in rows], k, reach, delta, set_partitions)


@pytest.mark.parametrize("k", [2, 3])
def test_what_is_said_to_be_out_of_reach_is_reached_by_no_partition(set_partitions, k):
    """Cures named δ and linkability that nothing can reach. Against exhaustive search over tables of up to 6 rows."""
    draw, seen = np.random.default_rng(k), 0
    for _ in range(16):
        values = draw.choice([0, 0, 0, 1, 2], int(draw.integers(4, 7))).tolist()
        value = _table(values).select(["value"])
        risks, shares = [], []
        for groups in set_partitions(len(values), k):
            alike_in = [(sum(values[i] == values[j] for j in group), len(group)) for group in groups for i in group]
            risks.append(max(Fraction(alike - 1, size - 1) for alike, size in alike_in))
            shares.append(max(Fraction(alike, size) for alike, size in alike_in))
        apart = refute([dissimilarity(value, "0", "1")], k, value)
        alike = refute([linkability(value[0], "0.01")], k, value)
        if apart is not None and apart.largest_delta is not None:
            seen += 1
            assert apart.largest_delta >= 1 - min(risks) - 1e-9
        if alike is not None and alike.least_share is not None:
            seen += 1
            assert alike.least_share <= min(shares) + 1e-9
    assert seen > 10


def test_most_of_what_is_impossible_for_tiny_tables_is_refuted(set_partitions):
    """Certificates are not complete, but they are of use."""
    draw = np.random.default_rng(1)
    impossible = refuted = 0
    for _ in range(60):
        values = draw.choice([0, 0, 0, 1, 2], 7).tolist()
        table = _table(values)
        found = refute([dissimilarity(table.select(["value"]), "0", "0.6")], 2, table.select(["value"]))
        if not _possible(values, 2, 0, "0.6", set_partitions):
            impossible += 1
            refuted += found is not None and found.refutes == "every partition"
    assert impossible > 20
    assert refuted >= 0.8 * impossible


def test_too_many_for_groups_of_equal_size_refutes_only_the_coloring():
    values = [0] * 430 + [(i % 9) + 1 for i in range(570)]
    table = _table(values)
    found = refute([dissimilarity(table.select(["value"]), "0", "0.6")], 10, table.select(["value"]))
    assert found is not None
    assert (found.reason, found.refutes, found.rows, found.bound) == (Reason.CLIQUE, "faithful", 430, 400)
    assert found.values == (0,)


def test_a_row_with_too_few_dissimilar_rows_refutes():
    """Certificate 2: ⌈δ(k−1)⌉ dissimilar rows; value 5 is within 5 of everything."""
    table = _table([0, 1, 5, 9, 10, 0, 10, 1])
    found = refute([dissimilarity(table.select(["value"]), "0.5", "0.5")], 3, table.select(["value"]))
    assert found is not None
    assert found.reason is Reason.DISSIMILAR
    assert (found.rows, found.bound) == (0, 1)
    assert found.values == (5,)


def test_harmless_values_refute_nothing():
    frame = pd.DataFrame({"age": range(20), "value": ["none"] * 18 + ["flu", "cold"]})
    specs = {
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI),
        "value": ColumnSpec("value", Kind.CATEGORY, Role.SENSITIVE, nonsensitive=frozenset({"none"})),
    }
    table = encode_table(frame, specs)
    assert refute([dissimilarity(table.select(["value"]), "0", "0.6"), linkability(table["value"], "0.5")], 2) is None


def test_certificates_hold_for_linkability_as_well():
    table = _table([1] * 9 + [2])
    found = refute([linkability(table["value"], "0.8")], 2, table.select(["value"]))
    assert found is not None
    assert found.limit == "linkability of value"
    assert (found.rows, found.bound) == (9, 8)
    assert "1" not in found.sentence().split()

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from headgate.core.distance import Distance
from headgate.core.errors import InputRejected
from headgate.core.household_column import household_column
from headgate.grouping.items import items_of
from headgate.grouping.limits import allowed_dissimilar, delta_l, dissimilarity, linkability, spread_households
from headgate.grouping.nearness import compile_limits
from headgate.grouping.neighbour_counts import near_rows
from headgate.grouping.recount import recount


def test_most_similar_rows_are_counted_from_the_decimals_as_written():
    """0.3 · 10 is 3 and not 2.9999…; DEFINITIONS §3, and §4 "sizes matter": f(10) = 4, f(11) = 5 at δ = 0.6."""
    assert allowed_dissimilar(11, "0.6").tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 3, 4, 4, 5]
    assert allowed_dissimilar(11, "0.7")[11] == 4
    assert allowed_dissimilar(101, "0.9")[101] == 11
    assert allowed_dissimilar(101, 0.9)[101] == 11


@pytest.mark.parametrize("share", ["0.6666666666666667", "0.8", "0.123456789012345678901"])
def test_a_share_of_many_digits_allows_the_same_in_a_large_table(people, share):
    """A share is a fraction of whole numbers; with sixteen digits its numerator times 2,000 rows is beyond 64 bits, and the bound came out
    negative or far too high."""
    table = people(2_000)
    exactly = [int(Fraction(share) * size) for size in range(2_001)]
    assert linkability(table["disease"], share).allowed.tolist() == exactly


def test_a_group_of_one_is_no_group_unless_delta_is_0():
    assert allowed_dissimilar(3, "0").tolist() == [0, 1, 2, 3]
    assert allowed_dissimilar(3, "0.01").tolist()[1] == 0


def test_a_thousand_rows_in_groups_of_eleven_hold_more_equal_rows_than_in_groups_of_ten():
    """DEFINITIONS §4: 400 against 454 (90 groups of 11 and one of 10)."""
    f = allowed_dissimilar(1000, "0.6")
    assert 100 * f[10] == 400
    assert 90 * f[11] + f[10] == 454


def test_linkability_and_delta_l_round_down(people):
    table = people(20)
    assert linkability(table["disease"], "0.8").allowed[:11].tolist() == [0, 0, 1, 2, 3, 4, 4, 5, 6, 7, 8]
    assert delta_l(table["income"], 5000, "1.5").allowed[:7].tolist() == [0, 0, 1, 2, 2, 3, 4]
    assert delta_l(table["income"], 5000, 2).allowed[10] == 5


@pytest.mark.parametrize("rows", [5, 40, 100, 230])
def test_every_form_of_a_limit_counts_what_the_distance_says(make_table, rows):
    """EQUAL, RANGE and TABLE against plain Python, for small groups and large ones, with missing cells."""
    draw = np.random.default_rng(rows)
    frame = pd.DataFrame(
        {
            "age": np.arange(rows),
            "job": pd.Series(draw.choice(["a", "b", "c", None], rows), dtype=object),
            "pay": pd.Series(np.where(draw.random(rows) < 0.1, np.nan, draw.integers(0, 50, rows)), dtype=float),
            "height": draw.random(rows),
        }
    )
    table = make_table(frame, ["age"])
    cells = {name: frame[name].tolist() for name in frame}
    domain = {name: frame[name].max() - frame[name].min() for name in ("pay", "height")}

    def apart(name: str, i: int, j: int) -> float:
        a, b = cells[name][i], cells[name][j]
        if a is None or b is None or a != a or b != b:
            return 0.0 if (a is None or a != a) and (b is None or b != b) else 1.0
        return float(a != b) if name == "job" else abs(a - b) / domain[name]

    weights = {"job": 0.5, "pay": 0.3, "height": 0.2}
    distances = {
        "equal": (linkability(table["job"], "0.5"), lambda i, j: apart("job", i, j) <= 0),
        "range": (dissimilarity([table["pay"]], "0.1", "0.5"), lambda i, j: apart("pay", i, j) <= 0.1 + 1e-9),
        "raw": (
            delta_l(table["pay"], 2, 3),
            lambda i, j: apart("pay", i, j) * domain["pay"] <= 4 + 1e-8 and (pd.isna(cells["pay"][i]) == pd.isna(cells["pay"][j])),
        ),
        "near": (
            dissimilarity([table["job"], table["pay"]], "0.2", "0.5"),
            lambda i, j: (apart("job", i, j) + apart("pay", i, j)) / 2 <= 0.2 + 1e-9,
        ),
        "composite": (
            dissimilarity(table.select(weights), "0.2", "0.5", Distance(weights=weights)),
            lambda i, j: sum(weight * apart(name, i, j) for name, weight in weights.items()) <= 0.2 + 1e-9,
        ),
        "square": (
            dissimilarity(table.select(weights), "0.3", "0.5", Distance(p=2, weights=weights)),
            lambda i, j: sum(weight * apart(name, i, j) ** 2 for name, weight in weights.items()) ** 0.5 <= 0.3 + 1e-9,
        ),
        "least": (
            dissimilarity(table.select(weights), "0.001", "0.5", Distance(combine="min")),
            lambda i, j: min(apart(name, i, j) for name in weights) <= 0.001 + 1e-9,
        ),
    }
    for name, (limit, similar) in distances.items():
        compiled = compile_limits([limit], rows)
        counts = near_rows(compiled, 0, limit.value.astype(np.int64), np.ones(rows, dtype=np.int64))
        assert counts.tolist() == [sum(similar(i, j) for j in range(rows)) for i in range(rows)], name
        counted = recount(items_of(table, [limit]), [limit], np.zeros(rows, dtype=np.int32))
        assert (not counted.broken) == (counts.max() <= limit.allowed[rows]), name


def test_rows_without_anything_sensitive_are_no_centres_but_are_neighbours(make_table):
    """DEFINITIONS §3 (ext)."""
    frame = pd.DataFrame({"age": range(6), "illness": ["none", "none", "none", "none", "flu", "cold"]})
    table = make_table(frame, ["age"], {"illness": ["none"]})
    limit = dissimilarity(table.select(["illness"]), "0", "0.8")
    assert limit.centres().tolist() == [False, False, False, False, True, True]
    together = np.zeros(6, dtype=np.int32)
    assert not recount(items_of(table, [limit]), [limit], together).broken
    plain = make_table(frame, ["age"])
    limit = dissimilarity(plain.select(["illness"]), "0", "0.8")
    assert recount(items_of(plain, [limit]), [limit], together).broken == ("dissimilarity",)


@pytest.mark.parametrize(("epsilon", "delta"), [("-0.1", "0.5"), ("0.1", "1.5"), ("x", "0.5"), ("0.1", "nan"), ("inf", "0.5")])
def test_thresholds_that_mean_nothing_are_refused(people, epsilon, delta):
    with pytest.raises(InputRejected):
        dissimilarity(people(20).select(["disease"]), epsilon, delta)


def test_another_delta_changes_the_counts_only(people):
    limit = dissimilarity(people(30).select(["disease"]), "0", "0.5")
    other = limit.with_delta(Fraction(2, 3))
    assert other.allowed.tolist() == allowed_dissimilar(30, Fraction(2, 3)).tolist()
    assert other.value is limit.value


@pytest.mark.parametrize(
    ("size", "delta", "most"), [(10, "0.6", 4), (11, "0.6", 5), (10, "0.7", 3), (11, "0.7", 4), (1, "0.1", 0), (1, "0", 1)]
)
def test_the_most_similar_rows_of_a_group(size, delta, most):
    """DEFINITIONS §4: f(s) = ⌊(1−δ)(s−1)⌋ + 1, f(1) = 0 if δ > 0; at δ = 0.7 a group of 11 holds four, one of 10 three."""
    assert allowed_dissimilar(20, delta)[size] == most


def test_so_few_rows_of_a_household_that_k_households_must_be_there_and_no_more_ensures_it():
    """⌊(s−1)/(k−1)⌋ against every way to divide s rows among households."""

    def divided(rows, most):
        if rows == 0:
            yield ()
        for first in range(min(rows, most), 0, -1):
            yield from ((first, *rest) for rest in divided(rows - first, first))

    for k in range(2, 6):
        column = household_column("home", np.arange(12, dtype=np.int32))
        allowed = spread_households(column, k).allowed
        for rows in range(k, 13):
            ways = list(divided(rows, rows))
            most = int(allowed[rows])
            assert all(len(way) >= k for way in ways if max(way) <= most)
            assert any(len(way) < k for way in ways if max(way) <= most + 1)


def test_the_limit_on_households_is_none_where_k_is_1():
    assert spread_households(household_column("home", np.zeros(4, dtype=np.int32)), 1).allowed.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("beside", [1e7, -1e7])
@pytest.mark.parametrize("far", [0, 10_000_000])
def test_delta_l_compares_decimals_as_they_are_written(make_table, far, beside):
    """10000000.3 − 10000000.2, as doubles, is more than 0.1, and so were 0.3 − 0.2 on a line that began at −10000000."""
    values = [float(f"{far}.{digit}") for digit in (1, 2, 3)]
    table = make_table(pd.DataFrame({"age": 1, "v": [*values, beside + 0.7]}), ["age"])
    for limit in (delta_l(table["v"], "0.05", 2), dissimilarity(table.select(["v"]), "0.1", 0, Distance(own_units=True))):
        near = near_rows(compile_limits([limit], 4), 0, limit.value.astype(np.int64), np.ones(4, dtype=np.int64))
        assert sorted(near.tolist()) == [1, 2, 2, 3]

"""Population uniqueness: each estimator's equations solved again by other means, populations drawn from each model, and the rule."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from headgate.core.errors import InputRejected
from headgate.risk.reidentification.population import (
    Estimator,
    PopulationUniqueness,
    intrusion,
    inverses,
    pitman,
    population_uniqueness,
    shlosser,
    slide_negative_binomial,
    zayatz,
)

SIZES = st.lists(st.integers(1, 6), min_size=1, max_size=15)


def numbers(sizes: Any) -> Any:
    return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)


def tabled(sizes: Any) -> tuple[Any, Any]:
    """The sizes that occur, and how many classes have each."""
    return np.unique(np.asarray(sizes, dtype=np.int64), return_counts=True)


def sample_of(population: Any, fraction: float, seed: int) -> Any:
    """Sizes of the classes that a simple random sample finds, of a population of classes of these sizes."""
    people = np.repeat(np.arange(len(population)), population)
    drawn = np.random.default_rng(seed).choice(people, round(len(people) * fraction), replace=False)
    return np.unique(drawn, return_counts=True)[1]


# Zayatz


@settings(max_examples=60, deadline=None)
@given(SIZES, st.integers(1, 60))
def test_zayatz_is_bayes_rule_on_hypergeometric_draws(sizes: list[int], more: int) -> None:
    sizes = [1, *sizes]
    n, population = sum(sizes), sum(sizes) + more

    def one_of(j: int) -> Fraction:
        return Fraction(j * math.comb(population - j, n - 1), math.comb(population, n))

    shares = {j: Fraction(count, len(sizes)) for j, count in Counter(sizes).items()}
    alone = shares[1] * one_of(1) / sum(share * one_of(j) for j, share in shares.items())
    assert zayatz(*tabled(sizes), population) == pytest.approx(float(sizes.count(1) * alone * population / n), rel=1e-12)


# Pitman


def log_likelihood(sizes: Any, theta: float, alpha: float) -> float:
    """Of the partition, row by row: the next row joins a class of j with (j − α)/(θ + i), or is new with (θ + uα)/(θ + i)."""
    total, i = 0.0, 0
    for u, size in enumerate(sizes):
        for j in range(size):
            if i:
                total += math.log(theta + u * alpha if j == 0 else j - alpha) - math.log(theta + i)
            i += 1
    return total


def expected_uniques(theta: float, alpha: float, population: int) -> float:
    """N times the chance that nobody joins the first person."""
    i = np.arange(1, population)
    return float(population * np.prod((theta + alpha + i - 1) / (theta + i)))


def partition(theta: float, alpha: float, people: int, seed: int) -> Any:
    """A population drawn from the Ewens–Pitman family, one person after the other."""
    chance = np.random.default_rng(seed)
    of: list[int] = []
    sizes: list[int] = []
    for i in range(people):
        if i == 0 or chance.random() * (theta + i) < theta + alpha * len(sizes):
            of.append(len(sizes))
            sizes.append(1)
            continue
        while True:  # a class of j is joined in proportion to j − α
            found = of[int(chance.integers(i))]
            if chance.random() * sizes[found] < sizes[found] - alpha:
                break
        of.append(found)
        sizes[found] += 1
    return np.array(sizes)


@pytest.mark.parametrize(("theta", "alpha", "seed"), [(5.0, 0.3, 1), (20.0, 0.6, 2), (0.5, 0.8, 3), (-0.2, 0.5, 4), (60.0, 0.1, 5)])
def test_pitman_s_parameters_maximize_the_likelihood(theta: float, alpha: float, seed: int) -> None:
    sizes = sample_of(partition(theta, alpha, 3000, seed), 0.1, seed)
    found = pitman(*tabled(sizes), 3000)
    best = optimize.minimize(
        lambda x: -log_likelihood(sizes, math.exp(x[0]) - 1 / (1 + math.exp(-x[1])), 1 / (1 + math.exp(-x[1]))),
        [math.log(theta + alpha), math.log(alpha / (1 - alpha))],
        method="Nelder-Mead",
        options={"xatol": 1e-8, "fatol": 1e-10, "maxiter": 4000},
    )
    a = 1 / (1 + math.exp(-best.x[1]))
    assert best.success
    assert found == pytest.approx(expected_uniques(math.exp(best.x[0]) - a, a, 3000), rel=1e-4)


@pytest.mark.parametrize(("theta", "alpha"), [(50.0, 0.5), (300.0, 0.3), (10.0, 0.7)])
@pytest.mark.parametrize("fraction", [0.02, 0.1])
def test_pitman_finds_the_uniques_of_a_population_of_its_own_kind(theta: float, alpha: float, fraction: float) -> None:
    """On average over ten samples."""
    population = partition(theta, alpha, 40_000, 7)
    found = [population_uniqueness([numbers(sample_of(population, fraction, seed))], fraction) for seed in range(10)]
    assert {one.chosen for one in found} == {Estimator.PITMAN}
    assert np.mean([one.uniques for one in found]) == pytest.approx((population == 1).sum(), rel=0.15)


def test_where_the_likelihood_falls_from_the_start_ewens_s_model_is_the_best() -> None:
    """α = 0: θ solves u = Σ θ/(θ+i), and N people have Nθ/(θ+N−1) uniques among them."""
    sizes = [1] * 4 + [6] * 30
    n, u = sum(sizes), len(sizes)
    theta = optimize.brentq(lambda t: sum(t / (t + i) for i in range(n)) - u, 1e-6, 1e6)
    assert log_likelihood(sizes, theta, 1e-6) > max(log_likelihood(sizes, theta * by, 0.01) for by in np.linspace(0.8, 1.2, 41))
    assert pitman(*tabled(sizes), 4000) == pytest.approx(4000 * theta / (theta + 3999), rel=1e-4)


@pytest.mark.parametrize("sizes", [[1] * 9, [9]])
def test_pitman_has_no_estimate_at_the_edges(sizes: list[int]) -> None:
    assert pitman(*tabled(sizes), 100) is None


def test_pitman_has_no_estimate_where_the_likelihood_grows_as_far_as_it_can_be_computed() -> None:
    assert pitman(np.array([1, 100]), np.array([5_000_000, 1]), 10**9) is None


def test_pitman_s_equations_hold_their_accuracy_where_almost_everybody_is_unique() -> None:
    """One pair among 2,000: θ is of the order of n², where sums of inverses differ in the last digits only."""
    sizes = [2] + [1] * 1998
    theta = 1999**2 / 2  # u = Σ θ/(θ+i) leaves Σ i/(θ+i) = n − u = 1
    assert pitman(*tabled(sizes), 100_000) == pytest.approx(100_000 * theta / (theta + 99_999), rel=1e-3)


@pytest.mark.parametrize("start", [0.25, 9_999.0, 10_000.0, 2e5, 3e11])
@pytest.mark.parametrize("count", [1, 2, 700])
def test_sums_of_inverses_do_not_cancel(start: float, count: int) -> None:
    assert inverses(start, count) == pytest.approx(float(sum(1 / (Fraction(start) + i) for i in range(count))), rel=1e-10)


# SNB


def count_of_classes(sizes: list[int], population: int) -> float:
    """Haas and Stokes 1998, D_Sh3, in fractions."""
    q = Fraction(sum(sizes), population)
    s = Counter(sizes)
    first = sum(j * q**2 * (1 - q**2) ** (j - 1) * c for j, c in s.items()) / sum(
        (1 - q) ** j * ((1 + q) ** j - 1) * c for j, c in s.items()
    )
    second = sum((1 - q) ** j * c for j, c in s.items()) / sum(j * q * (1 - q) ** (j - 1) * c for j, c in s.items())
    return float(len(sizes) + s[1] * first * second**2)


@settings(max_examples=60, deadline=None)
@given(SIZES, st.integers(1, 60))
def test_the_number_of_classes_is_shlosser_s_as_haas_and_stokes_have_it(sizes: list[int], more: int) -> None:
    sizes = [1, *sizes]
    wanted = count_of_classes(sizes, sum(sizes) + more)
    found = shlosser(*tabled(sizes), sum(sizes) + more)
    assert found is None if wanted > (sum(sizes) + more) * (1 + 1e-6) else found == pytest.approx(wanted, rel=1e-9)


def snb_population(alpha: float, beta: float, classes: int, seed: int) -> Any:
    return 1 + np.random.default_rng(seed).negative_binomial(alpha, beta, classes)


@pytest.mark.parametrize(("alpha", "beta", "fraction"), [(0.5, 0.1, 0.3), (2.0, 0.5, 0.2), (1.0, 0.3, 0.6), (0.3, 0.05, 0.4)])
def test_the_slide_negative_binomial_solves_its_two_equations(alpha: float, beta: float, fraction: float) -> None:
    """Expectations added up over population sizes and binomial draws; a solution is looked for near the truth."""
    population = snb_population(alpha, beta, 4000, 11)
    sizes = sample_of(population, fraction, 12)
    people = int(population.sum())
    q = int(sizes.sum()) / people
    big = np.arange(1, 2000)
    once, twice = stats.binom.pmf(1, big, q), stats.binom.pmf(2, big, q)
    for k in (len(population), count_of_classes(sizes.tolist(), people)):

        def miss(x: Any, k: float = k) -> list[float]:
            held = k * stats.nbinom.pmf(big - 1, math.exp(x[0]), 1 / (1 + math.exp(-x[1])))
            return [float(held @ once) / (sizes == 1).sum() - 1, float(held @ twice) / (sizes == 2).sum() - 1]

        solved = optimize.root(miss, [math.log(alpha), math.log(beta / (1 - beta))])
        assert solved.success
        wanted = k * (1 / (1 + math.exp(-solved.x[1]))) ** math.exp(solved.x[0])
        assert slide_negative_binomial(*tabled(sizes), people, k) == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize(("alpha", "beta", "fraction"), [(0.5, 0.1, 0.3), (2.0, 0.5, 0.2), (1.0, 0.3, 0.6), (2.0, 0.6, 0.3)])
def test_the_slide_negative_binomial_finds_the_uniques_of_a_population_of_its_own_kind(alpha: float, beta: float, fraction: float) -> None:
    """On average over ten samples, the number of classes being known."""
    population = snb_population(alpha, beta, 4000, 13)
    samples = [tabled(sample_of(population, fraction, seed)) for seed in range(10)]
    found = [slide_negative_binomial(*sample, int(population.sum()), len(population)) for sample in samples]
    assert np.mean(found) == pytest.approx((population == 1).sum(), rel=0.15)


@pytest.mark.parametrize("sizes", [[1] * 9, [1, 1, 3]])
def test_without_pairs_the_slide_negative_binomial_has_no_estimate(sizes: list[int]) -> None:
    assert slide_negative_binomial(*tabled(sizes), 100, 50.0) is None


# the rule


@pytest.mark.parametrize(
    ("fraction", "pitman_s", "snb_s", "chosen"),
    [
        (0.1, 50.0, 10.0, Estimator.PITMAN),
        (0.05, None, 10.0, Estimator.ZAYATZ),
        (0.2, 50.0, 10.0, Estimator.SNB),
        (0.2, 50.0, 30.0, Estimator.ZAYATZ),
        (0.2, 50.0, None, Estimator.ZAYATZ),
    ],
)
def test_the_rule_of_dankar_and_others(fraction: float, pitman_s: float | None, snb_s: float | None, chosen: Estimator) -> None:
    found = PopulationUniqueness(1000, fraction, 5, 20.0, pitman_s, snb_s)
    assert found.chosen is chosen
    assert found.uniques == {Estimator.PITMAN: pitman_s, Estimator.SNB: snb_s, Estimator.ZAYATZ: 20.0}[chosen]


@pytest.mark.parametrize("fraction", [0.3, 0.5, 0.8])
@pytest.mark.parametrize(("alpha", "beta"), [(0.5, 0.1), (1.0, 0.3)])
def test_large_samples_tell_the_uniques_of_the_population(fraction: float, alpha: float, beta: float) -> None:
    """On average over ten samples."""
    population = snb_population(alpha, beta, 8000, 21)
    found = [population_uniqueness([numbers(sample_of(population, fraction, seed))], fraction) for seed in range(10)]
    assert Estimator.PITMAN not in {one.chosen for one in found}
    assert np.mean([one.uniques for one in found]) == pytest.approx((population == 1).sum(), rel=0.25)
    assert found[0].share == found[0].uniques / found[0].population
    assert found[0].population == pytest.approx(population.sum(), rel=1e-3)


def test_where_all_classes_are_small_the_estimate_errs_to_the_safe_side() -> None:
    population = snb_population(2.0, 0.6, 8000, 23)
    found = [population_uniqueness([numbers(sample_of(population, 0.3, seed))], 0.3).uniques for seed in range(10)]
    assert (population == 1).sum() < min(found)
    assert max(found) < 2 * (population == 1).sum()


@settings(max_examples=40, deadline=None)
@given(SIZES)
def test_if_everybody_was_drawn_the_sample_s_uniques_are_the_population_s(sizes: list[int]) -> None:
    for found in (
        population_uniqueness([numbers(sizes)], 1),
        population_uniqueness([numbers(sizes)], weights=np.ones(sum(sizes))),
    ):
        assert found.zayatz == found.pitman == found.snb == found.uniques == sizes.count(1)
        assert found.share == sizes.count(1) / sum(sizes)


@settings(max_examples=40, deadline=None)
@given(SIZES, st.sampled_from(["0.001", "0.05", "0.1", "0.3", "0.99", "1"]))
def test_an_estimate_is_a_number_of_people(sizes: list[int], fraction: str) -> None:
    found = population_uniqueness([numbers(sizes)], fraction)
    for estimate in (found.zayatz, found.pitman, found.snb, found.uniques):
        assert estimate is None or 0 <= estimate <= found.population * (1 + 1e-9)
    assert (found.uniques == 0) == (1 not in sizes)
    assert found.meets(1)
    assert found.meets(0) == (1 not in sizes)


@settings(max_examples=30, deadline=None)
@given(SIZES, st.sampled_from(["0.05", "0.3"]), st.randoms(use_true_random=False))
def test_the_order_of_rows_means_nothing(sizes: list[int], fraction: str, chance: Any) -> None:
    rows = numbers(sizes)
    order = list(range(len(rows)))
    chance.shuffle(order)
    shuffled = np.unique(rows[order], return_inverse=True)[1].astype(np.int32)
    assert population_uniqueness([shuffled], fraction) == population_uniqueness([rows], fraction)


def test_if_all_rows_are_unique_everybody_may_be() -> None:
    for fraction in ("0.01", "0.5"):
        found = population_uniqueness([np.arange(50, dtype=np.int32)], fraction)
        assert (found.pitman, found.snb, found.chosen) == (None, None, Estimator.ZAYATZ)
        assert found.share == pytest.approx(1.0)


def test_weights_add_up_to_the_population() -> None:
    rows = numbers([1, 1, 2, 3])
    weights = np.linspace(5, 15, 7)
    assert population_uniqueness([rows], weights=weights) == population_uniqueness([rows], "0.1")


def test_the_worse_reading_counts() -> None:
    few, many = numbers([7, 2, 1]), numbers([1, 1, 1, 2, 2, 3])
    one, other = (population_uniqueness(readings, "0.3").uniques for readings in ([few, many], [many, few]))
    assert one == other == population_uniqueness([many], "0.3").uniques > population_uniqueness([few], "0.3").uniques


def test_a_unique_match_is_right_as_often_as_copies_and_twins_allow() -> None:
    """Skinner and Elliot 2002: π·s₁/(π·s₁ + 2(1−π)·s₂); larger classes tell nothing."""
    assert intrusion([numbers([1, 1, 1, 2, 2, 5])], "0.1") == pytest.approx(0.3 / (0.3 + 3.6))
    assert intrusion([numbers([1, 1, 1, 2, 2, 5])], 1) == 1.0
    assert intrusion([numbers([3, 3])], "0.1") is None
    assert intrusion([numbers([2, 2]), numbers([1, 1, 2])], "0.5") == pytest.approx(0.5)


def test_the_simulated_intrusion_is_the_share_of_unique_matches_that_are_right() -> None:
    population = snb_population(0.5, 0.2, 20_000, 31)
    people = np.repeat(np.arange(len(population)), population)
    drawn = np.random.default_rng(32).random(len(people)) < 0.2
    held = np.bincount(people[drawn], minlength=len(population))
    alone = held == 1
    right = alone.sum() / population[alone].sum()  # of all people who match a class of one, those who are its one
    sizes = held[held > 0]
    assert intrusion([numbers(sizes)], "0.2") == pytest.approx(right, rel=0.05)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "not known"),
        ({"fraction": 0.5, "weights": np.ones(3)}, "not known"),
        ({"fraction": 0}, "not in"),
        ({"fraction": 1.5}, "not in"),
        ({"fraction": math.nan}, "not a number"),
        ({"weights": np.ones(2)}, "2 sampling weights for 3 rows"),
        ({"weights": np.array([1, 1, math.nan])}, "not a positive number"),
        ({"weights": np.full(3, 9e11)}, "larger than any"),
        ({"fraction": "1e-300"}, "larger than any"),
        ({"weights": np.full(3, 0.5)}, "smaller than the sample"),
    ],
)
def test_what_says_nothing_of_the_population_is_refused(more: dict[str, Any], words: str) -> None:
    with pytest.raises(InputRejected, match=words):
        population_uniqueness([numbers([1, 2])], **more)


def test_no_rows_and_no_fraction_are_refused() -> None:
    with pytest.raises(InputRejected, match="no rows"):
        population_uniqueness([np.empty(0, dtype=np.int32)], 0.5)
    with pytest.raises(InputRejected, match="not in"):
        intrusion([numbers([1])], 0)

"""Our figures beside pyCANON's (Sáinz-Pardo Díaz and López García 2022), on stored tables: `pycanon_cases.json`, made in pyCANON's own
virtual environment by `benchmarks/measures.py --cases`, names its version.

Where pyCANON is right the two agree. Where it is known to be wrong, a table shows it, and the definition (DEFINITIONS §5 and §6, counted
out here in fractions) says which figure is the right one.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from headgate.core.columns import Role
from headgate.core.distinct import places
from headgate.core.encode import encode_table
from headgate.core.frame_specs import inferred_spec
from headgate.counting.class_counts import Counted, count
from headgate.library.check_table import check
from headgate.principles.alpha_k import alpha_k
from headgate.principles.beta_likeness import beta_likeness
from headgate.principles.closeness import closeness
from headgate.principles.delta_disclosure import delta_disclosure
from headgate.principles.diversity import diversity
from headgate.principles.recursive import recursive_c

STORED = json.loads(Path(__file__).with_name("pycanon_cases.json").read_text(encoding="utf-8"))
CASES = {case["name"]: case for case in STORED["cases"]}
RANDOM = [name for name in CASES if name.startswith("random")]
TRUNCATED = (2, 3, 4, 6, 7, 8, 10)  # values of a uniform class whose e^H comes out a little below the whole number


def frame_of(case: dict[str, Any]) -> pd.DataFrame:
    frame = pd.DataFrame(case["columns"], index=case["index"])
    for name, values in case["categories"].items():
        frame[name] = pd.Categorical(frame[name], values)
    return frame


def quasi_of(frame: pd.DataFrame) -> list[str]:
    return [name for name in frame.columns if name != "sensitive"]


@cache
def census() -> pd.DataFrame:
    path = files("policies.shipped") / "census_income" / "data" / "census.parquet"
    names = [*STORED["census"]["quasi"], STORED["census"]["sensitive"]]
    return pd.read_parquet(str(path), columns=names).astype(str).rename(columns={STORED["census"]["sensitive"]: "sensitive"})


def by_definition(frame: pd.DataFrame) -> dict[str, Any]:
    """Every figure from its definition: classes by position, a missing quasi-identifier a value of its own."""
    quasi = quasi_of(frame)
    cells = [frame[name].astype(object).where(frame[name].notna(), None).tolist() for name in [*quasi, "sensitive"]]
    rows = list(zip(*cells, strict=True))
    classes: dict[Any, Counter[Any]] = defaultdict(Counter)
    for row in rows:
        classes[row[:-1]][row[-1]] += 1
    whole = Counter(row[-1] for row in rows)
    share = {value: Fraction(times, len(rows)) for value, times in whole.items()}
    sizes = {key: one.total() for key, one in classes.items()}
    distinct_l = min(map(len, classes.values()))
    over = [
        (float((Fraction(times, sizes[key]) - share[value]) / share[value]), -math.log(share[value]))
        for key, one in classes.items()
        for value, times in one.items()
    ]
    numeric = pd.api.types.is_numeric_dtype(frame["sensitive"].dtype)
    ratios = [
        abs(math.log(Fraction(one[value], sizes[key]) / share[value])) if one[value] else math.inf
        for key, one in classes.items()
        for value in whole
    ]
    return {
        "k": min(sizes.values()),
        "alpha": max(max(one.values()) / sizes[key] for key, one in classes.items()),
        "distinct_l": distinct_l,
        "entropy_l": min(math.exp(-sum(n / sizes[key] * math.log(n / sizes[key]) for n in one.values())) for key, one in classes.items()),
        "recursive_c": max(ratio_of(one, distinct_l) for one in classes.values()),
        "basic_beta": max(ratio for ratio, _ in over),
        "enhanced_beta": max(ratio if ratio <= bound + 1e-9 else math.inf for ratio, bound in over),
        "t": float(max((ordered_distance if numeric else equal_distance)(one, sizes[key], share) for key, one in classes.items())),
        "delta_disclosure": max(ratios),
    }


def ratio_of(one: Counter[Any], l: int) -> float:  # noqa: E741 — the literature's letter
    """r₁/(r_l + … + r_m): recursive (c, l) holds for every c above it."""
    counts = sorted(one.values(), reverse=True)
    return float(Fraction(counts[0], sum(counts[l - 1 :])))


def equal_distance(one: Counter[Any], size: int, share: dict[Any, Fraction]) -> Fraction:
    return sum((abs(Fraction(one[value], size) - part) for value, part in share.items()), Fraction(0)) / 2


def ordered_distance(one: Counter[Any], size: int, share: dict[Any, Fraction]) -> Fraction:
    gap = total = Fraction(0)
    for value in sorted(share):
        gap += Fraction(one[value], size) - share[value]
        total += abs(gap)
    return total / max(len(share) - 1, 1)


def counted_of(frame: pd.DataFrame) -> Counted:
    """The sensitive attribute, counted in the classes of equal quasi-identifiers."""
    quasi = quasi_of(frame)
    specs = {name: inferred_spec(frame[name], name, Role.QUASI if name in quasi else Role.SENSITIVE, {}, {}) for name in frame.columns}
    table = encode_table(frame, specs)
    return count(table["sensitive"], [places(column.codes for column in table.select(quasi))])


def ours(frame: pd.DataFrame) -> dict[str, Any]:
    counted = counted_of(frame)
    bounded, varied, likeness, disclosure = alpha_k(counted), diversity(counted), beta_likeness(counted), delta_disclosure(counted)
    return {
        "k": bounded.k.value,
        "alpha": bounded.alpha.value,
        "distinct_l": varied.distinct_l,
        "entropy_l": varied.entropy_l,
        "recursive_c": recursive_c(counted, varied.distinct_l).c.value if varied.distinct_l > 1 else None,
        "basic_beta": likeness.basic.value,
        "enhanced_beta": likeness.enhanced.value,
        "t": closeness(counted).t,
        "delta_disclosure": disclosure.figure.value,
        "delta_disclosure_present": disclosure.present.value,
    }


def agree(figure: str, mine: float, theirs: float) -> bool:
    """pyCANON rounds e^H down, so only a figure that is no whole number can be compared by its floor."""
    return math.floor(mine) == theirs if figure == "entropy_l" else math.isclose(mine, theirs, rel_tol=1e-9, abs_tol=1e-9)


def whole(number: float) -> bool:
    return abs(number - round(number)) < 1e-6


@pytest.mark.parametrize("name", [*RANDOM, "recursive", "index 0 1 2 3"])
def test_we_agree_with_pycanon_where_it_is_right(name: str) -> None:
    mine, theirs = ours(frame_of(CASES[name])), CASES[name]["figures"]
    for figure in ("k", "alpha", "distinct_l", "basic_beta", "t"):
        assert agree(figure, mine[figure], theirs[figure]), figure
    assert agree("delta_disclosure", mine["delta_disclosure_present"], theirs["delta_disclosure"])
    if math.isfinite(mine["delta_disclosure"]):
        assert agree("delta_disclosure", mine["delta_disclosure"], theirs["delta_disclosure"])
    if not whole(mine["entropy_l"]):
        assert agree("entropy_l", mine["entropy_l"], theirs["entropy_l"])
    if math.isfinite(mine["enhanced_beta"]):
        assert agree("enhanced_beta", mine["enhanced_beta"], theirs["enhanced_beta"])


def test_the_random_tables_ask_for_every_figure() -> None:
    """Else a figure could go uncompared above."""
    found = [ours(frame_of(CASES[name])) for name in RANDOM]
    assert len(found) >= 20
    assert sum(not whole(mine["entropy_l"]) for mine in found) >= 10
    for figure in ("enhanced_beta", "delta_disclosure"):
        assert 3 <= sum(math.isfinite(mine[figure]) for mine in found) < len(found), figure
    assert {CASES[name]["figures"]["k"] == 1 for name in RANDOM} == {True, False}
    assert {isinstance(CASES[name]["columns"]["sensitive"][0], str) for name in RANDOM} == {True, False}


def test_we_agree_with_pycanon_on_the_census_table() -> None:
    mine, theirs = ours(census()), STORED["census"]["figures"]
    for figure in ("k", "alpha", "distinct_l", "basic_beta", "t"):
        assert agree(figure, mine[figure], theirs[figure]), figure
    assert agree("delta_disclosure", mine["delta_disclosure_present"], theirs["delta_disclosure"])


@pytest.mark.parametrize("name", [*CASES, "census"])
def test_every_figure_of_ours_is_the_definition_counted_out(name: str) -> None:
    frame = census() if name == "census" else frame_of(CASES[name])
    mine, wanted = ours(frame), by_definition(frame)
    for figure, value in wanted.items():
        if figure == "recursive_c" and wanted["distinct_l"] == 1:
            assert mine[figure] is None  # (c, 1) always holds
        else:
            assert mine[figure] == pytest.approx(value, rel=1e-9, abs=1e-9), figure


@pytest.mark.parametrize("values", range(2, 13))
def test_defect_entropy_l_of_a_uniform_class_is_the_number_of_its_values(values: int) -> None:
    """pyCANON truncates e^H, which comes out as 1.9999…, so that for many a number of values its l is one too low."""
    case = CASES[f"uniform {values}"]
    assert case["figures"]["entropy_l"] == (values - 1 if values in TRUNCATED else values)
    frame = frame_of(case)
    assert ours(frame)["entropy_l"] == pytest.approx(values, rel=1e-12)
    assert by_definition(frame)["entropy_l"] == pytest.approx(values, rel=1e-12)
    found = diversity(counted_of(frame)).entropy
    assert found.short_of(values).met
    assert not found.short_of(values + 1).met


def test_defect_recursive_c_is_counted_from_the_most_frequent_value() -> None:
    """pyCANON sorts the counts ascending, so it takes the least frequent value for r₁: c = 1 where 5 < c·1 is to hold."""
    case = CASES["recursive"]
    assert (case["figures"]["recursive_c"], case["figures"]["recursive_l"]) == (1, 3)
    frame = frame_of(case)
    assert by_definition(frame)["recursive_c"] == 5
    found = recursive_c(counted_of(frame), 3).c
    assert found.value == 5
    assert not found.short_of(1).met
    assert not found.short_of(5).met  # the inequality is strict
    assert found.short_of("5.01").met


@pytest.mark.parametrize("values", range(2, 13))
def test_recursive_c_agrees_where_the_least_frequent_value_is_as_frequent_as_the_most(values: int) -> None:
    """pyCANON answers with the least whole number for which the strict inequality holds."""
    case = CASES[f"uniform {values}"]
    assert math.floor(ours(frame_of(case))["recursive_c"]) + 1 == case["figures"]["recursive_c"]


@pytest.mark.parametrize("name", ["index 0 2 1 3", "index of texts"])
def test_defect_index_labels_are_no_positions(name: str) -> None:
    """pyCANON finds a class's rows by label and reads them by position: the same table says l = 1 for 2, or raises."""
    plain, labelled = CASES["index 0 1 2 3"], CASES[name]
    assert labelled["columns"] == plain["columns"]
    wrong = [figure for figure, value in labelled["figures"].items() if value != plain["figures"][figure]]
    assert {"alpha", "distinct_l", "basic_beta", "t", "delta_disclosure"} <= set(wrong)
    frame = frame_of(labelled)
    assert ours(frame) == ours(frame_of(plain))
    assert (by_definition(frame)["alpha"], by_definition(frame)["distinct_l"]) == (0.5, 2)
    assert check(frame, ["q0"], ["sensitive"]).k == 2


def test_defect_a_row_with_a_missing_quasi_identifier_is_in_the_table() -> None:
    """pyCANON's grouping drops it: k = 3 and l = 3 where one person stands alone."""
    case = CASES["missing quasi cell"]
    assert (case["figures"]["k"], case["figures"]["distinct_l"]) == (3, 3)
    frame = frame_of(case)
    assert (by_definition(frame)["k"], by_definition(frame)["distinct_l"]) == (1, 1)
    assert (ours(frame)["k"], ours(frame)["distinct_l"], ours(frame)["alpha"]) == (1, 1, 1)
    assert check(frame, ["q0"], ["sensitive"]).k == 1


def test_defect_a_category_that_nobody_has_is_no_class() -> None:
    """pyCANON's grouping makes an empty class of it: k = 0, and most figures divide by 0."""
    case = CASES["unused category"]
    assert (case["figures"]["k"], case["figures"]["distinct_l"]) == (0, 0)
    assert case["figures"]["t"] == {"raises": "ZeroDivisionError"}
    frame = frame_of(case)
    assert list(frame["q0"].cat.categories) == ["a", "b", "c"]
    assert (by_definition(frame)["k"], by_definition(frame)["distinct_l"]) == (2, 2)
    assert (ours(frame)["k"], ours(frame)["distinct_l"], ours(frame)["t"]) == (2, 2, 0)
    assert check(frame, ["q0"], ["sensitive"]).k == 2


def test_difference_a_beta_that_the_logarithm_forbids_is_infinite() -> None:
    """Enhanced β-likeness asks (p_E − p)/p ≤ min(β, −ln p). pyCANON answers min(β, −ln p) of the rarest value, under which it fails."""
    found = [(ours(frame_of(CASES[name])), CASES[name]["figures"]) for name in RANDOM]
    forbidden = [theirs for mine, theirs in found if math.isinf(mine["enhanced_beta"])]
    assert forbidden
    assert all(math.isfinite(theirs["enhanced_beta"]) for theirs in forbidden)


def test_difference_a_value_that_a_class_lacks_makes_delta_disclosure_infinite() -> None:
    """|ln 0|: the attacker learns that nobody in the class has it. pyCANON leaves such values out, as our `present` does."""
    found = [(ours(frame_of(CASES[name])), CASES[name]["figures"]) for name in RANDOM]
    lacking = [theirs for mine, theirs in found if math.isinf(mine["delta_disclosure"])]
    assert lacking
    assert all(math.isfinite(theirs["delta_disclosure"]) for theirs in lacking)

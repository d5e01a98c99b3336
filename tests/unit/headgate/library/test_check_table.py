"""`check` on any table, against figures counted by hand."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.core.scale import Scale
from headgate.library.check_table import check, check_classes

ROWS = st.lists(
    st.tuples(
        st.sampled_from([None, 20, 30]),
        st.sampled_from([None, "f", "m"]),
        st.sampled_from([None, 1.0, 2.0, 5.0, 9.0]),
        st.sampled_from([None, "flu", "cold"]),
    ),
    min_size=1,
    max_size=20,
)


def frame_of(rows: list[tuple[Any, ...]]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["age", "sex", "pay", "ill"], dtype=object)
    return frame.astype({"pay": float})


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_every_figure_is_the_one_counted_by_hand(rows: list[tuple[Any, ...]]) -> None:
    found = check(frame_of(rows), ["age", "sex"], ["pay", "ill"], epsilon=0.25, delta=0.5, interval=2).to_json()
    classes = [list(group) for _, group in itertools.groupby(sorted(rows, key=repr), key=lambda row: repr(row[:2]))]
    sizes = [len(one) for one in classes]
    known = [row[2] for row in rows if row[2] is not None]
    width = max(known) - min(known) if known else 0.0

    def far(a: Any, b: Any) -> float:
        pay = 0.0 if a[2] == b[2] else 1.0 if None in (a[2], b[2]) else abs(a[2] - b[2]) / width
        return pay / 2 + (a[3] != b[3]) / 2

    near = [[sum(far(a, b) <= 0.25 + 1e-9 for b in one) - 1 for a in one] for one in classes]
    risks = [1.0 if len(one) == 1 else max(counts) / (len(one) - 1) for one, counts in zip(classes, near, strict=True)]
    broken = [len(one) == 1 or max(counts) > (len(one) - 1) // 2 for one, counts in zip(classes, near, strict=True)]
    assert set(found) == {"rows", "groups", "k", "mean_group", "discernibility", "reidentification", "sensitive", "proximity"}
    assert (found["rows"], found["groups"], found["k"]) == (len(rows), len(classes), min(sizes))
    assert found["mean_group"] == len(rows) / len(classes)
    assert found["discernibility"] == sum(size**2 for size in sizes)
    assert found["reidentification"] == pytest.approx({"max": 1 / min(sizes), "mean": len(classes) / len(rows)})
    assert found["proximity"] == pytest.approx(
        {"epsilon": 0.25, "risk": max(risks), "delta": 0.5, "vulnerable_groups": sum(broken), "vulnerability": sum(broken) / len(classes)}
    )
    for place, name in ((2, "pay"), (3, "ill")):
        counts = [Counter(row[place] for row in one) for one in classes]
        figures = found["sensitive"][name]
        assert figures["distinct_l"] == min(map(len, counts))
        assert figures["frequency_l"] == pytest.approx(min(c.total() / max(c.values()) for c in counts))
        entropy = [-sum(n / c.total() * math.log(n / c.total()) for n in c.values()) for c in counts]
        assert figures["entropy_l"] == pytest.approx(math.exp(min(entropy)))
    assert set(found["sensitive"]["ill"]) == {"distinct_l", "frequency_l", "entropy_l", "closeness"}
    assert set(found["sensitive"]["pay"]) == {"distinct_l", "frequency_l", "entropy_l", "closeness", "delta_l", "epsilon_m"}
    assert set(found["sensitive"]["pay"]["delta_l"]) == {"interval", "definition", "window"}
    assert found["sensitive"]["pay"]["delta_l"]["interval"] == 2
    assert found["sensitive"]["pay"]["epsilon_m"]["epsilon"] == pytest.approx(0.25 * width)
    table = Counter(row[3] for row in rows)
    closeness = [sum(abs(sum(row[3] == v for row in one) / len(one) - n / len(rows)) for v, n in table.items()) / 2 for one in classes]
    assert found["sensitive"]["ill"]["closeness"] == pytest.approx(max(closeness))
    json.dumps(found, allow_nan=False)


def test_one_name_alone_is_a_list_of_one() -> None:
    frame = frame_of([(20, "f", 1.0, "flu"), (20, "m", 2.0, "cold")])
    assert check(frame, "age", "ill").to_json() == check(frame, ["age"], ["ill"]).to_json()


def test_a_figure_whose_option_was_not_given_is_absent() -> None:
    frame = frame_of([(20, "f", 1.0, "flu"), (20, "f", 2.0, "cold")])
    bare = check(frame, ["age"], ["pay", "ill"])
    assert set(bare.to_json()) == {"rows", "groups", "k", "mean_group", "discernibility", "reidentification", "sensitive"}
    assert set(bare.to_json()["sensitive"]["pay"]) == {"distinct_l", "frequency_l", "entropy_l", "closeness"}
    assert bare.proximity is None
    assert set(check(frame, ["age"], ["pay"], epsilon=0.1).to_json()["proximity"]) == {"epsilon", "risk"}
    assert set(check(frame, ["age"], ["pay"], interval=1).to_json()["sensitive"]["pay"]) - set(bare.to_json()["sensitive"]["pay"]) == {
        "delta_l"
    }
    assert bare.sensitive["pay"].distinct_l == 2
    assert bare.reidentification.max == 0.5


def test_regression_a_missing_quasi_identifier_is_a_value_of_its_own() -> None:
    """pyCANON left such rows out of every group, so it reported k = 3 for a table in which one person stands alone."""
    frame = pd.DataFrame({"age": [20, 20, 20, None], "ill": ["a", "b", "c", "d"]})
    assert check(frame, ["age"], ["ill"]).k == 1
    assert check(frame, ["age"], ["ill"]).groups == 2


def test_regression_index_labels_are_not_positions() -> None:
    """pyCANON took labels for positions: the same table with a permuted index changed l from 2 to 1."""
    frame = pd.DataFrame({"age": [20, 20, 30, 30], "ill": ["a", "b", "a", "b"]})
    for index in ([0, 2, 1, 3], [3, 2, 1, 0], [7, 7, 7, 7], list("dbca")):
        assert check(frame.set_axis(index), ["age"], ["ill"]).to_json() == check(frame, ["age"], ["ill"]).to_json()


@settings(max_examples=30, deadline=None)
@given(ROWS, st.integers(0, 1000))
def test_figures_do_not_depend_on_the_order_of_rows_or_columns_or_on_the_index(rows: list[tuple[Any, ...]], seed: int) -> None:
    frame = frame_of(rows)
    wanted = flat(check(frame, ["age", "sex"], ["pay", "ill"], epsilon=0.1, delta=0.3, interval=1).to_json())
    rng = np.random.default_rng(seed)
    mixed = frame.iloc[rng.permutation(len(frame))][["ill", "pay", "sex", "age"]]
    mixed.index = pd.Index(rng.integers(0, 3, len(frame)))
    assert flat(check(mixed, ["sex", "age"], ["pay", "ill"], epsilon=0.1, delta=0.3, interval=1).to_json()) == pytest.approx(wanted)


def flat(found: dict[str, Any], prefix: str = "") -> dict[str, float]:
    out: dict[str, float] = {}
    for key, value in found.items():
        out |= flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return out


@settings(max_examples=30, deadline=None)
@given(ROWS)
def test_a_table_with_every_row_twice_is_as_diverse_and_as_close_and_twice_as_anonymous(rows: list[tuple[Any, ...]]) -> None:
    once, twice = (check(frame_of(rows * times), ["age"], ["ill", "pay"], interval=1) for times in (1, 2))
    assert twice.k == 2 * once.k
    for name in ("ill", "pay"):
        one, other = once.sensitive[name], twice.sensitive[name]
        assert (one.distinct_l, one.frequency_l, one.entropy_l) == pytest.approx((other.distinct_l, other.frequency_l, other.entropy_l))
        assert one.closeness == pytest.approx(other.closeness, abs=1e-12)
    pay, again = once.sensitive["pay"].delta_l, twice.sensitive["pay"].delta_l
    assert pay is not None
    assert again is not None
    assert (pay.definition, pay.window) == pytest.approx((again.definition, again.window))


@pytest.mark.parametrize("dtype", ["int64", "float64", "Int64", "int64[pyarrow]", "double[pyarrow]"])
def test_figures_do_not_depend_on_how_numbers_are_stored(dtype: str) -> None:
    frame = pd.DataFrame({"age": [20, 20, 30, 30, 30], "pay": [1, 4, 2, 2, 9]})
    wanted = check(frame, ["age"], ["pay"], epsilon=0.1, interval=1).to_json()
    assert check(frame.astype({"age": dtype, "pay": dtype}), ["age"], ["pay"], epsilon=0.1, interval=1).to_json() == wanted


def test_text_flags_and_categoricals_are_categories() -> None:
    frame = pd.DataFrame(
        {"age": [20, 20, 30, 30], "flag": [True, False, True, True], "ill": pd.Categorical(list("abab"), categories=list("zba"))}
    )
    found = check(frame, ["age"], ["flag", "ill"], epsilon=0, interval=1).to_json()["sensitive"]
    assert set(found["flag"]) == set(found["ill"]) == {"distinct_l", "frequency_l", "entropy_l", "closeness"}
    assert (found["flag"]["distinct_l"], found["ill"]["distinct_l"]) == (1, 2)


def test_a_group_column_of_a_published_table_is_measured_beside_the_published_values() -> None:
    """Two groups came out alike, and together they hold three equal values of four: the worse reading counts."""
    frame = pd.DataFrame({"age": ["[20..29]"] * 4 + ["[30..39]"] * 2, "ill": list("abaaab"), "group": [1, 1, 2, 2, 3, 3]})
    found = check(frame, ["age"], ["ill"], group="group", epsilon=0)
    assert (found.groups, found.k, found.mean_group) == (3, 2, 2.0)
    assert found.sensitive["ill"].distinct_l == 1
    pairs = pd.DataFrame({"age": ["[20..29]"] * 4, "ill": list("abab"), "group": [1, 1, 2, 2]})
    assert check(pairs, ["age"], ["ill"], group="group", epsilon=0).proximity.risk == pytest.approx(1 / 3)
    raw = pd.DataFrame({"age": [20, 21, 30, 31], "ill": list("abab"), "group": [1, 1, 2, 2]})
    assert check(raw, ["age"], ["ill"], group="group", epsilon=0).k == 2


def test_kinds_and_hierarchies_can_be_given() -> None:
    frame = pd.DataFrame(
        {"age": [20] * 2 + [30] * 2, "code": [1, 2, 1, 2], "size": pd.Categorical(list("smsl"), list("sml"), ordered=True)}
    )
    found = check(frame, ["age"], ["code", "size"], kinds={"code": "category", "size": "ordinal"}, interval=1).to_json()["sensitive"]
    assert "delta_l" not in found["code"]
    assert found["size"]["closeness"] == pytest.approx((0 + 0.25) / 2)
    tree = [["1", "a", "*"], ["2", "a", "*"]]
    for rows in (tree, pd.DataFrame(tree)):
        close = check(frame, ["age"], ["code"], epsilon=0.5, kinds={"code": "category"}, hierarchies={"code": rows})
        assert close.proximity is not None
        assert close.proximity.risk == 1
    with pytest.raises(InputRejected, match="unknown"):
        check(frame, ["age"], ["code"], kinds={"code": "whatever"})
    with pytest.raises(InputRejected, match="levels"):
        check(frame, ["age"], ["code"], kinds={"code": "ordinal"})


@pytest.mark.parametrize(
    ("quasi", "sensitive", "more", "reason"),
    [
        (["agee"], ["ill"], {}, "'agee' is not in the table. Did you mean 'age'"),
        (["age"], ["ill", "age"], {}, "named twice"),
        (["age", "age"], ["ill"], {}, "named twice"),
        ([], ["ill"], {}, "No quasi-identifier was named"),
        (["twin"], ["ill"], {}, "2 columns named 'twin'"),
        (["age"], ["ill"], {"group": "nothing"}, "'nothing' is not in the table"),
        (["age"], ["ill"], {"delta": 0.5}, "without ε"),
        (["age"], ["ill"], {"epsilon": "much"}, "not a number"),
        (["age"], ["pay"], {"interval": -1}, "not a finite number"),
        (["age"], [], {"epsilon": 0.1}, "No sensitive attribute was named"),
    ],
)
def test_a_question_that_cannot_be_meant_is_refused(quasi: list[str], sensitive: list[str], more: dict[str, Any], reason: str) -> None:
    frame = pd.DataFrame([[20, "a", 1.0, 1, 2]], columns=["age", "ill", "pay", "twin", "twin"])
    with pytest.raises(InputRejected, match=reason):
        check(frame, quasi, sensitive, **more)


def test_an_empty_table_and_a_row_without_a_group_are_refused() -> None:
    frame = pd.DataFrame({"age": [1, 2], "ill": ["a", "b"], "g": [1, None]})
    with pytest.raises(InputRejected, match="no rows"):
        check(frame.iloc[:0], ["age"], ["ill"])
    with pytest.raises(InputRejected, match="1 rows have no group"):
        check(frame, ["age"], ["ill"], group="g")


def test_a_sensitive_column_with_nothing_in_it_has_figures() -> None:
    frame = pd.DataFrame({"age": [1, 1], "ill": [None, None], "pay": [np.nan, np.nan]})
    found = check(frame, ["age"], ["ill", "pay"], epsilon=0.1, delta=0.5, interval=1)
    assert (found.sensitive["ill"].distinct_l, found.sensitive["pay"].closeness) == (1, 0)
    assert found.proximity is not None
    assert found.proximity.risk == 1


def test_a_missing_quasi_identifier_is_one_value_also_where_arrow_tells_nan_from_null() -> None:
    age = pd.Series(pd.arrays.ArrowExtensionArray(pa.array([1.0, float("nan"), None, 1.0])))
    assert check(pd.DataFrame({"age": age, "ill": list("abab")}), ["age"], ["ill"]).k == 2


def test_regression_large_numbers_that_differ_are_not_taken_for_equal() -> None:
    """As floats 2^60 and 2^60 + 1 are one: the closeness of two groups of one value each was 0."""
    frame = pd.DataFrame({"age": [1, 1, 2, 2], "pay": [2**60, 2**60, 2**60 + 1, 2**60 + 1]})
    with pytest.raises(InputRejected, match="beyond 2\\^53"):
        check(frame, ["age"], ["pay"])
    assert check(frame, ["age"], ["pay"], kinds={"pay": "category"}).sensitive["pay"].closeness == 0.5


def test_decimals_at_a_threshold_are_neighbours_in_narrow_floats_too() -> None:
    frame = pd.DataFrame({"age": [1, 1, 1, 1], "share": np.array([0.7, 0.8, 0, 1], dtype=np.float32)})
    found = check(frame, ["age"], ["share"], epsilon="0.1").proximity
    assert found is not None
    assert found.risk == pytest.approx(1 / 3)


def test_a_required_distinct_l_is_capped_at_the_values_of_the_table_and_says_so() -> None:
    frame = pd.DataFrame({"age": [1, 1, 2, 2], "flag": [0, 1, 0, 1], "ill": list("abcc")})
    found = check(frame, ["age"], ["flag", "ill"], require={"distinct_l": 3})
    flag, ill = found.line("distinct_l", "flag"), found.line("distinct_l", "ill")
    assert flag is not None
    assert ill is not None
    assert (flag.required, flag.short.met if flag.short else None) == ("≥ 2 (capped from 3)", True)
    assert (ill.required, ill.short.groups.tolist() if ill.short else None) == ("≥ 3", [0, 1])


def test_columns_without_names_are_refused_with_the_cure() -> None:
    frame = pd.DataFrame([[1, "a"], [1, "b"]])
    for names in ([0, 1], ["0", "1"]):
        with pytest.raises(InputRejected, match="Rename the columns"):
            check(frame, names[:1], names[1:])  # type: ignore[arg-type]


def test_a_quasi_identifier_of_lists_is_refused() -> None:
    with pytest.raises(InputRejected, match="'age' has cells that are lists"):
        check(pd.DataFrame({"age": [[1], [2]], "ill": ["a", "b"]}), ["age"], ["ill"])


def test_an_attribute_on_the_log_scale_is_checked_by_ratios() -> None:
    """Of a released table, as its manifest says: 0.1 of 1 to 10,000 is a ratio of 10 ** 0.4. By difference nearly all would be alike."""
    values, groups = [10, 20, 30, 500, 1000, 2000, 9000, 9000], [0, 0, 0, 0, 1, 1, 1, 1]
    pay = encode_column(pd.Series(values), ColumnSpec("pay", Kind.INTEGER, Role.SENSITIVE, domain=(1, 10_000), scale=Scale.LOG))
    found = check_classes([pay], [np.array(groups)], {}, epsilon="0.1", delta="0.5")
    shares = [
        sum(max(a, b) <= 10**0.4 * min(a, b) for b, other in zip(values, groups, strict=True) if other == own) - 1
        for a, own in zip(values, groups, strict=True)
    ]
    (risk,) = (line.measured.figure.value for line in found.lines if line.measured.key == "risk")
    assert risk == max(shares) / 3
    by_difference = check(pd.DataFrame({"group": groups, "pay": values}), [], ["pay"], "0.1", "0.5", group="group")
    assert by_difference.proximity is not None
    assert by_difference.proximity.risk == 1


def test_numbers_are_compared_by_their_ratio_where_that_is_asked() -> None:
    """ε is a share of the domain: 1 to 10 to 100 to 1000 are three equal steps on the log scale, and two of them next to nothing."""
    frame = pd.DataFrame({"age": [1, 1, 1, 1], "pay": [1, 10, 100, 1000]})
    linear, log = (check(frame, ["age"], ["pay"], epsilon=0.1, scales=scales) for scales in (None, {"pay": "log"}))
    assert linear.proximity is not None
    assert log.proximity is not None
    assert (linear.proximity.risk, log.proximity.risk) == (2 / 3, 0.0)
    for scales, said in (({"pay": "cubic"}, "The scale of 'pay' is unknown"), ({"pay": "log"}, "has no ratios")):
        texts = frame.assign(pay=list("abcd")) if said.startswith("has") else frame
        with pytest.raises(InputRejected, match=said):
            check(texts, ["age"], ["pay"], scales=scales)

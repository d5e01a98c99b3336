from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import headgate as hg
from headgate.core.errors import InputRejected, RequirementNotMet
from headgate.methods.mondrian.mondrian_partition import mondrian_partition


@pytest.fixture
def frame():
    draw = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "age": draw.integers(18, 90, 500),
            "sex": draw.choice(["f", "m"], 500),
            "illness": draw.choice([f"v{i}" for i in range(9)], 500),
            "pay": draw.integers(0, 1000, 500),
            "diagnosis": draw.choice(["flu", "flu|gout", "gout", "cold"], 500),
        },
        index=draw.permutation(500),
    )


def test_xcolor_returns_groups_and_releases_what_can_be_measured_again(frame):
    found = hg.xcolor(frame, quasi=["age", "sex"], sensitive=["illness", "pay"], k=10, epsilon=0.1, delta=0.6, seed=3)
    assert found.reached
    assert found.groups.shape == (500,)
    assert np.bincount(found.groups).min() >= 10
    assert found.suppressed == 0
    assert found.certificate is None
    assert found.risk <= 0.4 + 1e-9
    released = found.release(frame)
    assert sorted(released.columns) == ["age", "group", "illness", "pay", "sex"]
    measured = hg.check(released, quasi=["age", "sex"], sensitive=["illness", "pay"], group="group", epsilon=0.1, delta=0.6)
    assert measured.k >= 10
    assert measured.proximity.risk == pytest.approx(found.risk)
    assert measured.proximity.vulnerable_groups == 0
    assert sorted(released["pay"]) == sorted(frame["pay"])


@pytest.mark.parametrize("variant", ["blocks", "faithful"])
def test_index_labels_and_arrow_columns_change_nothing(frame, variant):
    options = {"quasi": ["age", "sex"], "sensitive": ["illness"], "k": 5, "epsilon": 0, "delta": 0.5, "variant": variant}
    plain = hg.xcolor(frame, **options)
    assert hg.xcolor(frame.reset_index(drop=True), **options).groups.tolist() == plain.groups.tolist()
    assert hg.xcolor(frame.convert_dtypes(dtype_backend="pyarrow"), **options).groups.tolist() == plain.groups.tolist()


def test_what_is_not_reached_cannot_be_released(frame):
    crowded = frame.assign(illness=np.where(np.arange(500) < 300, "same", frame["illness"]))
    found = hg.xcolor(crowded, quasi=["age", "sex"], sensitive=["illness"], k=10, epsilon=0, delta=0.6)
    assert not found.reached
    assert found.certificate is not None
    assert found.certificate.values == ("same",)
    with pytest.raises(RequirementNotMet):
        found.release(crowded)
    relaxed = hg.xcolor(crowded, quasi=["age", "sex"], sensitive=["illness"], k=10, epsilon=0, delta=0.6, infeasible={"relax": 0.1})
    assert relaxed.reached
    assert relaxed.delta_reached == pytest.approx(1 - relaxed.risk)
    smaller = hg.xcolor(crowded, quasi=["age", "sex"], sensitive=["illness"], k=10, epsilon=0, delta=0.6, infeasible={"suppress": 0.5})
    assert smaller.reached
    assert len(smaller.release(crowded)) == 500 - smaller.suppressed


def test_only_the_frame_that_was_partitioned_is_released(frame):
    found = hg.xcolor(frame, quasi=["age"], sensitive=["illness"], k=5, epsilon=0, delta=0.3)
    with pytest.raises(InputRejected, match="rows in the same order"):
        found.release(frame.iloc[::-1])
    with pytest.raises(InputRejected, match="same columns"):
        found.release(frame.drop(columns="age"))


def test_distances_can_be_weighted_or_a_function(frame):
    weighted = hg.xcolor(
        frame, ["age"], ["illness", "pay"], k=5, epsilon=0.1, delta=0.4, distance=hg.Distance(weights={"illness": 3, "pay": 1})
    )
    assert weighted.reached
    own = hg.xcolor(frame, ["age"], ["illness"], k=5, epsilon=0, delta=0.4, distance=lambda a, b: 0.0 if a[0] == b[0] and a == b else 1.0)
    assert own.risk == hg.xcolor(frame, ["age"], ["illness"], k=5, epsilon=0, delta=0.4).risk
    with pytest.raises(InputRejected, match="not symmetric"):
        hg.xcolor(frame, ["age"], ["illness"], k=5, epsilon=0, delta=0.4, distance=lambda a, b: float(a < b))


def test_mondrian_gives_the_same_kind_of_result(frame):
    plain = hg.mondrian(frame, quasi=["age", "sex"], k=10)
    assert plain.reached
    assert plain.risk is None
    assert np.bincount(plain.groups).min() >= 10
    conditioned = hg.mondrian(frame, quasi=["age", "sex"], k=10, sensitive=["illness"], epsilon=0, delta=0.6, frequency=3)
    assert conditioned.reached
    assert conditioned.risk <= 0.4 + 1e-9
    assert conditioned.loss >= plain.loss


def test_codip_projects_and_says_what_it_loses(frame):
    linked = frame.assign(treatment=frame["illness"])
    found = hg.codip(linked, sensitive=["illness", "pay", "treatment"], association_loss=0.9, join_threat=0.5)
    assert ("illness", "treatment") in found.tables
    assert found.association_loss <= 0.9
    assert found.information_exposure <= 0.5
    assert len(found.steps) >= 2
    asked = []
    hg.codip(linked, ["illness", "pay"], 1, 1, nonsensitive={"illness": ["v1"]}, check=lambda names: asked.append(names) is None)
    assert ("illness", "pay") in asked


@pytest.mark.parametrize(
    "wrong",
    [
        {"quasi": ["aeg"]},
        {"sensitive": ["age"]},
        {"sensitive": []},
        {"k": 0},
        {"k": 501},
        {"epsilon": -1},
        {"delta": 2},
        {"variant": "mondrian"},
        {"infeasible": "ignore"},
        {"kinds": {"illness": "text"}},
        {"nonsensitive": {"nobody": ["x"]}},
        {"distance": 3},
        # These went through, as if nothing had been asked, or ended in an error of numpy's.
        {"distance": hg.Distance(weights={"ilness": 2})},
        {"distance": hg.Distance(p=float("nan"))},
        {"distance": hg.Distance(p=float("inf"))},
        {"distance": hg.Distance(combine="max")},
        {"k": 2.5},
        {"k": True},
    ],
)
def test_arguments_that_make_no_sense_are_refused_with_a_cure(frame, wrong):
    right = {"quasi": ["age"], "sensitive": ["illness"], "k": 5, "epsilon": 0, "delta": 0.5}
    with pytest.raises(InputRejected) as refusal:
        hg.xcolor(frame, **{**right, **wrong})
    assert refusal.value.cure


def test_a_misspelt_column_gets_its_nearest_name(frame):
    with pytest.raises(InputRejected, match="Did you mean 'age'"):
        hg.xcolor(frame, ["aeg"], ["illness"])


def test_non_sensitive_numbers_and_days_are_those_of_the_frame():
    """They were compared as Python writes them: 2.0 is '2.0' and a day '2024-01-05', while codes are called 2 and 19727. So nothing was
    ever taken for harmless, and a promise that could be kept was refused."""
    wanted = [False, True, True, True]
    for kind, values, harmless in (
        ("number", [2.0, 3.5, 4.0], [2.0, None]),
        ("integer", [2, 3, 4], ["2.0", None]),
        ("date", ["2024-01-05", "2024-01-06", "2024-01-07"], [pd.Timestamp("2024-01-05"), float("nan")]),
    ):
        found = hg.xcolor(
            pd.DataFrame({"age": range(6), "x": values * 2}),
            ["age"],
            ["x"],
            k=2,
            epsilon=0,
            delta=0,
            kinds={"x": kind},
            nonsensitive={"x": harmless},
        )
        assert found.table["x"].sensitive.tolist() == [*wanted[:3], False]


def test_a_row_with_nothing_sensitive_is_no_group_by_itself():
    """With k = 1 such rows were left alone and the promise reported as reached; its definition wants |G| > 1 unless δ = 0."""
    frame = pd.DataFrame({"age": range(12), "x": ["none"] * 6 + list("abcdef")})
    for delta, alone in ((0.5, False), (0, True)):
        found = hg.xcolor(frame, ["age"], ["x"], k=1, epsilon=0, delta=delta, nonsensitive={"x": ["none"]})
        assert (np.bincount(found.groups).min() == 1) == alone


def test_what_is_known_of_a_frame_before_any_work():
    """1000 rows, k = 10, δ = 0.6: a value of 150 rows is guaranteed by Lemma 2, one of 900 refuted, one of 400 open."""
    for rows, outlook in ((150, "guaranteed"), (400, "open"), (900, "refuted")):
        frame = pd.DataFrame({"age": range(1000), "illness": ["flu"] * rows + [f"v{i}" for i in range(1000 - rows)]})
        assert hg.feasibility(frame, ["age"], ["illness"], 10, 0, "0.6").outlook == outlook


def test_the_room_of_the_method_does_not_hide_the_function_of_its_name():
    import headgate.methods.mondrian.mondrian_partition

    frame = pd.DataFrame({"age": range(40)})
    assert headgate.methods.mondrian.mondrian_partition.mondrian_partition is mondrian_partition
    assert headgate.mondrian(frame, quasi=["age"], k=10).reached


HIERARCHIES = {"age": [(str(n), f"about {n // 10 * 10}", "*") for n in range(80)]}


@pytest.mark.parametrize(
    "grouped",
    [
        lambda frame: hg.xcolor(frame, ["age"], ["illness"], k=4, epsilon=0, delta=0, household="home").groups,
        lambda frame: hg.mondrian(frame, ["age"], k=4, sensitive=["illness"], household="home").groups,
        lambda frame: hg.full_domain(frame, HIERARCHIES, k=4, household="home").groups,
    ],
)
def test_k_counts_households_where_a_column_says_who_lives_together(grouped):
    random = np.random.default_rng(2)
    homes = np.repeat(np.arange(30), 3)
    ages = random.integers(0, 80, 30)[homes].astype(str)  # families of one age: by rows alone, two of them would be a group
    frame = pd.DataFrame({"age": ages, "illness": random.choice(["flu", "gout", "none"], 90), "home": [f"h{home}" for home in homes]})
    groups = pd.Series(grouped(frame))
    assert frame["home"].groupby(groups).nunique().min() >= 4


def test_a_household_is_a_column_of_its_own():
    frame = pd.DataFrame({"age": [1, 2, 3, 4], "illness": ["flu", "gout", "flu", "none"]})
    for name in ("age", "nowhere"):
        with pytest.raises(InputRejected, match="cannot say who lives together"):
            hg.mondrian(frame, ["age"], k=2, sensitive=["illness"], household=name)

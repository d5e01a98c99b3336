"""Homogeneity, proximity and background join against pure Python, and planted cases."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.attacks.background_join import background_join, join_across
from headgate.attacks.homogeneity import homogeneity
from headgate.attacks.proximity import proximity
from headgate.attacks.success import success, wilson
from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.core.published import from_frame, publish_form, to_frame
from tests.unit.headgate.attacks.planted import drawn, majority, small

seeds = st.integers(0, 10**6)


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_homogeneity_is_right_as_often_as_the_majority_of_the_rows_that_fit(seed: int) -> None:
    case = drawn(seed, 1)
    illnesses = [row[2] for row in case.rows]
    overall = Counter(illnesses)
    guesses = [majority([illnesses[i] for i in case.fits(0, person)], overall) for person in range(len(illnesses))]
    certain = sum(len({illnesses[i] for i in case.fits(0, person)}) == 1 for person in range(len(illnesses)))
    found = homogeneity(case.published[0], case.table.columns, "illness")
    assert found.success.people == len(illnesses)
    assert found.success.right == sum(a == b for a, b in zip(guesses, illnesses, strict=True))
    assert found.success.right_overall == overall[majority(illnesses, overall)]
    assert found.certain == certain


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from([0, 1, 2, 5]))
def test_proximity_is_right_as_often_as_the_densest_centre_of_the_rows_that_fit(seed: int, reach: int) -> None:
    case = drawn(seed, 1)
    pay = [int(value) for value in np.random.default_rng(seed).integers(0, 20, len(case.rows))]
    frame = pd.DataFrame({"age": [row[0] for row in case.rows], "sex": [row[1] for row in case.rows], "pay": pay})
    specs = [
        ColumnSpec("age", Kind.INTEGER, Role.QUASI, domain=(0, 120)),
        ColumnSpec("sex", Kind.CATEGORY, Role.QUASI),
        ColumnSpec("pay", Kind.NUMBER, Role.SENSITIVE, domain=(0, 20)),
    ]
    table = encode_table(frame, {spec.name: spec for spec in specs})
    published = publish_form(table, np.array(case.groups[0]), "t", ["pay"])

    def around(centre: int, among: list[int]) -> int:
        return sum(abs(value - centre) <= reach for value in among)

    def densest(among: list[int]) -> int:
        return min(set(among), key=lambda value: (-around(value, among), -around(value, pay), value))

    right = sum(abs(densest([pay[i] for i in case.fits(0, person)]) - pay[person]) <= reach for person in range(len(pay)))
    found = proximity(published, table.columns, "pay", f"{reach / 20}")
    assert found.success.right == right
    assert found.success.right_overall == around(densest(pay), pay)


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_a_background_join_is_right_as_often_as_the_majority_of_rows_with_the_known_value(seed: int) -> None:
    case = drawn(seed, 1)
    jobs = Counter(row[3] for row in case.rows)
    right = certain = 0
    for person, row in enumerate(case.rows):
        left = [case.rows[i][3] for i in case.fits(0, person) if case.rows[i][2] == row[2]]
        right += majority(left, jobs) == row[3]
        certain += len(set(left)) == 1
    found = background_join(case.published[0], case.table.columns, "illness", "job")
    assert found.success.right == right
    assert found.certain == certain
    assert found.mistaken == 0  # who was released is among the rows that fit
    assert found.certain_alone == homogeneity(case.published[0], case.table.columns, "job").certain
    assert found.right_alone == homogeneity(case.published[0], case.table.columns, "job").success.right


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_information_of_a_join_is_that_of_its_definition(seed: int) -> None:
    case = drawn(seed, 1)

    def given_h(target: list[str | None], condition: list[object]) -> float:
        joint, alone, n = Counter(zip(target, condition, strict=True)), Counter(condition), len(target)
        return -sum(count / n * math.log(count / alone[key[1]]) for key, count in joint.items())

    known, unknown = [row[2] for row in case.rows], [row[3] for row in case.rows]
    cells = list(zip(*(column.codes.tolist() for column in case.published[0].cells.values()), strict=True))
    gains, informations = [], []
    for reading in (case.groups[0], cells):
        both = list(zip(known, reading, strict=True))
        gains.append(given_h(unknown, list(reading)) - given_h(unknown, list(both)))
        informations.append(given_h(unknown, list(known)) - given_h(unknown, list(both)))
    found = background_join(case.published[0], case.table.columns, "illness", "job")
    assert found.gain == pytest.approx(max(gains), abs=1e-12)
    assert found.information == pytest.approx(max(informations), abs=1e-12)
    assert found.exposable == pytest.approx(given_h(unknown, list(known)), abs=1e-12)
    assert found.information <= found.exposable + 1e-12


def test_proximity_follows_a_hierarchy_where_there_is_one() -> None:
    """Two of three rows are siblings (0.5 apart), so their node is the largest neighbourhood; alone each value is as frequent."""
    tree = Hierarchy.from_rows([["a1", "a", "*"], ["a2", "a", "*"], ["b1", "b", "*"]], "illness")
    specs = {
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI, domain=(0, 120)),
        "illness": ColumnSpec("illness", Kind.CATEGORY, Role.SENSITIVE, hierarchy=tree),
    }
    table = encode_table(pd.DataFrame({"age": [20, 21, 22], "illness": ["a1", "a2", "b1"]}), specs)
    published = publish_form(table, np.zeros(3, dtype=np.int32), "t", ["illness"])
    assert proximity(published, table.columns, "illness", "0.5").success.right == 2
    assert proximity(published, table.columns, "illness", "0.5").belief == pytest.approx(2 / 3)
    assert proximity(published, table.columns, "illness", "0.4").success.right == 1
    assert proximity(published, table.columns, "illness", 1).success.right == 3


def test_homogeneous_groups_give_the_attacker_everybody() -> None:
    case = small([(20, "f", "a", "x"), (21, "f", "a", "y"), (40, "m", "b", "x"), (41, "m", "b", "y")], [0, 0, 1, 1])
    found = homogeneity(case.published[0], case.table.columns, "illness")
    assert found.success.share == 1
    assert found.success.share_overall == 0.5
    assert found.certain == 4
    assert homogeneity(case.published[0], case.table.columns, "job").certain == 0


def test_a_file_read_again_is_attacked_as_the_table_was() -> None:
    case = drawn(7, 1)
    specs = {name: ColumnSpec(name, Kind.CATEGORY, Role.SENSITIVE) for name in ("illness", "job")}
    again = from_frame(to_frame(case.published[0], 3), "t", ["age", "sex"], specs)
    for name in ("illness", "job"):
        assert homogeneity(again, case.table.columns, name) == homogeneity(case.published[0], case.table.columns, name)


def test_tables_side_by_side_tell_nothing_once_shuffled_and_everything_before() -> None:
    """Two tables of the same people: jobs follow illnesses, groups hold every illness equally often."""
    n = 1200
    rng = np.random.default_rng(5)
    rows = [(20 + i // 300, "f", str(value), f"j{value}") for i, value in enumerate(rng.integers(0, 6, n))]
    case = small(rows, [i // 300 for i in range(n)])
    specs = [ColumnSpec(name, Kind.CATEGORY, Role.SENSITIVE) for name in ("illness", "job")]
    one = publish_form(case.table, np.array(case.groups[0]), "one", ["illness"])
    other = publish_form(case.table, np.array(case.groups[0]), "other", ["job"])
    before = join_across(one, other, case.table.columns, "illness", "job")
    assert before.success.share == 1
    shuffled = from_frame(to_frame(other, 11), "other", ["age", "sex"], {"job": specs[1]})
    mixed = from_frame(to_frame(one, 12), "one", ["age", "sex"], {"illness": specs[0]})
    after = join_across(mixed, shuffled, case.table.columns, "illness", "job")
    assert abs(after.advantage) < 0.05
    assert before.certain == n


def test_what_rows_of_different_people_seem_to_prove_is_told_apart_from_what_is_known() -> None:
    """Groups of six, all illnesses in each, a job for each illness. Side by side in another order every join is certain and wrong."""
    rows = [(20 + i // 6, "f", str(i % 6), f"j{i % 6}") for i in range(60)]
    case = small(rows, [i // 6 for i in range(60)])
    one = publish_form(case.table, np.array(case.groups[0]), "one", ["illness"])
    turned = case.table.take(np.array([i // 6 * 6 + (i + 1) % 6 for i in range(60)]))
    two = publish_form(turned, np.array(case.groups[0]), "other", ["job"])
    found = join_across(one, two, case.table.columns, "illness", "job")
    assert (found.success.right, found.certain, found.mistaken) == (0, 0, 60)


def test_the_interval_is_wilsons() -> None:
    """Golden: Wilson's interval for 8 of 10 is 0.4902 to 0.9433 (Newcombe, Stat. Med. 17, 1998, method 3)."""
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=5e-5)
    assert wilson(0, 10)[0] == 0
    assert wilson(10, 10)[1] == 1
    with pytest.raises(InputRejected, match="nobody to attack"):
        success("a", "b", 0, 0, 0)


def test_a_gain_is_shown_only_where_chance_does_not_explain_it() -> None:
    """The 95 % intervals of 26 and 12 of 100 overlap (0.184 to 0.354, 0.070 to 0.198); those of 30 and 12 do not (0.219 to 0.396)."""
    assert not success("a", "b", 100, 26, 12).harm_shown
    assert success("a", "b", 100, 30, 12).harm_shown
    assert not replace(success("a", "b", 100, 90, 12), sensitive=13, sensitive_overall=12).harm_shown
    assert replace(success("a", "b", 100, 90, 12), sensitive=30, sensitive_overall=12).harm_shown


def test_sentences_hold_shares_and_no_values() -> None:
    case = small([(20, "f", "flu", "smith"), (21, "f", "flu", "baker"), (40, "m", "pox", "smith")], [0, 0, 0])
    text = homogeneity(case.published[0], case.table.columns, "illness").sentence()
    text += background_join(case.published[0], case.table.columns, "illness", "job").sentence()
    assert "66.7 %" in text
    assert not any(value in text for value in ("flu", "pox", "smith", "baker"))


def test_an_attribute_of_another_table_cannot_be_guessed() -> None:
    case = drawn(1, 1)
    with pytest.raises(InputRejected, match="not sensitive"):
        homogeneity(case.published[0], case.table.columns, "age")
    with pytest.raises(InputRejected, match="unknown one"):
        background_join(case.published[0], case.table.columns, "job", "job")
    with pytest.raises(InputRejected, match="no column 'sex'"):
        homogeneity(case.published[0], {name: case.table[name] for name in ("age", "illness")}, "illness")

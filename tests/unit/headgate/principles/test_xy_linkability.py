"""(X, Y)-linkability: brute force over the join that an attacker would form, tuple by tuple."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_column, encode_table
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import publish_form
from headgate.counting.class_counts import count
from headgate.principles.linkability import linkability
from headgate.principles.xy_linkability import Projected, xy_linkability, xy_linkability_bound

CELLS = st.sampled_from(["a", "b", "none", None])
PEOPLE = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), CELLS, CELLS, CELLS), min_size=1, max_size=8)


def table(numbers: list[int], **columns: list[Any]) -> Projected:
    reading = np.unique(numbers, return_inverse=True)[1].astype(np.int32)
    specs = {name: ColumnSpec(name, Kind.CATEGORY, Role.SENSITIVE, nonsensitive=frozenset({"none"})) for name in columns}
    return Projected([reading], {name: encode_column(pd.Series(cells, dtype=object), specs[name]) for name, cells in columns.items()})


def two_tables(people: list[tuple[Any, ...]]) -> list[Projected]:
    first, second, u, v, w = ([one[i] for one in people] for i in range(5))
    return [table(first, u=u, v=v), table(second, w=w)]


@pytest.mark.parametrize("names", [["u"], ["w"], ["u", "v"], ["u", "w"], ["u", "v", "w"]])
@settings(max_examples=40, deadline=None)
@given(people=PEOPLE)
def test_the_certainty_is_that_of_the_attackers_join(names: list[str], people: list[tuple[Any, ...]]) -> None:
    """For each person every row of the class in the one table meets every row of the class in the other."""
    places = {"u": (0, 2), "v": (0, 3), "w": (1, 4)}
    used = sorted({places[name][0] for name in names})
    certainty: dict[tuple[int, ...], float] = {}
    everything = 0.0
    for person in people:
        x = tuple(person[i] for i in used)
        classes = [[one for one in people if one[i] == person[i]] for i in used]
        joined = Counter(tuple(rows[used.index(places[name][0])][places[name][1]] for name in names) for rows in product(*classes))
        total = sum(joined.values())
        certainty[x] = max((n / total for y, n in joined.items() if set(y) - {"none"}), default=0.0)
        everything = max(everything, max(joined.values()) / total)
    found = xy_linkability(two_tables(people), names)
    assert found.certainty.per_group.tolist() == pytest.approx([certainty[x] for x in sorted(certainty)])
    assert found.certainty.sizes[0].tolist() == [sum(tuple(one[i] for i in used) == x for one in people) for x in sorted(certainty)]
    assert found.certainty_all.value == pytest.approx(everything)
    bound = xy_linkability_bound(two_tables(people), names)
    assert found.certainty.value <= bound.certainty + 1e-12
    assert found.certainty_all.value <= bound.certainty_all + 1e-12


@settings(max_examples=40, deadline=None)
@given(PEOPLE)
def test_a_join_never_tells_more_than_the_tables_alone(people: list[tuple[Any, ...]]) -> None:
    """codip, Theorem 2."""
    tables = two_tables(people)
    alone = {name: linkability(count(one.sensitive[name], one.classes)).linkability for one in tables for name in one.sensitive}
    for name in alone:
        assert xy_linkability(tables, [name]).certainty.value == pytest.approx(alone[name])
        assert xy_linkability_bound(tables, [name]).certainty == pytest.approx(alone[name])
    for names in (["u", "w"], ["u", "v", "w"]):
        assert xy_linkability_bound(tables, names).certainty <= max(alone[name] for name in names) + 1e-12


@settings(max_examples=25, deadline=None)
@given(PEOPLE, st.integers(0, 100))
def test_row_order_and_repeated_people_do_not_matter(people: list[tuple[Any, ...]], seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(people))
    twice = [people[i] for i in order] * 2
    names = ["u", "v", "w"]
    one, other = xy_linkability(two_tables(people), names), xy_linkability(two_tables(twice), names)
    assert one.certainty.per_group.tolist() == pytest.approx(other.certainty.per_group.tolist())


def test_shares_multiply_over_two_tables_and_the_bound_takes_the_worst_class_of_each() -> None:
    """Illness a is 2 of 3 and 1 of 1 in its classes, job b 1 of 2 in both of its: 2/3·1/2 and 1·1/2; the worst classes never meet."""
    tables = [table([0, 0, 0, 1], illness=["a", "a", "b", "a"]), table([0, 0, 1, 1], job=["a", "b", "a", "a"])]
    found = xy_linkability(tables, ["illness", "job"])
    assert found.certainty.per_group.tolist() == pytest.approx([1 / 3, 2 / 3, 1])
    apart = [table([0, 0, 1, 1], illness=["a", "a", "a", "b"]), table([0, 0, 1, 1], job=["a", "b", "a", "a"])]
    assert xy_linkability(apart, ["illness", "job"]).certainty.value == 0.5
    assert xy_linkability_bound(apart, ["illness", "job"]).certainty == 1
    short = found.certainty.short_of("0.5")
    assert (short.groups.tolist(), short.people) == ([1, 2], 2)


def test_only_one_value_of_a_combination_needs_to_be_sensitive() -> None:
    """Illness none is certain in its class: together with a sensitive job of share 1/2 it is inferred at 1/2, alone at 0."""
    tables = [table([0, 0], illness=["none", "none"]), table([0, 0], job=["a", "none"])]
    assert xy_linkability(tables, ["illness"]).certainty.value == 0
    assert xy_linkability(tables, ["illness"]).certainty_all.value == 1
    assert xy_linkability(tables, ["illness", "job"]).certainty.value == 0.5
    assert xy_linkability(tables, ["job"]).certainty.value == 0.5


def test_each_table_contributes_its_worse_reading() -> None:
    groups, values = np.array([0, 0, 1, 1], dtype=np.int32), np.zeros(4, dtype=np.int32)
    job = table([0] * 4, job=["a", "b", "c", "d"])
    illness = table([0] * 4, illness=["a", "a", "b", "c"])
    both = [Projected([groups, values], illness.sensitive), Projected([groups, values], job.sensitive)]
    assert xy_linkability(both, ["illness", "job"]).certainty.per_group.tolist() == pytest.approx([0.5, 0.25])
    assert xy_linkability_bound(both, ["illness", "job"]).certainty == 0.5
    turned = [Projected(one.classes[::-1], one.sensitive) for one in both]
    assert xy_linkability(turned, ["illness", "job"]).certainty.value == 0.5
    assert xy_linkability_bound(turned, ["illness", "job"]).certainty == 0.5


def test_published_tables_are_measured_as_they_are() -> None:
    frame = pd.DataFrame({"age": [20, 21, 40, 41], "illness": ["a", "a", "b", "c"], "job": ["x", "y", "x", "y"]})
    specs = [
        ColumnSpec("age", Kind.INTEGER, Role.QUASI),
        ColumnSpec("illness", Kind.CATEGORY, Role.SENSITIVE),
        ColumnSpec("job", Kind.CATEGORY, Role.SENSITIVE),
    ]
    source = encode_table(frame, {spec.name: spec for spec in specs})
    groups = np.array([0, 0, 1, 1])
    published = [publish_form(source, groups, name, [name]) for name in ("illness", "job")]
    tables = [Projected(one.classes(), one.sensitive) for one in published]
    assert xy_linkability(tables, ["illness", "job"]).certainty.per_group.tolist() == [0.5, 0.25]


def test_names_that_no_single_table_holds_are_refused() -> None:
    tables = [table([0], u=["a"]), table([0], u=["a"], v=["a"])]
    for names in ([], ["v", "v"], ["u"], ["absent"]):
        for measure in (xy_linkability, xy_linkability_bound):
            with pytest.raises(InputRejected):
                measure(tables, names)
    with pytest.raises(InputRejected, match="different numbers of rows"):
        xy_linkability([table([0], u=["a"]), table([0, 0], v=["a", "b"])], ["u", "v"])
    with pytest.raises(InputRejected, match="no classes"):
        xy_linkability([Projected([], tables[1].sensitive)], ["v"])

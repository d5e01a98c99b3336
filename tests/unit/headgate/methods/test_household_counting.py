"""k counts households with every method; the oracle counts them as sets."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.bounds.certificates import refute
from headgate.core.errors import InputRejected
from headgate.core.household_column import household_column
from headgate.grouping.limits import dissimilarity, household_limits
from headgate.library.frame_columns import table as table_of
from headgate.methods.anonymize import anonymize
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.full_domain.full_domain_method import FullDomain
from headgate.methods.mondrian.mondrian_method import Mondrian
from headgate.methods.settings import Infeasible, Settings
from headgate.methods.xcolor.faithful_method import Faithful

METHODS = [Blocks(), Faithful(), Mondrian(), Mondrian(strict=False), FullDomain()]


def _people(homes, seed=0):
    """Members of one household are near each other: the case that k by rows alone gets wrong."""
    random, homes = np.random.default_rng(seed), np.asarray(homes)
    rows = len(homes)
    place = random.integers(0, 100, max(int(homes.max(initial=0)) + 1, 1))
    frame = pd.DataFrame(
        {
            "place": np.where(homes < 0, random.integers(0, 100, rows), place[homes]),
            "age": random.integers(0, 90, rows),
            "illness": random.choice(["flu", "cold", "ache", "gout", "none"], rows),
        }
    )
    hierarchies = {
        "place": [(str(n), f"area {n // 25}", "*") for n in range(100)],
        "age": [(str(n), f"about {n // 30}", "*") for n in range(90)],
    }
    frame = frame.astype({"place": str, "age": str})
    table = table_of(frame, ["place", "age"], ["illness"], {}, hierarchies, None)
    return replace(table, columns={**table.columns, "home": household_column("home", homes.astype(np.int32))}, household="home")


def _homes_of_groups(homes, groups):
    members = defaultdict(set)
    for row, group in enumerate(groups.tolist()):
        if group >= 0:
            members[group].add(("own", row) if homes[row] < 0 else homes[row])
    return {group: len(own) for group, own in members.items()}


@pytest.mark.parametrize("method", METHODS, ids=str)
@pytest.mark.parametrize("k", [2, 5])
def test_no_group_has_fewer_than_k_households(method, k):
    homes = np.repeat(np.arange(60), np.tile([1, 2, 3, 4, 5], 12))
    homes[::17] = -1
    table = _people(homes)
    partition = anonymize(method, table, ("illness",), Settings(k), 0)
    assert partition.reached
    assert min(_homes_of_groups(homes, partition.groups).values()) >= k
    without = anonymize(method, replace(table, household=None), ("illness",), Settings(k), 0)
    assert partition.loss >= without.loss - 1e-9


def test_rows_alone_would_hide_people_among_their_family():
    """The test above would pass in vain if families never filled a group."""
    homes = np.repeat(np.arange(60), np.tile([1, 2, 3, 4, 5], 12))
    for method in (Blocks(), Mondrian()):
        partition = anonymize(method, replace(_people(homes), household=None), ("illness",), Settings(5), 0)
        assert min(_homes_of_groups(homes, partition.groups).values()) < 5


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(-1, 12), min_size=6, max_size=60), st.integers(2, 4), st.integers(0, 4), st.booleans())
def test_what_is_reached_is_reached_by_households_and_by_rows(homes, k, number, dissimilar):
    method, homes = METHODS[number], np.array(homes)
    distinct = len(set(homes[homes >= 0].tolist())) + int((homes < 0).sum())
    table = _people(homes)
    limits = (dissimilarity(table.select(["illness"]), "0", "0.3"),) if dissimilar else ()
    if distinct < k:
        with pytest.raises(InputRejected, match="household"):
            anonymize(method, table, ("illness",), Settings(k, limits), 0)
        return
    partition = anonymize(method, table, ("illness",), Settings(k, limits, infeasible=Infeasible.of({"suppress": 0.2})), 0)
    if partition.reached:
        fewest = min(_homes_of_groups(homes, partition.groups).values())
        assert k <= fewest <= min(np.bincount(partition.groups[partition.groups >= 0]))


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_where_everybody_lives_alone_nothing_changes(method):
    table = _people(np.arange(90))
    alone = anonymize(method, table, ("illness",), Settings(4), 3)
    assert (alone.groups == anonymize(method, replace(table, household=None), ("illness",), Settings(4), 3).groups).all()


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_fewer_than_k_households_are_refused_at_once(method):
    with pytest.raises(InputRejected, match="3 households cannot make a group of k = 4") as refused:
        anonymize(method, _people(np.repeat([0, 1, 2], 30)), ("illness",), Settings(4), 0)
    assert refused.value.cure.startswith("Lower k")


def test_one_large_household_is_no_reason_to_refuse_a_group_that_has_k_others():
    """What steers `blocks` is stricter than what is promised: 30 rows of one household beside 9 others make one group of 10 households."""
    homes = np.array([0] * 9 + list(range(1, 10)))
    partition = anonymize(Blocks(), _people(homes), ("illness",), Settings(10), 0)
    assert (partition.reached, partition.broken) == (True, ())
    assert list(_homes_of_groups(homes, partition.groups).values()) == [10]


def test_what_only_steers_proves_nothing():
    homes = np.array([0] * 30 + list(range(1, 31)))
    table = _people(homes)
    (limit,) = household_limits(table, 10)
    assert refute((limit,), 10, ways=1) is None


def test_a_refusal_because_of_households_does_not_speak_of_similar_rows():
    homes = np.repeat(np.arange(12), [40] + [1] * 11)
    partition = anonymize(Blocks(), _people(homes), ("illness",), Settings(5), 0)
    if not partition.reached:
        assert "similar" not in partition.refusal().message

"""Who would be above the promise of a series is left out of the new version."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.errors import InputRejected
from headgate.grouping.limits import linkability
from headgate.methods.anonymize import anonymize
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.settings import Settings
from headgate.methods.sticky.keep_groups import keep_groups
from headgate.methods.sticky.leaving_out import LeftOut, NewTable, TooMany, leave_out
from headgate.series.above_promise import linkability_by_person
from headgate.series.published_versions import Version, VersionTable
from headgate.series.series_risk import series_risk
from tests.unit.headgate.methods.sticky.grouped_tables import sets_of
from tests.unit.headgate.series.by_definition import Drawn, by_definition

PEOPLE, K, PROMISE = 60, 3, Fraction(2, 3)


class Months:
    """Sixty people, some of whom are there in each month; one table, or one for each attribute."""

    def __init__(self, seed, apart):
        self.draw = np.random.default_rng(seed)
        ages = self.draw.integers(0, 12, PEOPLE)
        self.values = {"illness": self.draw.choice(list("abcde"), PEOPLE), "pay": self.draw.choice(list("vwxyz"), PEOPLE)}
        specs = {"age": ColumnSpec("age", Kind.INTEGER, Role.QUASI)}
        specs |= {name: ColumnSpec(name, Kind.CATEGORY, Role.SENSITIVE) for name in self.values}
        self.table = encode_table(pd.DataFrame({"age": ages, **self.values}), specs)
        self.names = [("illness",), ("pay",)] if apart else [("illness", "pay")]
        self.people = np.sort(self.draw.permutation(PEOPLE)[:50])
        self.published, self.drawn = [], []

    def version(self, groups):
        there = groups[0] >= 0
        tables = []
        for names, of in zip(self.names, groups, strict=True):
            numbers = np.unique(of[there], return_inverse=True)[1].astype(np.int32)
            tables.append(VersionTable.in_order([numbers], {name: self.table[name].take(self.people[there]) for name in names}))
        return Version(self.people[there].astype(np.int32), tables)

    def measure(self, groups):
        return linkability_by_person(series_risk([*self.published, self.version(groups)]), PEOPLE)[self.people]

    def grouped(self, sticky=False):
        new = []
        for number, names in enumerate(self.names):
            table = self.table.take(self.people)
            settings = Settings(K, tuple(linkability(table[name], PROMISE) for name in names))
            if sticky:
                before = np.full((PEOPLE, 1), -1, dtype=np.int32)
                last = self.published[-1]
                before[last.people, 0] = last.tables[number].groups[0]
                partition = keep_groups(Blocks(), table, names, settings, before[self.people], 0, promise=PROMISE)
            else:
                partition = anonymize(Blocks(), table, names, settings, 0)
            new.append(NewTable(Blocks(), table, names, settings, partition))
        return new

    def publish(self, groups):
        there, values = groups[0] >= 0, self.values
        self.published.append(self.version(groups))
        people = {int(person): {name: values[name][person] for name in values} for person in self.people[there]}
        tables = {names: dict(zip(people, of[there].tolist(), strict=True)) for names, of in zip(self.names, groups, strict=True)}
        self.drawn.append(Drawn(people, tables))
        stay = self.people[self.draw.random(len(self.people)) > 0.1]
        others = np.setdiff1d(np.arange(PEOPLE), self.people)
        self.people = np.sort(np.concatenate([stay, others[: PEOPLE - 50]]))


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_nobody_is_above_the_promise_afterwards(seed, apart):
    """Three versions, grouped anew each time; counted from the definition."""
    months = Months(seed, apart)
    left_out = 0
    for _ in range(3):
        new = months.grouped()
        found = leave_out(new, months.measure if months.published else lambda groups: np.zeros(len(groups[0])), PROMISE, Fraction(1), 0)
        assert isinstance(found, LeftOut)
        left_out += int(found.rows.sum())
        for partition in found.partitions:
            assert partition.reached
            assert ((partition.groups < 0) == found.rows).all()
            assert min(len(group) for group in sets_of(partition.groups)) >= K
        months.publish([partition.groups for partition in found.partitions])
    for names in months.names:
        for name in [*names, names]:
            figures = by_definition(months.drawn, (name,) if isinstance(name, str) else name)
            assert max(figures.linkability.values()) <= PROMISE
    assert left_out > 0


def test_nobody_is_left_out_where_nobody_is_above():
    months = Months(0, True)
    new = months.grouped()
    found = leave_out(new, lambda groups: np.full(len(groups[0]), 0.5), "0.5", Fraction(0), 0)
    assert isinstance(found, LeftOut)
    assert not found.rows.any()
    assert found.rounds == 0
    assert [sets_of(of.groups) for of in found.partitions] == [sets_of(one.partition.groups) for one in new]


def test_of_people_who_stay_together_fewer_are_left_out():
    left = {False: 0, True: 0}
    for seed in range(4):
        for sticky in left:
            months = Months(seed, False)
            months.publish([one.partition.groups for one in months.grouped()])
            found = leave_out(months.grouped(sticky), months.measure, PROMISE, Fraction(1), 0)
            assert isinstance(found, LeftOut)
            left[sticky] += int(found.rows.sum())
    assert left[True] < left[False]


def test_more_than_the_share_is_refused_with_the_number_that_it_would_have_to_be():
    months = Months(2, False)
    months.publish([one.partition.groups for one in months.grouped()])
    new = months.grouped()
    enough = leave_out(new, months.measure, PROMISE, Fraction(1), 0)
    assert isinstance(enough, LeftOut)
    needed, rows = int(enough.rows.sum()), len(enough.rows)
    assert leave_out(new, months.measure, PROMISE, Fraction(needed - 1, rows), 0) == TooMany(needed, needed - 1, rows)
    allowed = leave_out(new, months.measure, PROMISE, Fraction(needed, rows), 0)
    assert isinstance(allowed, LeftOut)


@pytest.mark.parametrize("share", [Fraction(1, 10), Fraction(1)])
def test_where_nobody_would_be_left_that_is_too_many(share):
    """Once the last group was gone, the versions were measured without anybody in the new one: a run ended with "There is nobody in
    version 1" and no report, instead of being refused by the gate."""
    months = Months(2, False)
    months.publish([one.partition.groups for one in months.grouped()])
    rows = len(months.people)

    def measure(groups):
        return np.where(months.measure(groups) >= 0, 1.0, 0.0)

    assert leave_out(months.grouped(), measure, PROMISE, share, 0) == TooMany(rows, int(share * rows), rows)


def test_who_is_in_one_table_only_is_in_none():
    months = Months(3, True)
    one, two = months.grouped()
    groups = one.partition.groups.copy()
    groups[:4] = -1
    one = with_groups(one, groups)
    found = leave_out([one, two], lambda groups: np.zeros(len(groups[0])), PROMISE, Fraction(1), 0)
    assert isinstance(found, LeftOut)
    assert found.rows[:4].all()
    assert (found.partitions[1].groups[:4] < 0).all()


def with_groups(new, groups):
    return replace(new, partition=replace(new.partition, groups=groups))


def test_what_cannot_be_measured_is_left_out():
    months = Months(0, False)
    found = leave_out(months.grouped(), lambda groups: np.where(np.arange(len(groups[0])) == 7, np.nan, 0.0), PROMISE, Fraction(1), 0)
    assert isinstance(found, LeftOut)
    assert found.rows[7]


def test_tables_of_other_rows_are_refused():
    months = Months(0, True)
    one, two = months.grouped()
    two = with_groups(two, two.partition.groups[1:])
    with pytest.raises(InputRejected, match="differ in rows"):
        leave_out([one, two], months.measure, PROMISE, Fraction(1), 0)

"""What rounding a number buys where people are published again (DEFINITIONS §11): somebody who knows that a person is in two versions looks
at what the person's groups have in common.

A sample of the people is grouped as a release would, for each form in which the number may be published, and compared with the versions
that the home knows. Where it knows none, one is simulated: the same people, grouped with another seed; from both, some others are lacking.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.attacks.success import percent
from headgate.core.columns import MISSING, Codes, Column, Table
from headgate.methods.partition import Partition
from headgate.series.above_promise import above, linkability_by_person
from headgate.series.kept_version import CodedValues, KeptTable, KeptVersion
from headgate.series.published_versions import Version, VersionTable
from headgate.series.series_risk import series_risk
from headgate.series.with_earlier import together
from policies.jobs.former_groups import FormerGroups, FormerTable
from policies.jobs.table_job import Names, group_table
from tasks.advice.advice_trials import Trials, TrialSetting
from tasks.advice.published_before import PublishedBefore
from tasks.release.steps.keep_series import former_tables
from tasks.series.value_coding import rounding

MOST_ROWS = 10_000
CHANGING = 0.02  # of the people are lacking in one version, and as many others in the other


@dataclass(frozen=True)
class InSeries:
    """A number as it is (`written` is empty), or as it would be published: the people above the certainty that is allowed, how many of them
    are so by one version `alone`, and the largest certainty about anybody. `loss`: NCP of the sample's groups."""

    written: str
    above: int
    alone: int
    linkability: float
    loss: float


@dataclass(frozen=True)
class SeriesAdvice:
    """Of `rows` that were drawn of `of`, the `people` who are in an earlier version too. `versions`: how many were published before; 0
    where one was simulated."""

    allowed: float
    people: int
    rows: int
    of: int
    versions: int
    steps: tuple[InSeries, ...]

    def sentences(self, attribute: str) -> Iterator[str]:
        drawn = f"{self.rows:,} of the {self.of:,} people" if self.rows < self.of else f"the {self.of:,} people"
        simulated = f"Simulated with {drawn}, grouped twice, each time without another {100 * CHANGING:g} % of them"
        earlier = "the version" if self.versions == 1 else f"the {self.versions} versions"
        compared = f"Compared with {earlier} published before, for {drawn}, grouped anew"
        yield (
            f"If {attribute} is published again, comparing a person's groups in several versions can tell more than one version does. "
            f"{compared if self.versions else simulated}; the policy allows a certainty of {percent(self.allowed)} %:"
        )
        for step in self.steps:
            form = f"publish_as: {step.written}" if step.written else "exact numbers"
            above = f"{step.above:,} of {self.people:,} people above it ({step.alone:,} by one version alone)"
            yield f"  {form} – {above}, up to {percent(step.linkability)} %; loss {step.loss:.3g}."

    def to_json(self) -> dict[str, Any]:
        steps = [
            {
                "publish_as": step.written or None,
                "above": step.above,
                "alone": step.alone,
                "linkability": step.linkability,
                "ncp": step.loss,
            }
            for step in self.steps
        ]
        drawn = {"people": self.people, "rows": self.rows, "of": self.of}
        return {"simulated": not self.versions, "versions": self.versions, "allowed": self.allowed, **drawn, "steps": steps}


@dataclass(frozen=True, eq=False)
class _Series:
    """Versions, the last of them the new one; who is in it and in another; and what the new one loses."""

    versions: Sequence[Version]
    people: NDArray[np.int64]
    loss: float


@dataclass(frozen=True, eq=False)
class SeriesTrials:
    """`names` are published in one table, the number `name` among them. `before`: the versions that the home knows, if it knows any."""

    trials: Trials
    names: Names
    setting: TrialSetting
    name: str
    before: PublishedBefore | None = None

    def advice(self, forms: Sequence[tuple[str, Column]]) -> SeriesAdvice | None:
        """`forms` are the cells of the number, written so. None where the sample cannot be grouped; coarser forms are not tried once nobody
        is above what is allowed."""
        policy, whole = self.trials.policy, self.trials.table.rows
        key, steps, people = policy.gates.series, list[InSeries](), 0
        allowed = float(policy.gates.linkability if key is None or key.linkability is None else key.linkability)
        rows = np.sort(np.random.default_rng(list(self.trials.seed)).choice(whole, min(whole, MOST_ROWS), replace=False))
        for written, column in forms:
            table = replace(self.trials.table, columns={**self.trials.table.columns, self.name: column})
            series = self._simulated(table, rows) if self.before is None else self._with_published(self.before, table, rows)
            if series is None and not steps:
                return None
            if series is not None:
                steps.append(_measured(written, series, allowed))
                people = len(series.people)
            if not steps[-1].above:
                break
        return SeriesAdvice(allowed, people, len(rows), whole, 0 if self.before is None else len(self.before.versions), tuple(steps))

    def _simulated(self, table: Table, rows: NDArray[np.int64]) -> _Series | None:
        """The second keeps together whom the first published together, where the policy says so."""
        draw = np.random.default_rng(list(self.trials.seed))
        lacking = draw.permutation(rows)[: 2 * max(1, round(CHANGING * len(rows)))].reshape(2, -1)
        present = [np.setdiff1d(rows, some) for some in lacking]
        first = self._grouped(table.take(present[0]), 0, ())
        if first is None:
            return None
        former = (FormerTable(frozenset(self.names), _of_rows(first.groups, present[0], present[1])),)
        second = self._grouped(table.take(present[1]), 1, (former,))
        if second is None:
            return None
        versions = [self._version(table.take(some), some, made.groups) for some, made in zip(present, (first, second), strict=True)]
        return _Series(versions, np.setdiff1d(rows, lacking), second.loss)

    def _with_published(self, before: PublishedBefore, table: Table, rows: NDArray[np.int64]) -> _Series | None:
        people, some = before.people[rows], table.take(rows)
        made = self._grouped(some, 0, tuple(former_tables(version, people) for version in before.versions))
        if made is None:
            return None
        shown = np.flatnonzero(made.groups >= 0)
        order = shown[np.argsort(people[shown], kind="stable")]
        cells = CodedValues.of(some[self.name].take(order))
        new = KeptVersion(people[order], (KeptTable((made.groups[order],), (made.groups[order],), {self.name: cells}),))
        form = some[self.name].number_form
        encode = rounding({} if form is None else {self.name: form})
        versions = together(before.versions, new, [{self.name: cells.codes}], [self.name], encode)
        return _Series(
            versions, np.unique(np.concatenate([np.empty(0, dtype=np.int64), *(version.people for version in versions[:-1])])), made.loss
        )

    def _grouped(self, table: Table, number: int, former: tuple[tuple[FormerTable, ...], ...]) -> Partition | None:
        trials, kept = self.trials, self.trials.policy.anonymize.series is not None and former
        job = replace(trials.job_at(self.names, self.setting, number), light=False)
        groups = FormerGroups(former) if kept else None
        partition = group_table(job, table, None, trials.distance, groups, trials.engine.place.watch())
        return partition if partition.reached else None

    def _version(self, table: Table, rows: NDArray[np.int64], groups: Codes) -> Version:
        shown = np.flatnonzero(groups >= 0)
        published = VersionTable.in_order([groups[shown]], {self.name: table[self.name].take(shown)})
        return Version(rows[shown].astype(np.int32), [published])


def _of_rows(groups: Codes, rows: NDArray[np.int64], others: NDArray[np.int64]) -> Codes:
    """The groups of these other rows; both ascend."""
    place = np.minimum(np.searchsorted(rows, others), len(rows) - 1)
    return np.where(rows[place] == others, groups[place], MISSING).astype(np.int32)


def _measured(written: str, series: _Series, allowed: float) -> InSeries:
    each = [_certainty([version], series.people) for version in series.versions]
    whole = _certainty(series.versions, series.people)
    many, alone = (int(above(certainty, allowed).sum()) for certainty in (whole, np.maximum.reduce(each)))
    return InSeries(written, many, alone, float(whole.max(initial=0.0)), series.loss)


def _certainty(versions: Sequence[Version], people: NDArray[np.int64]) -> NDArray[np.float64]:
    """Of these people, 0 where no version has them."""
    everybody = np.concatenate([people, *(version.people for version in versions)])
    return np.asarray(linkability_by_person(series_risk(versions), int(everybody.max()) + 1)[people])

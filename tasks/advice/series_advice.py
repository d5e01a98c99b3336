"""What rounding a number buys where people are published again (DEFINITIONS §11): somebody who knows that a person is in two versions looks
at what the person's groups have in common.

Two versions are simulated for each form in which the number may be published: a sample of the people, grouped twice as a release would,
with another seed and without some others of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.attacks.success import percent
from headgate.core.columns import MISSING, Codes, Column, Table
from headgate.core.tolerance import radius
from headgate.methods.partition import Partition
from headgate.series.published_versions import Version, VersionTable
from headgate.series.series_risk import series_risk
from policies.jobs.former_groups import FormerGroups, FormerTable
from policies.jobs.table_job import Names, group_table
from tasks.advice.advice_trials import Trials, TrialSetting

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
    """`people` are in both versions, of `rows` that were drawn of `of`."""

    allowed: float
    people: int
    rows: int
    of: int
    steps: tuple[InSeries, ...]

    @property
    def exact(self) -> InSeries:
        return self.steps[0]

    def sentences(self, attribute: str) -> Iterator[str]:
        drawn = f"{self.rows:,} of the {self.of:,} people" if self.rows < self.of else f"the {self.of:,} people"
        yield (
            f"If {attribute} is published again, comparing a person's groups in two versions tells more than either. Simulated with "
            f"{drawn}, grouped twice, each time without another {100 * CHANGING:g} % of them; the policy allows a certainty of "
            f"{percent(self.allowed)} %:"
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
        return {"simulated": True, "allowed": self.allowed, "people": self.people, "rows": self.rows, "of": self.of, "steps": steps}


def series_advice(
    trials: Trials, names: Names, setting: TrialSetting, name: str, forms: Sequence[tuple[str, Column]]
) -> SeriesAdvice | None:
    """`names` are published in one table, `name` among them; `forms` are its cells, written so. None where the sample cannot be
    grouped; coarser forms are not tried once nobody is above what is allowed."""
    key, whole = trials.policy.gates.series, trials.table.rows
    allowed = float(trials.policy.gates.linkability if key is None or key.linkability is None else key.linkability)
    generator = np.random.default_rng(list(trials.seed))
    rows = np.sort(generator.choice(whole, min(whole, MOST_ROWS), replace=False))
    lacking = generator.permutation(rows)[: 2 * max(1, round(CHANGING * len(rows)))].reshape(2, -1)
    present = [np.setdiff1d(rows, some) for some in lacking]
    both, steps = np.setdiff1d(rows, lacking), list[InSeries]()
    for written, column in forms:
        table = replace(trials.table, columns={**trials.table.columns, name: column})
        versions = _versions(trials, names, setting, name, [(table.take(some), some) for some in present])
        if versions is None and not steps:
            return None
        if versions is not None:
            steps.append(_measured(written, versions, both, allowed))
        if not steps[-1].above:
            break
    return SeriesAdvice(allowed, len(both), len(rows), whole, tuple(steps))


def _versions(
    trials: Trials, names: Names, setting: TrialSetting, name: str, tables: Sequence[tuple[Table, NDArray[np.int64]]]
) -> list[tuple[Version, Partition]] | None:
    """The second keeps together whom the first published together, where the policy says so."""
    former, versions = None, []
    for number, (table, rows) in enumerate(tables):
        job = replace(trials.job_at(names, setting, number), light=False)
        partition = group_table(job, table, None, trials.distance, former, trials.engine.place.watch())
        if not partition.reached:
            return None
        shown = np.flatnonzero(partition.groups >= 0)
        published = VersionTable.in_order([partition.groups[shown]], {name: table[name].take(shown)})
        versions.append((Version(rows[shown].astype(np.int32), [published]), partition))
        if trials.policy.anonymize.series is not None and number + 1 < len(tables):
            former = FormerGroups(((FormerTable(frozenset(names), _of_rows(partition.groups, rows, tables[number + 1][1])),),))
    return versions


def _of_rows(groups: Codes, rows: NDArray[np.int64], others: NDArray[np.int64]) -> Codes:
    """The groups of these other rows; both ascend."""
    place = np.minimum(np.searchsorted(rows, others), len(rows) - 1)
    return np.where(rows[place] == others, groups[place], MISSING).astype(np.int32)


def _measured(written: str, versions: Sequence[tuple[Version, Partition]], both: NDArray[np.int64], allowed: float) -> InSeries:
    together, *each = (_certainty(some, both) for some in ([version for version, _ in versions], *([version] for version, _ in versions)))
    above, alone = (int((certainty > radius(allowed)).sum()) for certainty in (together, np.maximum.reduce(each)))
    return InSeries(written, above, alone, float(together.max(initial=0.0)), max(partition.loss for _, partition in versions))


def _certainty(versions: Sequence[Version], people: NDArray[np.int64]) -> NDArray[np.float64]:
    """Of these people, 0 where a version lacks one."""
    (measure,) = series_risk(versions).measures
    certainty = np.zeros(int(max(measure.people.max(), people.max())) + 1)
    certainty[measure.people] = measure.by_person(measure.linkability)
    return certainty[people]

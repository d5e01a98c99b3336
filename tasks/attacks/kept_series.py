"""The series of a sealed candidate, as its release saw it: from what the home keeps of its versions, and from the source, read again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from headgate.attacks.matching import translated
from headgate.core.columns import MISSING, Codes
from headgate.core.units import counted
from headgate.series.kept_version import KeptVersion
from headgate.series.with_earlier import Own, together
from policies.schema.policy import Policy
from tasks.attacks.attempts import Attempt, Finished
from tasks.attacks.origin import Reopened
from tasks.attacks.series_attempts import SERIES, KnownSeries
from tasks.runtime.home import Home
from tasks.series.seen_together import rows_nowhere
from tasks.series.side_store import kept
from tasks.series.value_coding import coding_of, nearness_of
from tasks.stores.seal import Candidate


def series_of(home: Home, candidate: Candidate, reopened: Reopened, finished: Finished) -> KnownSeries | Attempt | None:
    """None where the release compared no versions; an attempt that says why where they can no longer be compared."""
    figures, dataset = candidate.manifest.series, candidate.manifest.dataset
    if figures is None or not figures.earlier or reopened.people is None:
        return None
    held = [kept(home, dataset, each) for each in (*figures.earlier, candidate.id)]
    versions = [version for version in held if version is not None]
    if len(versions) < len(held):
        lacking = counted(len(held) - len(versions), "version")
        remark = f"{SERIES} was not tried: the home no longer keeps who was in which group of {lacking}."
        return Attempt(SERIES, tuple(table.name for table in finished.tables), remark)
    *earlier, new = versions
    own = _own(new, new.places_of(reopened.people), finished)
    key, promise = reopened.loaded.policy.gates.series, candidate.manifest.promise
    seen = together(earlier, new, own, _steady(reopened.loaded.policy, new), coding_of(promise, nearness_of(key, promise)))
    nowhere = rows_nowhere(reopened.people, new, earlier, figures.not_measured)
    return KnownSeries(seen, finished.people.take(nowhere).columns, figures.several)


def _steady(policy: Policy, new: KeptVersion) -> list[str]:
    return [name for table in new.tables for name in table.columns if policy.is_steady(name)]


def _own(new: KeptVersion, place: NDArray[np.int64], finished: Finished) -> Sequence[Own]:
    """`place`: of each row of the source, its person's in the version. A value that is published otherwise counts as missing."""
    rows = np.empty(len(new.people), dtype=np.int64)
    rows[place[place >= 0]] = np.flatnonzero(place >= 0)
    return [{name: _codes(finished, number, name, rows) for name in table.columns} for number, table in enumerate(new.tables)]


def _codes(finished: Finished, number: int, name: str, rows: NDArray[np.int64]) -> Codes:
    published = finished.tables[number].sensitive[name]
    codes = translated(finished.people[name].take(rows), published)
    return np.where((codes < 0) | (codes == len(published.values)), MISSING, codes).astype(np.int32)

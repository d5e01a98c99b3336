"""Which versions a dataset has by the ledger, and what the home keeps of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headgate.core.errors import StoreUnavailable
from headgate.core.units import counted
from headgate.series.kept_version import KeptVersion
from policies.ledger.standing import Release
from tasks.ledger.history import History
from tasks.runtime.home import Home
from tasks.series.side_store import RESTORE, WITHOUT, drop, kept, kept_candidates


@dataclass(frozen=True, eq=False)
class KnownVersion:
    candidate: str
    version: KeptVersion


def known_versions(home: Home, dataset: str, releases: Sequence[Release], accepted: bool) -> tuple[KnownVersion, ...]:
    """What the home keeps of these versions, oldest first. `accepted`: the policy says why those that are lacking may be left out."""
    held = [(release, kept(home, dataset, release.candidate)) for release in releases]
    lacking = [release for release, version in held if version is None]
    if lacking and not accepted:
        which = counted(len(lacking), "version")
        raise StoreUnavailable(
            f"The home does not keep who was in which group of {which} of {dataset}, so nobody can say what they tell together.",
            f"{RESTORE}; {WITHOUT}.",
        )
    return tuple(KnownVersion(release.candidate, version) for release, version in held if version is not None)


def drop_ended(home: Home, history: History, dataset: str) -> int:
    """Drops what is kept of candidates that came to nothing: rejected, expired, withdrawn before they came out, or never recorded. Call it
    under the dataset's lock, where no run can be sealing one. Returns how many."""
    return sum(drop(home, dataset, candidate) for candidate in kept_candidates(home, dataset) if not _needed(history, candidate))


def _needed(history: History, candidate: str) -> bool:
    sealed = history.sealed(candidate)
    if sealed is None:
        return False
    return not history.release(sealed.release_id).ended_unpublished

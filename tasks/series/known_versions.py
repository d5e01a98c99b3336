"""Which versions a dataset has by the ledger, and what the home keeps of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headgate.core.errors import IntegrityBroken, StoreUnavailable
from headgate.core.units import counted
from headgate.series.kept_version import KeptVersion
from policies.ledger.standing import Release
from tasks.ledger.history import History
from tasks.runtime.boundary import reason_of
from tasks.runtime.home import Home
from tasks.series.side_store import RESTORE, WITHOUT, drop, kept, kept_candidates

ACCEPT = "Write gates.series: {unmeasured: REASON} beside its bounds; approvers read the reason."


@dataclass(frozen=True, eq=False)
class KnownVersion:
    candidate: str
    version: KeptVersion


def known_versions(home: Home, dataset: str, releases: Sequence[Release], accepted: bool) -> tuple[KnownVersion, ...]:
    """What the home keeps of these versions, oldest first. `accepted`: the policy says why those that are lacking or cannot be read may be
    left out."""
    held = [(release, None if release.purged else _kept(home, dataset, release.candidate, accepted)) for release in releases]
    lacking = [release for release, version in held if version is None]
    if lacking and not accepted:
        raise _lacking(dataset, lacking)
    return tuple(KnownVersion(release.candidate, version) for release, version in held if version is not None)


def _kept(home: Home, dataset: str, candidate: str, accepted: bool) -> KeptVersion | None:
    try:
        return kept(home, dataset, candidate)
    except IntegrityBroken:
        if not accepted:
            raise
        return None


def _lacking(dataset: str, lacking: Sequence[Release]) -> StoreUnavailable:
    """What was purged on purpose comes back from no backup that anybody should restore."""
    which = counted(len(lacking), "version")
    purged = [f"version {release.version} was purged on {release.purged[:10]}" for release in lacking if release.purged]
    why = f" ({', '.join(purged)})" if purged else ""
    return StoreUnavailable(
        f"The home does not keep who was in which group of {which} of {dataset}{why}, so nobody can say what the versions tell together.",
        ACCEPT if len(purged) == len(lacking) else f"{RESTORE}; {WITHOUT}.",
    )


def drop_ended(home: Home, history: History, dataset: str) -> int:
    """Drops what is kept of candidates that came to nothing (rejected, expired, withdrawn before they came out, or never recorded), and of
    versions that were purged. Call it under the dataset's lock, where no run can be sealing one. Returns how many."""
    try:
        return sum(drop(home, dataset, candidate) for candidate in kept_candidates(home, dataset) if not _needed(history, candidate))
    except OSError as problem:
        raise StoreUnavailable(
            f"Who was in which group of a candidate that came to nothing could not be removed from {home.series / dataset} "
            f"({reason_of(problem)}).",
            "Check permissions.",
        ) from None


def _needed(history: History, candidate: str) -> bool:
    sealed = history.sealed(candidate)
    if sealed is None:
        return False
    release = history.release(sealed.release_id)
    return not release.ended_unpublished and not release.purged

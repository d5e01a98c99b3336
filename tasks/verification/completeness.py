"""Whether the home keeps of each version what later ones are measured with: no less, and no more. Nothing is changed here."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator

from headgate.core.columns import Role
from headgate.core.errors import HeadgateError, StoreUnavailable
from policies.ledger.standing import Release
from policies.ledger.states import State
from tasks.approval.kept_policies import kept_form
from tasks.ledger.event_log import Ledger
from tasks.ledger.history import History
from tasks.runtime.boundary import reason_of
from tasks.runtime.home import Home
from tasks.series.side_store import CANDIDATE, RESTORE, WITHOUT, is_kept
from tasks.stores.seal import load_sealed

Kept = tuple[tuple[str, str], ...]  # dataset and candidate


def kept_versions(home: Home) -> Kept:
    """Listed before the ledger is read, since others may go on meanwhile."""
    return tuple((dataset, name) for dataset in _names(home.series) for name in _names(home.series / dataset) if CANDIDATE.fullmatch(name))


def _names(folder: os.PathLike[str]) -> tuple[str, ...]:
    try:
        return tuple(sorted(os.listdir(folder)))
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as problem:
        raise StoreUnavailable(f"{folder} cannot be read ({reason_of(problem)}).", "Check the home's permissions.") from None


def known_to_matter(history: History, ledger: Ledger, kept: Kept) -> tuple[Release, ...]:
    """The releases that say what must be kept: those that came out, those of which something is kept, and the newest runs of their
    datasets, which may be keeping something just now."""
    names = {entry.release for entry in ledger.about("publishing", "", prefix=True)}
    names |= {sealed.release_id for _, candidate in kept if (sealed := history.sealed(candidate)) is not None}
    newest = (next(history.of_dataset(dataset), None) for dataset in {dataset for dataset, _ in kept})
    names |= {release.release_id for release in newest if release is not None}
    return tuple(history.release(name) for name in sorted(names))


def lacking(home: Home, releases: Iterable[Release]) -> Iterator[str]:
    """Of versions that were measured, or would be: those sealed before headgate kept anything are none."""
    for release in releases:
        due = release.came_out and not release.purged and release.series is not None
        if due and not is_kept(home, release.dataset, release.candidate) and _has_people(home, release):
            yield (
                f"The home does not keep who was in which group of version {release.version} of {release.dataset}, and no event says that "
                f"it was purged: the next release is refused. {RESTORE}; {WITHOUT}."
            )


def _has_people(home: Home, release: Release) -> bool:
    """Whether an identifier said who is who, by the policy that was kept of the run; without one, by the manifest. What cannot be read is
    reported elsewhere."""
    try:
        form = kept_form(home, release.policy_digest)
        if form is None:
            return load_sealed(home.candidates, release.candidate).manifest.promise.people_checked
    except HeadgateError:
        return False
    said = json.loads(form)
    identifiers = [name for name, attribute in said["attributes"].items() if attribute["role"] == Role.IDENTIFIER]
    return len(identifiers) == 1 or bool(said.get("person") or (said.get("rows") or {}).get("per"))


def unfinished_purges(kept: Kept, releases: Iterable[Release]) -> Iterator[str]:
    purged = {release.candidate: release for release in releases if release.purged}
    for dataset, candidate in kept:
        if release := purged.get(candidate):
            yield (
                f"Version {release.version} of {dataset} was purged, and what the home kept of it is still there: purge {candidate[:12]} "
                "again to finish, or run the next release."
            )


def left_over(kept: Kept, releases: Iterable[Release]) -> Iterator[str]:
    """Of candidates that came to nothing."""
    known = {release.candidate: release for release in releases if release.candidate}
    busy = {release.dataset for release in releases if release.state is State.RUNNING}
    for dataset, candidate in kept:
        release = known.get(candidate)
        if (release is None and dataset not in busy) or (release is not None and not release.purged and _ended(release)):
            yield f"Who would have been in which group of candidate {candidate[:12]} is still kept; the next run of {dataset} drops it."


def _ended(release: Release) -> bool:
    """By an event: what follows from a deadline alone is done by whoever writes next."""
    return release.ended_unpublished and not (release.state is State.EXPIRED and "expired" not in release.seen)

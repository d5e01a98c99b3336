"""What a place must do to be published to. A new one is one more file of this room, named after the scheme of its address:
`store_folder.py`.

A store keeps versions of a series and says which is the latest. It knows no approvals, no signatures and no ledger: what may be
published, and whether what arrived is what was sealed, is decided outside of it (tasks/publication). tests/unit/tasks/stores/
test_release_store.py holds what every store must pass.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from tasks.stores.files import Stored

VISIBLE_BY = "attestation.dsse.json"  # the last file of a version: where there is no rename, readers see none without it
WITHDRAWN = "withdrawn.json"  # in a version that was withdrawn: the one file that came after its attestation
LAST_NUMBER = 999_999_999  # the largest that a version can have
NOT_OURS = 0  # what `latest` names where it is not as headgate leaves it: no version has this number


def latest_file(number: int | None) -> bytes:
    """`latest.json`, for people whose store has no links."""
    return json.dumps({"version": number, "path": None if number is None else str(number)}).encode() + b"\n"


def named_in(content: bytes) -> int | None:
    """The version that a `latest.json` names: by its number and by its path, since readers follow either."""
    try:
        said = json.loads(content)
        number = said["version"]
    except (ValueError, KeyError, TypeError):
        return NOT_OURS
    named = number if type(number) is int and number > 0 else None
    return named if content == latest_file(named) else NOT_OURS


class VersionDraft(Protocol):
    """A version that is being written, which nobody can see yet."""

    def write(self, path: str, content: bytes) -> None:
        """On disk before it returns. Never over an existing file."""
        ...

    def read(self) -> Mapping[str, Stored]:
        """Every file, read back from where it was written, by its path."""
        ...

    def place(self) -> bool:
        """Gives the version its number, once: False if another is there. The one moment at which it becomes visible, whole; quick once
        `read` was called, since nobody else may write to the ledger meanwhile. A version of the same bytes is success."""
        ...


class Series(Protocol):
    """The versions of one dataset at one target: numbered, each written once, and `latest`. A disk that fails raises OSError, a server
    StoreUnavailable; neither repeats anything of what was written."""

    @property
    def target(self) -> str:
        """Its name under the store's root: a policy's `publish.to`."""
        ...

    def address(self, number: int | None = None) -> str:
        """Where people find the series, or one of its versions."""
        ...

    def prepare(self) -> None:
        """Makes the series ready to be written; StoreUnavailable if that is impossible. Of all other methods, only `address` requires
        this first."""
        ...

    def numbers(self) -> tuple[int, ...]:
        """Every number that has been used, in their order: of versions in place, and of those that somebody has begun."""
        ...

    def versions(self) -> tuple[int, ...]:
        """The numbers of the versions in place, in their order."""
        ...

    def begin(self, number: int, candidate: str) -> AbstractContextManager[VersionDraft]:
        """A new draft of this version, claimed for this candidate; PublicationFailed if another has claimed it. What was not placed is gone
        at the end; what killed runs have left of this version does not stand in the way of the same candidate."""
        ...

    def clear(self, number: int, candidate: str) -> None:
        """Removes what this candidate's publication has left of a version that was never placed; nothing of anybody else's, and nothing
        of a version in place."""
        ...

    def read(self, number: int) -> Mapping[str, Stored]:
        """Every file of a version as it is there now, by its path."""
        ...

    def mark_withdrawn(self, number: int, envelope: bytes) -> None:
        """Adds the signed withdrawal to a version in place, as `withdrawn.json`, whole and once: a second one changes nothing."""
        ...

    def latest(self) -> int | None:
        """The version that `latest` names for every reader; None if it names none, and NOT_OURS if it is not as headgate leaves it."""
        ...

    def point_latest(self, number: int | None) -> None:
        """Moves `latest` in one step; removes it when no version is left."""
        ...


class ReleaseStore(Protocol):
    """The root under which series lie."""

    def series(self, target: str) -> Series:
        """The series at a policy's `publish.to`, whether or not anything is there."""
        ...

    def targets(self) -> frozenset[str]:
        """Where versions lie, whether or not any ledger knows of them."""
        ...

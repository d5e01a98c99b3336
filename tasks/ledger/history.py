"""What the ledger says, after its chain has been checked: the one ground on which anything is decided."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from headgate.core.errors import InputRejected, IntegrityBroken
from policies.ledger.events import CandidateSealed, Event
from policies.ledger.fold import fold
from policies.ledger.standing import Release
from policies.ledger.states import State
from policies.sealed.manifest import Manifest
from tasks.ledger.chain import Entry
from tasks.ledger.event_log import Ledger, event_of
from tasks.stores.seal import SHORTEST_PREFIX

VISIBLE = (State.PUBLISHED, State.SUPERSEDED)


@dataclass(frozen=True)
class History:
    """A checked ledger at one moment."""

    entries: tuple[Entry, ...]

    @cached_property
    def _own(self) -> dict[str, tuple[Entry, ...]]:
        own: dict[str, list[Entry]] = {}
        for entry in self.entries:
            own.setdefault(entry.release, []).append(entry)
        return {release: tuple(entries) for release, entries in own.items()}

    def of(self, release: str) -> tuple[Entry, ...]:
        return self._own.get(release, ())

    def events(self, release: str) -> tuple[Event, ...]:
        return tuple(event_of(entry) for entry in self.of(release))

    def release(self, release: str) -> Release:
        return fold(self.events(release))

    @cached_property
    def _releases(self) -> tuple[Release, ...]:
        return tuple(self.release(release) for release in self._own)

    def releases(self) -> tuple[Release, ...]:
        """Every release with its state, in the order in which they began."""
        return self._releases

    def sealed(self, candidate: str) -> CandidateSealed | None:
        """The event that sealed this candidate."""
        for entry in self.entries:
            if entry.type == "sealed":
                event = event_of(entry)
                if isinstance(event, CandidateSealed) and event.candidate == candidate:
                    return event
        return None

    def find(self, name: str) -> Release:
        """By the id of a release, or by a unique beginning (at least 8 digits) of its candidate's id."""
        matching = [release for release in self.releases() if release.release_id == name or _begins(release.candidate, name)]
        if not matching:
            raise InputRejected(
                f"The ledger knows no release or candidate {name[:80]}.", "See `headgate releases`, and check HEADGATE_HOME."
            )
        if len(matching) > 1:
            raise InputRejected(f"{len(matching)} candidates' ids begin with {name[:80]}.", "Give more digits.")
        return matching[0]

    def at_target(self, target: str) -> tuple[Release, ...]:
        return tuple(release for release in self.releases() if release.target == target)


def read_history(ledger: Ledger) -> History:
    """IntegrityBroken unless every event's hash and link holds, and the head that the home remembers is among them."""
    ledger.require_remembered()
    return History(ledger.verify_chain())


def check_same(release: Release, manifest: Manifest) -> None:
    """What a manifest claims of the run must be what the run's events say."""
    claims = {
        "release": (release.release_id, manifest.release_id),
        "dataset": (release.dataset, manifest.dataset),
        "policy": (release.policy_digest, manifest.policy_digest),
        "number of approvals": (release.required, manifest.approvals_required),
        "role": (release.roles, manifest.roles_required),
        "runner": ((release.runner, release.machine), (manifest.runner, manifest.machine)),
        "signers": ((release.signers, release.signers_digest), (manifest.signers, manifest.signers_digest)),
        "source": (release.source_hmac, manifest.source_hmac),
    }
    for what, (recorded, sealed) in claims.items():
        if recorded != sealed:
            raise IntegrityBroken(f"The manifest names another {what} than the ledger recorded.", "Run the release again.")
    if not manifest.verdicts or not all(verdict.passed for verdict in manifest.verdicts):
        raise IntegrityBroken("The manifest holds a gate that did not pass.", "Run the release again.")


def latest_version(releases: Iterable[Release]) -> int | None:
    """The version that `latest` must name: the highest that is out and was not withdrawn."""
    return max((release.version for release in releases if release.state in VISIBLE and release.version is not None), default=None)


def _begins(candidate: str, prefix: str) -> bool:
    wanted = prefix.strip().lower()
    return re.fullmatch(rf"[0-9a-f]{{{SHORTEST_PREFIX},64}}", wanted) is not None and candidate.startswith(wanted)

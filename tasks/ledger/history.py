"""What the ledger says, after what was read has been checked: the one ground on which anything is decided."""

from __future__ import annotations

import gc
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import takewhile

from headgate.core.errors import InputRejected, IntegrityBroken
from policies.ledger.events import CandidateSealed, Event, moment
from policies.ledger.events_of_home import HOME
from policies.ledger.fold import as_of, fold
from policies.ledger.standing import Release
from policies.ledger.states import State
from policies.ledger.transitions import TRANSITIONS
from policies.sealed.manifest import Manifest
from tasks.ledger.chain import Entry, Head, check_own_chain, head_of
from tasks.ledger.event_log import Hears, Ledger, event_of
from tasks.stores.seal import SHORTEST_PREFIX

VISIBLE = (State.PUBLISHED, State.SUPERSEDED)
OPEN = (State.AWAITING_APPROVAL, State.APPROVED, State.PUBLISHING, State.STALLED)
ENDING = tuple(sorted({row.event for row in TRANSITIONS if row.source in OPEN and row.target not in OPEN}))


@dataclass(frozen=True)
class Mark:
    """Which event, of what type, and when."""

    seq: int
    type: str
    at: str


@dataclass(frozen=True)
class History:
    """What is asked of the ledger, release by release: each release's own events are read once and checked when they are. The cost of an
    answer follows from the releases that it is about, not from the length of the ledger."""

    ledger: Ledger
    _known: dict[str, tuple[Entry, ...]] = field(default_factory=dict, compare=False, repr=False)

    def of(self, release: str) -> tuple[Entry, ...]:
        if release not in self._known:
            entries = self.ledger.entries(release)
            if entries:
                check_own_chain(entries, release)
            self._known[release] = entries
        return self._known[release]

    def events(self, release: str) -> tuple[Event, ...]:
        return tuple(event_of(entry) for entry in self.of(release))

    def newest(self, release: str, *types: str) -> Mark:
        """The newest event of a release that is of one of these types, which it must have."""
        return next(Mark(entry.seq, entry.type, entry.at) for entry in reversed(self.of(release)) if entry.type in types)

    def holds(self, head: Head) -> bool:
        """Whether it lies on the chain, by the events of the release that it ends with."""
        return any(head_of(entry) == head for entry in self.of(head.release))

    def release(self, release: str) -> Release:
        return self._as_of_now(fold(self.events(release)))

    def _as_of_now(self, folded: Release) -> Release:
        """An overdue candidate counts as expired from its deadline on."""
        return folded if folded.deadline is None else as_of(folded, self.ledger.seen_now())

    def _all_as_of_now(self, folded: Iterable[Release]) -> tuple[Release, ...]:
        """At one moment: the ledger is asked for it once."""
        now = self.ledger.seen_now()
        return all_as_latest(as_of(release, now) for release in folded)

    def sealed(self, candidate: str) -> CandidateSealed | None:
        """The event that sealed this candidate."""
        entry = next(self.ledger.newest_about("sealed", candidate), None)
        event = None if entry is None else event_of(entry)
        return event if isinstance(event, CandidateSealed) else None

    def find(self, name: str) -> Release:
        """By the id of a release or of its candidate, or by a unique beginning (at least 8 digits) of either."""
        wanted = name.strip().lower()
        named = [name] if name != HOME and self.of(name) else []
        if re.fullmatch(rf"[0-9a-f]{{{SHORTEST_PREFIX},64}}", wanted):
            named += self.ledger.releases_beginning(wanted)
            named += [entry.release for entry in self.ledger.about("sealed", wanted, prefix=True)]
        matching = list(dict.fromkeys(named))
        if not matching:
            raise InputRejected(
                f"The ledger knows no release or candidate {name[:80]}.", "See `headgate releases`, and check HEADGATE_HOME."
            )
        if len(matching) > 1:
            raise InputRejected(f"The ids of {len(matching)} releases or candidates begin with {name[:80]}.", "Give more digits.")
        return self.release(matching[0])

    def unanswered(self, dataset: str) -> tuple[str, ...]:
        """The dataset's candidates for which changes were requested, and that no later candidate answers: of all requests, those that came
        after the newest candidate looked for them."""
        newest = next((release for release in self.of_dataset(dataset) if release.candidate), None)
        if newest is None:
            return ()
        looked = next(entry.seq for entry in self.of(newest.release_id) if entry.type == "tracked")
        requests = takewhile(lambda entry: entry.seq > looked, self.ledger.newest_about("changes_requested", ""))
        asked = [release for release in (self.release(entry.release) for entry in requests) if release.dataset == dataset]
        return tuple(release.candidate for release in reversed(asked) if release.candidate not in newest.answers)

    def answered_by(self, ended: Release) -> tuple[str, ...]:
        """The candidates that answer one for which changes were requested."""
        later = takewhile(lambda release: release.release_id != ended.release_id, self.of_dataset(ended.dataset))
        return tuple(release.candidate for release in later if ended.candidate in release.answers)

    def at_target(self, target: str) -> tuple[Release, ...]:
        """What was or is being published there, in the order in which the releases began."""
        there = {entry.release for entry in self.ledger.about("publishing", target)}
        releases = [self.release(release) for release in sorted(there, key=lambda release: self.of(release)[0].seq)]
        return tuple(release for release in releases if release.target == target)

    def of_dataset(self, dataset: str) -> Iterator[Release]:
        """Newest first."""
        return (self.release(entry.release) for entry in self.ledger.newest_about("run_started", dataset))

    def came_out(self, dataset: str) -> tuple[Release, ...]:
        """Every version of the dataset that anybody may have, at whatever target, withdrawn or not; in the order in which the runs began.
        Of other runs no event but the first is read."""
        begun = {entry.release for entry in self.ledger.about("publishing", "", prefix=True)}
        started = [entry.release for entry in self.ledger.about("run_started", dataset) if entry.release in begun]
        return tuple(release for release in map(self.release, reversed(started)) if release.came_out)

    def overtaken(self, release: Release) -> bool:
        """Whether a candidate that waits can never come out: another version of its dataset did that it was not measured with. Only what
        came after it was sealed is read."""
        if release.series is None or release.state not in (State.AWAITING_APPROVAL, State.APPROVED):
            return False
        sealed = next(entry.seq for entry in self.of(release.release_id) if entry.type == "sealed")
        with self.ledger.store.reading() as stored:
            begun = {entry.release for entry in takewhile(lambda entry: entry.seq > sealed, stored.about("publishing", "", prefix=True))}
        later = map(self.release, begun)
        return release.overtaken_by([other.candidate for other in later if other.dataset == release.dataset])

    def last_published(self, dataset: str, target: str) -> Release | None:
        """At this target alone: who reads there may not know what is published elsewhere."""
        return next((each for each in self.of_dataset(dataset) if each.state is State.PUBLISHED and each.target == target), None)

    def of_source(self, source_hmac: str) -> Iterator[Release]:
        """Newest first."""
        return (self.release(entry.release) for entry in self.ledger.newest_about("ingested", source_hmac))

    def open_candidates(self) -> tuple[Release, ...]:
        """Those that may still be decided or published, in the order in which they were sealed."""
        with self.ledger.store.reading() as stored:
            sealed = stored.having("sealed", ENDING)
        return tuple(release for release in (self.release(entry.release) for entry in sealed) if release.state in OPEN)

    def overdue(self) -> tuple[Release, ...]:
        """Candidates whose deadline has passed and of which no event says so yet, in the state that their events give. Of those that
        are open, only the event that sealed them is read."""
        with self.ledger.store.reading() as stored:
            sealed = stored.having("sealed", ENDING)
        now = self.ledger.seen_now()
        late = [entry.release for entry in sealed if (deadline := _deadline(entry)) and now > moment(deadline)]
        folded = (fold(self.events(name)) for name in late)
        return tuple(release for release in folded if self._as_of_now(release) != release)


@dataclass(frozen=True)
class KnownReleases(History):
    """A ledger of which every event was read and checked, at one moment: for those who only read."""

    @cached_property
    def _releases(self) -> tuple[Release, ...]:
        raise NotImplementedError

    def releases(self) -> tuple[Release, ...]:
        """Every release with its state, in the order in which they began."""
        return self._releases

    def at_target(self, target: str) -> tuple[Release, ...]:
        return tuple(release for release in self._releases if release.target == target)

    def latest_runs(self, listed: Iterable[Release]) -> tuple[Release, ...]:
        """Those that are the last of their dataset to have ended: what came of earlier ones is history."""
        latest = {release.dataset: release.release_id for release in self._releases if release.state is not State.RUNNING}
        return tuple(release for release in listed if latest.get(release.dataset) == release.release_id)


@dataclass(frozen=True)
class WholeHistory(KnownReleases):
    """With all its events."""

    entries: tuple[Entry, ...] = ()
    _events: Mapping[str, tuple[Event, ...]] = field(default_factory=dict, compare=False, repr=False)

    def of(self, release: str) -> tuple[Entry, ...]:
        return self._known.get(release, ())

    def events(self, release: str) -> tuple[Event, ...]:
        return self._events.get(release, ())

    @cached_property
    def _releases(self) -> tuple[Release, ...]:
        return self._all_as_of_now(fold(events) for name, events in self._events.items() if name != HOME)


def read_history(ledger: Ledger) -> History:
    """IntegrityBroken unless the head that the home remembers lies on the chain."""
    ledger.require_remembered()
    return History(ledger)


def read_whole(ledger: Ledger, hears: Hears | None = None) -> WholeHistory:
    """IntegrityBroken unless every event's hash and link holds. What is read is kept, and none of it refers back to itself: looking for
    such cycles among a million objects again and again would take longer than reading them."""
    collects = gc.isenabled()
    gc.disable()
    try:
        return _read_whole(ledger, hears)
    finally:
        gc.freeze()
        if collects:
            gc.enable()


def _read_whole(ledger: Ledger, hears: Hears | None) -> WholeHistory:
    own: dict[str, list[tuple[Entry, Event]]] = {}
    whole = ledger.verified(hears)
    for entry, event in whole:
        own.setdefault(entry.release, []).append((entry, event))
    known = {release: tuple(entry for entry, _ in pairs) for release, pairs in own.items()}
    events = {release: tuple(event for _, event in pairs) for release, pairs in own.items()}
    return WholeHistory(ledger, known, tuple(entry for entry, _ in whole), events)


def check_same(release: Release, manifest: Manifest) -> None:
    """What a manifest claims of the run must be what the run's events say."""
    claims = {
        "release": (release.release_id, manifest.release_id),
        "dataset": (release.dataset, manifest.dataset),
        "policy": (release.policy_digest, manifest.policy_digest),
        "number of approvals": (release.required, manifest.approvals_required),
        "role": (release.roles, manifest.roles_required),
        "way of voting": (release.blind, manifest.blind),
        "candidate that it answers": (release.answers, manifest.answers),
        "version that it was measured with": (release.series, manifest.known_versions),
        "moment of publication": (release.not_before, manifest.not_before),
        "runner": ((release.runner, release.machine), (manifest.runner, manifest.machine)),
        "signers": ((release.signers, release.signers_digest), (manifest.signers, manifest.signers_digest)),
        "source": (release.source_hmac, manifest.source_hmac),
        "start of the run": (release.started, manifest.created),
    }
    for what, (recorded, sealed) in claims.items():
        if recorded != sealed:
            raise IntegrityBroken(f"The manifest names another {what} than the ledger recorded.", "Run the release again.")
    if not manifest.verdicts or not all(verdict.passed for verdict in manifest.verdicts):
        raise IntegrityBroken("The manifest holds a gate that did not pass.", "Run the release again.")


def latest_version(releases: Iterable[Release]) -> int | None:
    """The version that `latest` must name: the highest that is out and was not withdrawn."""
    return max((release.version for release in releases if release.state in VISIBLE and release.version is not None), default=None)


def all_as_latest(releases: Iterable[Release]) -> tuple[Release, ...]:
    """The same for all releases at once."""
    every, targets = tuple(releases), defaultdict[str, list[Release]](list)
    for release in every:
        targets[release.target].append(release)
    latest = {target: latest_version(there) for target, there in targets.items()}
    return tuple(
        replace(release, state=State.PUBLISHED, superseded_by="")
        if release.state is State.SUPERSEDED and release.version == latest[release.target]
        else release
        for release in every
    )


def as_latest(release: Release, at_target: Iterable[Release]) -> Release:
    """For whoever reads: a superseded version that `latest` names again, because all that came after it were withdrawn, is published."""
    if release.state is not State.SUPERSEDED or release.version != latest_version(at_target):
        return release
    return replace(release, state=State.PUBLISHED, superseded_by="")


def _deadline(sealed: Entry) -> str | None:
    event = event_of(sealed)
    return event.deadline if isinstance(event, CandidateSealed) else None

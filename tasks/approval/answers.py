"""What ended a candidate, and what the dataset's next one changed in answer to it: approvers see both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headgate.core.errors import HeadgateError
from policies.changes.figure_changes import FigureChange, figure_changes
from policies.ledger.events import CandidateRejected, ChangesRequested, Event, ReleaseWithdrawn
from policies.sealed.manifest import Manifest
from tasks.approval.reasons import kept_reason
from tasks.ledger.history import History
from tasks.runtime.home import Home
from tasks.stores.seal import Candidate, load_candidate


@dataclass(frozen=True)
class LastWord:
    """The signed decision that ended a candidate: `event` is changes_requested, rejected or withdrawn. `reason` is None if the home does
    not have it any more."""

    candidate: str
    event: str
    principal: str
    at: str
    reason: str | None


@dataclass(frozen=True)
class Answer:
    """`changes`: None if the candidate that is answered is not in the home any more."""

    request: LastWord
    policy_changed: bool
    changes: tuple[FigureChange, ...] | None


LAST_WORDS = frozenset({"changes_requested", "rejected", "withdrawn"})  # the kinds of events that say it


def last_word(home: Home, events: Sequence[Event]) -> LastWord | None:
    for event in reversed(events):
        if isinstance(event, ChangesRequested | CandidateRejected | ReleaseWithdrawn):
            try:
                reason = kept_reason(home, event.candidate, event.reason_sha256).text
            except HeadgateError:
                reason = None
            return LastWord(event.candidate, event.event, event.signer.principal, event.at, reason)
    return None


def answers_of(home: Home, history: History, candidate: Candidate) -> tuple[Answer, ...]:
    """What was asked of the candidates before this one, and what has changed since."""
    answers = []
    for before in candidate.manifest.answers:
        release = history.find(before)
        request = last_word(home, history.events(release.release_id))
        if request is not None:
            changed = release.policy_digest != candidate.manifest.policy_digest
            answers.append(Answer(request, changed, _changes_since(home, before, candidate.manifest)))
    return tuple(answers)


def _changes_since(home: Home, before: str, manifest: Manifest) -> tuple[FigureChange, ...] | None:
    try:
        return figure_changes(load_candidate(home.candidates, before).manifest, manifest)
    except HeadgateError:
        return None

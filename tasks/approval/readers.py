"""That somebody looked at a release, or took a file of it away, is an event like any other. It changes no state and holds nobody up."""

from __future__ import annotations

import hashlib

from headgate.core.errors import TransitionRefused
from policies.approval.acts import Act, Actor
from policies.ledger.standing import Release
from policies.ledger.states import Action, ActorRole
from tasks.ledger.event_log import Ledger
from tasks.ledger.history import read_history
from tasks.ledger.record_transition import record_transition

ATTEMPTS = 5
CURE = "See `headgate releases`."


def record_viewed(ledger: Ledger, release: Release, who: str) -> None:
    _record(ledger, release, who, Act(Action.VIEW, candidate=release.candidate, policy_digest=release.policy_digest))


def record_downloaded(ledger: Ledger, release: Release, who: str, content: bytes) -> None:
    """Before the bytes leave."""
    record_taken(ledger, release, who, hashlib.sha256(content).hexdigest())


def record_taken(ledger: Ledger, release: Release, who: str, sha256: str) -> None:
    """The same of a file whose SHA-256 is known."""
    act = Act(Action.DOWNLOAD, candidate=release.candidate, policy_digest=release.policy_digest, file_sha256=sha256)
    _record(ledger, release, who, act)


def _record(ledger: Ledger, release: Release, who: str, act: Act) -> None:
    """A run that has no candidate has nothing that somebody could have seen before others."""
    if not release.candidate:
        return
    for attempt in range(1, ATTEMPTS + 1):
        try:
            record_transition(ledger, release, act, Actor(who, "", ActorRole.READER), CURE)
            return
        except TransitionRefused:
            if attempt == ATTEMPTS:
                raise
            release = read_history(ledger).release(release.release_id)

"""Looking at a candidate. That it was looked at, and by which account of the machine, is an event like any other."""

from __future__ import annotations

import getpass
from dataclasses import dataclass

from policies.approval import Act, Action, Actor, ActorRole
from policies.release import Release
from tasks.decide import release_of
from tasks.history import read_history
from tasks.home import Home
from tasks.ledger import Ledger
from tasks.seal import Candidate, load_candidate
from tasks.transition import record_transition


@dataclass(frozen=True)
class Viewed:
    candidate: Candidate
    release: Release


def view_candidate(home: Home, ledger: Ledger, name: str) -> Viewed:
    """By a unique prefix of its id; every byte has been hashed again."""
    candidate = load_candidate(home.candidates, name)
    release = release_of(read_history(ledger), candidate)
    act = Act(Action.VIEW, candidate=candidate.id, policy_digest=release.policy_digest)
    reader = Actor(getpass.getuser(), "", ActorRole.READER)
    return Viewed(candidate, record_transition(ledger, release, act, reader, "See `headgate releases`."))

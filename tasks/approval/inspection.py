"""Looking at a candidate. That it was looked at, and by which account of the machine, is an event like any other."""

from __future__ import annotations

import getpass
from dataclasses import dataclass

from policies.approval.acts import Act, Actor
from policies.ledger.standing import Release
from policies.ledger.states import Action, ActorRole
from tasks.approval.decisions import release_of
from tasks.ledger.event_log import Ledger
from tasks.ledger.history import read_history
from tasks.ledger.record_transition import record_transition
from tasks.runtime.home import Home
from tasks.stores.seal import Candidate, load_candidate


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

"""Looking at a candidate. That it was looked at, and by which account of the machine, is an event like any other."""

from __future__ import annotations

import os
import pwd
from dataclasses import dataclass

from policies.approval.acts import Act, Actor
from policies.ledger.standing import Release
from policies.ledger.states import Action, ActorRole, State
from tasks.approval.answers import Answer, LastWord, answers_of, last_word
from tasks.approval.decisions import release_of
from tasks.ledger.event_log import Ledger
from tasks.ledger.history import read_history
from tasks.ledger.record_transition import record_transition
from tasks.runtime.home import Home
from tasks.stores.seal import Candidate, load_candidate


@dataclass(frozen=True)
class Viewed:
    """`last_word`: the decision that ended it. `answered_by`: the candidates that answer it."""

    candidate: Candidate
    release: Release
    last_word: LastWord | None = None
    answers: tuple[Answer, ...] = ()
    answered_by: tuple[str, ...] = ()


def view_candidate(home: Home, ledger: Ledger, name: str) -> Viewed:
    """By a unique prefix of its id; every byte has been hashed again."""
    candidate = load_candidate(home.candidates, name)
    history = read_history(ledger)
    release = release_of(history, candidate)
    act = Act(Action.VIEW, candidate=candidate.id, policy_digest=release.policy_digest)
    reader = Actor(_account(), "", ActorRole.READER)
    return Viewed(
        candidate,
        record_transition(ledger, release, act, reader, "See `headgate releases`."),
        last_word(home, history.events(release.release_id)),
        answers_of(home, history, candidate),
        history.answered_by(release) if release.state is State.CHANGES_REQUESTED else (),
    )


def _account() -> str:
    """Of the process, which no variable of the environment changes; its number where it has no name."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())

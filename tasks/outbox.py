"""What the publish flow does with a candidate, by its id alone: home, store and ledger are found anew in whichever process runs it."""

from __future__ import annotations

from headgate.errors import IntegrityBroken
from policies.states import State
from tasks.history import read_history
from tasks.home import Home
from tasks.ledger import open_ledger
from tasks.publish import publish


def state_of(candidate: str) -> str:
    return str(read_history(open_ledger(Home.open().ledger)).find(candidate).state)


def publish_candidate(candidate: str) -> int:
    home = Home.open()
    return publish(home, open_ledger(home.ledger), candidate).version


def check_recorded(candidate: str) -> int:
    """The chain is whole and says that the candidate is out."""
    history = read_history(open_ledger(Home.open().ledger))
    release = history.find(candidate)
    if release.state not in (State.PUBLISHED, State.SUPERSEDED):
        raise IntegrityBroken(f"The ledger says that the candidate is {release.state}, not published.", "Run `headgate audit verify`.")
    return release.events


def candidates_in(*states: State) -> tuple[str, ...]:
    history = read_history(open_ledger(Home.open().ledger))
    return tuple(release.candidate for release in history.releases() if release.state in states)

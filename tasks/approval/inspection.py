"""Looking at a candidate. That it was looked at, and by which account of the machine, is an event like any other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from headgate.core.errors import InputRejected
from policies.approval.acts import Act, Actor
from policies.ledger.standing import Release
from policies.ledger.states import Action, ActorRole, State
from policies.ledger.version_names import version_names
from policies.sealed.manifest import FileEntry, Manifest
from tasks.approval.answers import LAST_WORDS, Answer, LastWord, answers_of, last_word
from tasks.approval.decisions import release_of
from tasks.approval.readers import record_taken
from tasks.ledger.event_log import Ledger
from tasks.ledger.history import History, as_latest, read_history
from tasks.ledger.record_transition import accepted, record_transition
from tasks.runtime.acting_account import acting_account
from tasks.runtime.home import Home
from tasks.stores.files import checked_pieces
from tasks.stores.seal import Candidate, load_candidate, sealed_manifest


@dataclass(frozen=True)
class Viewed:
    """`last_word`: the decision that ended it. `answered_by`: the candidates that answer it. `unrecorded`: why no event says that somebody
    looked; empty where one does. `versions`: what those are called that it was measured with, by candidate. `overtaken`: another version
    came out since it was sealed, so it never can."""

    candidate: Candidate
    release: Release
    last_word: LastWord | None = None
    answers: tuple[Answer, ...] = ()
    answered_by: tuple[str, ...] = ()
    unrecorded: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    overtaken: bool = False


@dataclass(frozen=True)
class SealedFile:
    """Its bytes come once."""

    entry: FileEntry
    pieces: Iterator[bytes]


def view_candidate(
    home: Home,
    ledger: Ledger,
    name: str,
    unrecorded: str = "",
    viewer: str = "",
    history: History | None = None,
    load: Callable[[Path, str], Candidate] = load_candidate,
) -> Viewed:
    """By a unique prefix of its id or its release's; every byte has been hashed again, unless `load` says that it need not. Nothing is
    written where it is said why it is `unrecorded`. `viewer`: who has looked, where that is not the account of the machine. `history`:
    where the ledger was read already."""
    history = history or read_history(ledger)
    candidate = load(home.candidates, _candidate_named(history, name))
    release = release_of(history, candidate)
    act = Act(Action.VIEW, candidate=candidate.id, policy_digest=release.policy_digest)
    reader = Actor(viewer or acting_account(), "", ActorRole.READER)
    cure = "See `headgate releases`."
    seen = (
        accepted(release, act, reader, cure, ledger.seen_now()).release
        if unrecorded
        else record_transition(ledger, release, act, reader, cure)
    )
    return Viewed(
        candidate,
        as_latest(seen, history.at_target(seen.target)),
        last_word(home, history.events(release.release_id)) if release.seen & LAST_WORDS else None,
        answers_of(home, history, candidate),
        history.answered_by(release) if release.state is State.CHANGES_REQUESTED else (),
        unrecorded,
        _versions(history, candidate.manifest),
        history.overtaken(release),
    )


def view_file(home: Home, ledger: Ledger, history: History, candidate: str, sha256: str, viewer: str, recorded: bool = True) -> SealedFile:
    """A sealed file for somebody who takes it with them: that they did is an event, recorded before they have a byte of it, unless it was
    a moment ago."""
    sealed = history.sealed(candidate)
    manifest = None if sealed is None else sealed_manifest(home.candidates, candidate)
    entry = None if manifest is None else next((entry for entry in manifest.files if entry.sha256 == sha256), None)
    if sealed is None or entry is None:
        raise InputRejected("The candidate has no such file.", "See `headgate releases`.")
    pieces = checked_pieces(home.candidates / candidate, entry)
    first = next(pieces, b"")
    if recorded:
        record_taken(ledger, history.release(sealed.release_id), viewer, sha256)
    return SealedFile(entry, chain([first], pieces))


def _versions(history: History, manifest: Manifest) -> dict[str, str]:
    earlier = () if manifest.series is None else manifest.series.earlier
    sealed = [event for candidate in earlier if (event := history.sealed(candidate)) is not None]
    return version_names((history.release(event.release_id) for event in sealed), manifest.publish_to)


def _candidate_named(history: History, name: str) -> str:
    """What the ledger does not know is left to the store of candidates, which says why."""
    try:
        release = history.find(name)
    except InputRejected:
        return name
    if not release.candidate:
        said = f"Release {release.release_id} has no candidate: it is {release.state.replace('_', ' ')}."
        raise InputRejected(said, f"See `headgate audit show {release.release_id}`.")
    return release.candidate

"""What the steward and the approvers of a dataset write to each other about its candidates.

The texts stay in the home and are published nowhere. The ledger holds of each only who wrote it, when, and a digest of text and salt, so
that none can be changed, taken away or put in between later; the digest tells nothing to whoever does not have the text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from headgate.core.errors import HeadgateError, InputRejected, IntegrityBroken, StoreUnavailable, TransitionRefused
from policies.approval.acts import Act, Actor
from policies.ledger.events import CandidateCommented, Event
from policies.ledger.standing import Release
from policies.ledger.states import Action, ActorRole
from tasks.approval.reasons import GivenReason, new_salt, reason_from
from tasks.ledger.event_log import Ledger, event_of
from tasks.ledger.history import read_history
from tasks.ledger.record_transition import accepted, record_transition
from tasks.runtime.boundary import reason_of
from tasks.runtime.home import Home
from tasks.stores.files import read_file, replace_file

ATTEMPTS = 5
SUFFIX = ".comment"
CURE = "Let somebody comment who may sign the candidate, or who ran it."
CHANGED = "A comment in comments/ is not the one that was written."


@dataclass(frozen=True)
class Comment:
    """`text` is empty where the home does not have it any more, or not as it was written; `problem` then says so."""

    candidate: str
    author: str
    at: str
    text: str
    problem: str = ""


@dataclass(frozen=True)
class Thread:
    """Oldest first. `hidden`: how many comments are shown when votes are."""

    comments: tuple[Comment, ...]
    hidden: int = 0


def comments_folder(home: Home, dataset: str) -> Path:
    return home.root / "comments" / dataset


def add_comment(home: Home, ledger: Ledger, name: str, author: str, text: str) -> Release:
    """To a candidate, by its id or its release's. The text is kept first, so that no event is without it."""
    given = GivenReason(text.strip().replace("\r\n", "\n"), new_salt())
    for attempt in range(1, ATTEMPTS + 1):
        release = read_history(ledger).find(name)
        act = Act(
            Action.COMMENT,
            candidate=release.candidate,
            policy_digest=release.policy_digest,
            comment=given.text,
            comment_sha256=hashlib.sha256(given.content).hexdigest(),
        )
        actor = Actor(author, "", ActorRole.CUSTODIAN)
        accepted(release, act, actor, CURE, ledger.now())
        _keep(comments_folder(home, release.dataset), given)
        try:
            return record_transition(ledger, release, act, actor, CURE)
        except TransitionRefused:
            if attempt == ATTEMPTS:
                raise
    raise AssertionError("unreachable")


def read_thread(home: Home, ledger: Ledger, dataset: str, reader: str) -> Thread:
    """What a person may read of it. InputRejected for whoever has no part in the dataset's newest candidate."""
    history = read_history(ledger)
    newest = next((release for release in history.of_dataset(dataset) if release.candidate), None)
    if newest is None or not newest.has_part(reader):
        raise InputRejected("These comments are for those who may sign the candidate, and for who ran it.", CURE)
    comments, hidden = [], 0
    for entry in reversed(ledger.about("commented", dataset)):
        event = event_of(entry)
        if not isinstance(event, CandidateCommented):
            continue
        if history.release(event.release_id).hides_comment(event.author, reader):
            hidden += 1
        else:
            comments.append(_comment(home, event))
    return Thread(tuple(comments), hidden)


def changed_comments(home: Home, events: Iterable[Event]) -> list[str]:
    """For whoever checks the ledger: what is wrong with the comments that are kept."""
    written = [_comment(home, event) for event in events if isinstance(event, CandidateCommented)]
    return [f"A comment of {comment.author} at {comment.at}: {comment.problem}" for comment in written if comment.problem]


def _comment(home: Home, event: CandidateCommented) -> Comment:
    text, problem = "", ""
    try:
        stored = read_file(comments_folder(home, event.dataset), event.comment_sha256 + SUFFIX)
        if stored.sha256 != event.comment_sha256:
            raise IntegrityBroken(CHANGED, "Restore it from a backup.")
        text = reason_from(stored.content).text
    except HeadgateError as broken:
        problem = broken.message
    return Comment(event.candidate, event.author, event.at, text, problem)


def _keep(folder: Path, given: GivenReason) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = folder / (given.digest + SUFFIX)
        replace_file(file, given.content)
        file.chmod(0o600)
    except OSError as problem:
        raise StoreUnavailable(
            f"The comment could not be stored in {folder} ({reason_of(problem)}).", "Check the home's permissions and free space."
        ) from None

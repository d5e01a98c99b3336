"""What ended a candidate, and what the dataset's next one changed in answer to it: approvers see both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from headgate.core.errors import HeadgateError
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
class Change:
    """One figure before and after; None where there is none. `table` is empty for the release as a whole."""

    figure: str
    table: str
    before: float | None
    after: float | None


@dataclass(frozen=True)
class Answer:
    """`changes`: None if the candidate that is answered is not in the home any more."""

    request: LastWord
    policy_changed: bool
    changes: tuple[Change, ...] | None


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


def _changes_since(home: Home, before: str, manifest: Manifest) -> tuple[Change, ...] | None:
    try:
        earlier = load_candidate(home.candidates, before).manifest
    except HeadgateError:
        return None
    old, new = dict(_figures(earlier)), dict(_figures(manifest))
    gone = {table.sensitive: f"{table.name} (before)" for table in earlier.tables}
    names = gone | {table.sensitive: table.name for table in manifest.tables}
    return tuple(
        Change(figure, "" if attributes is None else names[attributes], old.get((figure, attributes)), new.get((figure, attributes)))
        for figure, attributes in dict.fromkeys([*old, *new])
        if old.get((figure, attributes)) != new.get((figure, attributes))
    )


def _figures(manifest: Manifest) -> Iterator[tuple[tuple[str, tuple[str, ...] | None], float | None]]:
    """By what a table holds, since its number says nothing in another plan; None: the release as a whole."""
    whole = {
        "rows": manifest.rows,
        "suppressed": manifest.suppressed,
        "tables": len(manifest.tables),
        "association loss": manifest.plan.association_loss,
        "information exposure": manifest.plan.information_exposure,
        "loss (NCP)": manifest.utility.ncp,
        "query error": manifest.utility.query_error_mean,
    }
    for figure, value in whole.items():
        yield (figure, None), value
    for table in manifest.tables:
        own = {
            "groups": table.groups,
            "k": table.k,
            "linkability": table.figure("linkability"),
            "loss (NCP)": table.ncp,
            "query error": table.query_error_mean,
        }
        for figure, value in own.items():
            yield (figure, table.sensitive), value

"""Dropping who was in which group of versions whose policies say that it is kept no longer: without a signature, since people have approved
the policy, and as an event of each version."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from headgate.core.errors import HeadgateError, StoreUnavailable, TransitionRefused
from policies.approval.acts import Act, Actor
from policies.ledger.events import moment
from policies.ledger.standing import Release
from policies.ledger.states import Action, ActorRole, State
from policies.schema.keep_key import KeepKey
from tasks.approval.decisions import record_takeover
from tasks.approval.kept_policies import kept_form
from tasks.ledger.event_log import Ledger
from tasks.ledger.history import History, read_history
from tasks.ledger.record_transition import record_transition
from tasks.runtime.boundary import reason_of
from tasks.runtime.held_signals import held_signals
from tasks.runtime.home import Home
from tasks.series.side_store import drop, is_kept, kept_datasets
from tasks.stores.files import replace_file

LOOKED = "purging.json"  # in state/: when it was looked for last
EVERY_SECONDS = 6 * 3600
OPEN = (State.RUNNING, State.AWAITING_APPROVAL, State.APPROVED, State.PUBLISHING, State.STALLED)
CURE = "See `headgate purge --by-rule --dry-run`."


@dataclass(frozen=True)
class KeptTooLong:
    """A version, and the rule of its own policy by which its groups are dropped. `unfinished`: that is recorded, and the file is still
    there."""

    release: Release
    rule: str
    unfinished: bool = False


def kept_too_long(home: Home, ledger: Ledger) -> tuple[KeptTooLong, ...]:
    """By the dataset and the order in which they came out. Nothing is written."""
    history = read_history(ledger)
    return tuple(found for dataset in kept_datasets(home) for found in _of_dataset(home, history, dataset))


def _of_dataset(home: Home, history: History, dataset: str) -> Iterator[KeptTooLong]:
    """What any policy would still measure with that counts now stays, whatever an older one says."""
    out = history.came_out(dataset)
    counting = tuple(_that_count(history, dataset, out))
    if not counting or not all(_accepts_lacking(_policy(home, release)) for release in counting):
        return
    now = history.ledger.seen_now()
    for place, release in enumerate(out):
        keep = _keep(_policy(home, release))
        if not is_kept(home, dataset, release.candidate) or keep.groups is None:
            continue
        published = moment(history.newest(release.release_id, "publishing").at)
        if release.purged:
            yield KeptTooLong(release, keep.groups, unfinished=True)
        elif keep.due(published, len(out) - 1 - place, now):
            yield KeptTooLong(release, keep.groups)


def _that_count(history: History, dataset: str, out: Sequence[Release]) -> Iterator[Release]:
    """The newest run, what may still come out, and the newest version that did: a run that came to nothing, of a policy that nobody has
    approved, does not speak for the version that people have."""
    for place, release in enumerate(history.of_dataset(dataset)):
        is_out = bool(out) and release.release_id == out[-1].release_id
        if place == 0 or is_out or release.state in OPEN:
            yield release
        if is_out:
            return


def _policy(home: Home, release: Release) -> dict[str, Any]:
    """As its candidate's digest names it; nothing is dropped by a policy that the home does not keep."""
    form = kept_form(home, release.policy_digest)
    return {} if form is None else json.loads(form)


def _keep(policy: dict[str, Any]) -> KeepKey:
    return KeepKey.model_validate(policy.get("keep") or {})


def _accepts_lacking(policy: dict[str, Any]) -> bool:
    series = (policy.get("gates") or {}).get("series") or {}
    return bool(series.get("unmeasured"))


def purge_by_rule(home: Home, ledger: Ledger) -> tuple[KeptTooLong, ...]:
    """What is kept too long, dropped, each under its dataset's lock. A dataset that is being released comes at another time."""
    purged = []
    for found in kept_too_long(home, ledger):
        with suppress(TransitionRefused):
            _purge(home, ledger, found)
            purged.append(found)
    return tuple(purged)


def _purge(home: Home, ledger: Ledger, found: KeptTooLong) -> None:
    """Recorded first, then dropped."""
    named = found.release
    with held_signals() as held, ledger.lock(named.dataset, named.release_id) as lock:
        record_takeover(ledger, lock)
        held.hold()
        release = read_history(ledger).release(named.release_id)
        if not release.purged:
            kept = is_kept(home, release.dataset, release.candidate)
            act = Act(Action.PURGE_BY_RULE, release.candidate, release.policy_digest, kept=kept, rule=found.rule)
            record_transition(ledger, release, act, Actor("headgate", "", ActorRole.OPERATOR), CURE)
        try:
            drop(home, release.dataset, release.candidate)
        except OSError as problem:
            raise StoreUnavailable(
                f"The purge is recorded, and what is kept in {home.series / release.dataset} could not be removed ({reason_of(problem)}).",
                "Check permissions: the next purge by rule finishes it.",
            ) from None


def looked_lately(home: Home) -> bool:
    """Whether it is too early to look again."""
    with suppress(OSError):
        return 0 <= time.time() - (home.state / LOOKED).stat().st_mtime < EVERY_SECONDS
    return False


def purge_now_and_then(home: Home, ledger: Ledger) -> tuple[KeptTooLong, ...]:
    """For whoever looks often: every few hours something is done. What cannot be purged now holds nothing up."""
    if looked_lately(home):
        return ()
    with suppress(OSError, HeadgateError):
        home.state.mkdir(mode=0o700, exist_ok=True)
        replace_file(home.state / LOOKED, b"{}")
        return purge_by_rule(home, ledger)
    return ()

"""What the home keeps beside its ledger. Whoever puts an older ledger back, and its remembered head with it, leaves here what that ledger
does not know."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from headgate.core.errors import HeadgateError, StoreUnavailable
from policies.ledger.events import SignedDecisionEvent
from policies.ledger.standing import Release
from policies.ledger.states import State
from tasks.approval.approvals import PENDING, RECORDED, decided_candidates, decisions_folder
from tasks.approval.statements import ACTIONS, SignedDecision, read_decision
from tasks.ledger.history import WholeHistory
from tasks.runtime.boundary import reason_of
from tasks.runtime.home import Home
from tasks.stores.files import read_file
from tasks.stores.seal import load_sealed

UNPUBLISHED = (State.CHANGES_REQUESTED, State.REJECTED, State.EXPIRED, State.WITHDRAWN)


@dataclass(frozen=True)
class Kept:
    """Names, listed before the ledger is read, since others may go on meanwhile: what is here is in the ledger by then."""

    candidates: tuple[str, ...]
    of_candidates: tuple[str, ...]
    of_releases: tuple[str, ...]
    decided: tuple[str, ...]
    pending: tuple[tuple[str, str], ...]


def kept_in(home: Home) -> Kept:
    decided = decided_candidates(home)
    pending = [(name, file) for name in decided for file in _names(str(decisions_folder(home, name))) if file.endswith(RECORDED + PENDING)]
    own = [*_names(str(home.origins)), *_names(str(home.seeds))]
    candidates = tuple(filter(_is_digest, _names(str(home.candidates))))
    return Kept(candidates, tuple(filter(_is_digest, own)), _names(str(home.refused)), decided, tuple(pending))


def _is_digest(name: str) -> bool:
    return re.fullmatch("[0-9a-f]{64}", name) is not None


def _names(folder: str) -> tuple[str, ...]:
    try:
        return tuple(sorted(name for name in os.listdir(folder) if not name.startswith(".")))
    except FileNotFoundError:
        return ()
    except OSError as problem:
        raise StoreUnavailable(f"{folder} cannot be read ({reason_of(problem)}).", "Check the home's permissions.") from None


def unknown_to_ledger(home: Home, kept: Kept, releases: Sequence[Release]) -> list[str]:
    """A fault for each candidate and each release of which the home keeps something and the ledger knows nothing."""
    ids = {release.release_id for release in releases}
    sealed = {release.candidate for release in releases if release.candidate}
    unsealed = {release.release_id for release in releases if not release.candidate}
    stopped = {name for name in kept.candidates if name not in sealed and _release_of(home, name) in unsealed}  # killed before the event
    unknown = {*kept.candidates, *kept.of_candidates, *kept.decided} - sealed - stopped - ids
    said = [f"candidate {name[:12]}" if _is_digest(name) else f"release {name[:40]}" for name in sorted(unknown)]
    said += [f"release {name[:40]}" for name in kept.of_releases if name not in ids]
    return [f"The ledger does not know {what}, of which the home keeps something: an older ledger was put back." for what in said]


def _release_of(home: Home, candidate: str) -> str:
    try:
        return load_sealed(home.candidates, candidate).manifest.release_id
    except HeadgateError:
        return ""


def changed_candidates(home: Home, releases: Sequence[Release]) -> list[str]:
    """A fault for each sealed candidate that is not there any more as it was sealed. Nothing of headgate's removes one. A copy
    for an auditor may leave the whole folder out; every home that is worked in has it."""
    faults: list[str] = []
    if not os.path.lexists(home.candidates):
        return faults
    for release in releases:
        try:
            if release.candidate:
                load_sealed(home.candidates, release.candidate, recorded=True)
        except HeadgateError as problem:
            faults.append(f"Candidate {release.candidate[:12]}: {problem.message}")
    return faults


def unrecorded_decisions(home: Home, kept: Kept, history: WholeHistory, releases: Sequence[Release]) -> list[str]:
    """Decisions that were signed and have no event, because somebody was killed between the two, or the event was taken away. One that was
    made again has its event; where nothing came of the candidate it has lost its object."""
    known = {release.decided: release for release in releases}
    lost = []
    for name, file in kept.pending:
        release = known.get(name)
        if release is None or release.state in UNPUBLISHED:
            continue
        events = [event for event in history.events(release.release_id) if isinstance(event, SignedDecisionEvent)]
        made = {(ACTIONS[event.event], event.signer.principal) for event in events}
        recorded = {event.statement_sha256 + RECORDED + PENDING for event in events}
        said = None if file in recorded else _signed(home, name, file)
        if said is not None and (said.action, said.principal) not in made:
            lost.append(f"A decision on {name[:12]} was signed and has no event ({file[:12]}…): whoever made it signs it again.")
    return lost


def _signed(home: Home, name: str, file: str) -> SignedDecision | None:
    """None if it is nobody's decision."""
    for action in ACTIONS.values():
        try:
            return read_decision(read_file(decisions_folder(home, name), file).content, action, file)[1]
        except HeadgateError:
            continue
    return None

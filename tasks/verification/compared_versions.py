"""Two candidates or versions as they lie in the home or in folders, read so that they can be compared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from headgate.core.errors import IntegrityBroken
from headgate.series.kept_version import KeptVersion
from policies.changes.people_changes import PeopleChange, people_counted
from policies.changes.release_changes import Side
from policies.ledger.events import RunStarted
from policies.ledger.states import State
from tasks.approval.inspection import view_candidate
from tasks.approval.kept_policies import kept_policy
from tasks.ledger.history import History, read_history
from tasks.ledger.open_ledger import LookedAt
from tasks.runtime.home import Home
from tasks.series.side_store import kept
from tasks.signing.home_keys import lacks_ledger_key
from tasks.stores.seal import Candidate, load_candidate
from tasks.verification.released_folder import read_with_manifest

OUT = (State.PUBLISHED, State.SUPERSEDED, State.WITHDRAWN)


def side_of_folder(folder: Path) -> Side:
    """A published version, anybody's. Its policy is not in it."""
    manifest, read = read_with_manifest(folder)
    return Side(manifest, read.release)


def side_in_home(there: LookedAt, name: str) -> Side:
    """By the beginning of its id or its release's. That somebody looks at what is not published is an event."""
    history = read_history(there.ledger)
    known = history.find(name)
    if known.candidate and known.state in OUT:
        candidate = load_candidate(there.home.candidates, known.candidate)
    else:
        candidate = view_candidate(there.home, there.ledger, name, there.unrecorded).candidate
    return side_of_candidate(there.home, history, candidate)


def side_of_candidate(home: Home, history: History, candidate: Candidate) -> Side:
    """With the policy under which it ran."""
    started = next(event for event in history.events(candidate.manifest.release_id) if isinstance(event, RunStarted))
    return replace(side_of_folder(candidate.folder), candidate=candidate.id, policy=policy_of_run(home, started))


def people_between(there: LookedAt, before: str, after: str) -> PeopleChange | None:
    """Of two candidates of one dataset, counted in the home; None where it does not keep both."""
    if lacks_ledger_key(there.home.keys):  # a copy for an auditor has no keys to read it with
        return None
    history = read_history(there.ledger)
    kept_of = [_kept(there.home, history, candidate) for candidate in (before, after)]
    return None if kept_of[0] is None or kept_of[1] is None else people_counted(kept_of[0], kept_of[1])


def _kept(home: Home, history: History, candidate: str) -> KeptVersion | None:
    """What was purged counts as gone, whatever is still there."""
    release = history.find(candidate)
    return None if release.purged else kept(home, release.dataset, candidate)


def policy_of_run(home: Home, started: RunStarted) -> Mapping[str, Any] | None:
    """The digested form of the policy under which it ran; None for a run of an earlier version, which kept none."""
    kept = kept_policy(home, started)
    if kept is None:
        return None
    content = json.loads(kept.digested)
    if not isinstance(content, dict):
        raise IntegrityBroken("The policy that the home keeps of this release is not one.", "Restore it from a backup.")
    return content

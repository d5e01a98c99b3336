"""Attacks on a sealed candidate, at any time after its release. Who was suppressed nobody knows any more: everybody of the source is
attacked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from headgate.core.errors import InputRejected
from policies.ledger.standing import Release
from tasks.approval.inspection import view_candidate
from tasks.attacks.attempts import Attempt, drawn_from, read_finished, try_attacks
from tasks.attacks.kept_series import series_of
from tasks.attacks.origin import reopen
from tasks.attacks.series_attempts import try_series
from tasks.ledger.event_log import Ledger
from tasks.runtime.home import Home
from tasks.stores.seal import Candidate

MOST_PEOPLE = 100_000  # attacked in one table, unless more are asked for


@dataclass(frozen=True)
class AttackedCandidate:
    candidate: Candidate
    release: Release
    people: int  # attacked in one table
    attempts: tuple[Attempt, ...]


def attack_candidate(
    home: Home,
    ledger: Ledger,
    name: str,
    policy: Path | None = None,
    source: Path | None = None,
    people: int | None = None,
    unrecorded: str = "",
) -> AttackedCandidate:
    """Who attacks has looked at the candidate, and that is an event. Policy and source must be those it was made from."""
    if people is not None and people < 1:
        raise InputRejected("There is nobody to attack.", "Give --people from 1 up, or leave it out.")
    viewed = view_candidate(home, ledger, name, unrecorded)
    candidate, manifest = viewed.candidate, viewed.candidate.manifest
    opened = reopen(home, candidate, policy, source)
    files = {
        figures.name: [candidate.folder / path for path in figures.paths(figures.path.rpartition(".")[2])] for figures in manifest.tables
    }
    prepared = opened.source
    finished = read_finished(manifest.promise, files, prepared.table, prepared.original, prepared.attackers)
    most = MOST_PEOPLE if people is None else people
    generator = drawn_from(bytes.fromhex(candidate.id))
    attempts = try_attacks(finished, most, generator)
    series = series_of(home, candidate, opened, finished)
    if series is not None:
        attempts += (series,) if isinstance(series, Attempt) else try_series(series, finished, most, generator)
    return AttackedCandidate(candidate, viewed.release, min(most, prepared.table.rows), attempts)

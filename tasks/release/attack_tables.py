"""Attacks on what was made, a second opinion to its gates: as a step of the release, and again on a sealed candidate.

Nothing is judged by them. A release attacks some of the people who were released. Later nobody knows any more who was suppressed: then
everybody of the source is attacked.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from headgate.core.errors import InputRejected
from policies.ledger.standing import Release
from tasks.approval.inspection import view_candidate
from tasks.attacks.attempts import Attempt, read_finished, try_attacks
from tasks.attacks.origin import reopen
from tasks.ledger.event_log import Ledger
from tasks.release.workbench import Workbench, present
from tasks.runtime.home import Home
from tasks.stores.seal import Candidate

PEOPLE = 10_000  # attacked in one table by a release
MOST_PEOPLE = 100_000  # and later, unless more are asked for


@dataclass(frozen=True)
class Attacked:
    candidate: Candidate
    release: Release
    people: int  # attacked in one table
    attempts: tuple[Attempt, ...]


def attack_tables(bench: Workbench) -> int:
    """Gives how many attacks were tried."""
    released = np.flatnonzero(present(bench.kept, "plan"))
    table, original = (present(one, "encoded source").take(released) for one in (bench.table, bench.original))
    files = {name: bench.examine(bench.written[name][0].path) for name in bench.names}
    finished = read_finished(present(bench.promise, "promise"), files, table, original, bench.attackers)
    attempts = try_attacks(finished, PEOPLE, _generator(bench.seed))
    bench.attacks = tuple(attempt.sentence for attempt in attempts)
    return len(attempts)


def attack_candidate(
    home: Home, ledger: Ledger, name: str, policy: Path | None = None, source: Path | None = None, people: int | None = None
) -> Attacked:
    """Who attacks has looked at the candidate, and that is an event. Policy and source must be those it was made from."""
    if people is not None and people < 1:
        raise InputRejected("There is nobody to attack.", "Give --people from 1 up, or leave it out.")
    viewed = view_candidate(home, ledger, name)
    candidate, manifest = viewed.candidate, viewed.candidate.manifest
    opened = reopen(home, candidate, policy, source)
    files = {figures.name: candidate.folder / figures.path for figures in manifest.tables}
    finished = read_finished(manifest.promise, files, opened.table, opened.original, opened.attackers)
    most = MOST_PEOPLE if people is None else people
    attempts = try_attacks(finished, most, _generator(bytes.fromhex(candidate.id)))
    return Attacked(candidate, viewed.release, min(most, opened.table.rows), attempts)


def _generator(seed: bytes) -> np.random.Generator:
    return np.random.default_rng(int.from_bytes(hashlib.sha256(seed + b"attacks").digest()[:8], "big"))

"""Why a run came to no candidate, and what to do: what its last event can tell, which holds no text of an error and no value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from policies.ledger.events import Event, ReleaseAbandoned, ReleaseRefused, RunFailed

STEPS = {
    "start": "before its first step",
    "ingest": "while reading the source",
    "expect": "while checking the source against its expectations",
    "dictionaries": "while reading what attackers know",
    "suppress-cells": "while suppressing cells",
    "transform": "while preparing the columns",
    "plan": "while choosing the tables",
    "former-groups": "while looking up who was published together before",
    "anonymize": "while grouping people",
    "leave-out": "while leaving out whom the versions together would give away",
    "regroup": "while grouping people again",
    "write": "while writing the tables",
    "expect-published": "while checking the written tables",
    "compare-versions": "while comparing with the versions before it",
    "gate": "while measuring the written tables",
    "attack": "while attacking the written tables",
    "judge": "while judging the gates",
    "track": "while recording the run in MLflow",
    "candidate": "while sealing the candidate",
    "audit": "while writing the ledger",
}
ABANDONED = "abandoned"  # what is recorded of a run whose lock another took over
AGAIN = "run `headgate release POLICY`"
AGAIN_FIRST = "Run `headgate release POLICY`"
KINDS = {
    1: ("a defect of headgate", f"{AGAIN_FIRST}: if it fails again, report what it says."),
    2: ("the source or the policy was not accepted", f"Check the source and the policy, and {AGAIN}: it names the place."),
    3: ("a requirement cannot be met", f"{AGAIN_FIRST}: it says what was measured and what is required."),
    4: ("it was not allowed", "Check who may run and who may sign (`headgate doctor`), and " + AGAIN + "."),
    5: ("something is not as it was recorded or signed", "Run `headgate audit verify` before anything else."),
    6: (
        "a store, a server or the home could not be used",
        f"Check that the source's database, the store and the servers answer and that the disk has space, and {AGAIN}.",
    ),
    130: ("it was interrupted", f"To make up for it, {AGAIN}."),
}


@dataclass(frozen=True)
class RunProblem:
    """`what` begins in the middle of a sentence, after the name of the run; `cure` is a sentence. `failed`: kinds of gates."""

    what: str
    cure: str
    step: str | None = None
    code: int = 0
    failed: tuple[str, ...] = ()


def run_problem(events: Iterable[Event], report: str = "") -> RunProblem | None:
    """Of a run's events; None if it was neither refused nor failed. `report`: where that of a refused one lies, if it still does."""
    for event in events:
        match event:
            case ReleaseRefused():
                return _refused(event, report)
            case RunFailed() if event.step != ABANDONED:
                why, cure = KINDS.get(event.code, KINDS[1])
                return RunProblem(f"failed {STEPS.get(event.step, f'in the step {event.step}')}: {why}", cure, event.step, event.code)
            case RunFailed() | ReleaseAbandoned(candidate=""):
                return RunProblem("failed: its process ended before the run did", f"To make up for it, {AGAIN}.", code=6)
    return None


def _refused(event: ReleaseRefused, report: str) -> RunProblem:
    unmet = f"{' and '.join(event.failed)} {'was' if len(event.failed) == 1 else 'were'} not met"
    figures = f"Read {report}" if report else AGAIN_FIRST
    return RunProblem(f"was refused: {unmet}", f"{figures}: it says what was measured and what helps.", code=3, failed=event.failed)

"""What a check says: one sentence about one thing, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from headgate.core.errors import HeadgateError
from headgate.core.units import counted
from tasks.ledger.event_log import Ledger
from tasks.runtime.home import Home


class Status(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAILURE = "failure"


WARNED = 3  # exit codes: a requirement is not met; the graver ones are those of the errors themselves
UNUSABLE = 6
BROKEN = 5


@dataclass(frozen=True)
class Finding:
    """`cure` is empty where all is well. `code`: the exit code that a failure ends with."""

    name: str
    status: Status
    message: str
    cure: str = ""
    code: int = 0


@dataclass(frozen=True)
class Situation:
    """What every check is given."""

    home: Home
    ledger: Ledger


Check = Callable[[Situation], Iterable[Finding]]


def well(name: str, message: str) -> Finding:
    return Finding(name, Status.OK, message)


def warned(name: str, message: str, cure: str) -> Finding:
    return Finding(name, Status.WARNING, message, cure, WARNED)


def failed(name: str, message: str, cure: str, code: int = UNUSABLE) -> Finding:
    return Finding(name, Status.FAILURE, message, cure, code)


def summary(findings: Sequence[Finding]) -> HeadgateError | None:
    """None if all is well."""
    code = exit_code(findings)
    if not code:
        return None
    failures = [finding for finding in findings if finding.status is Status.FAILURE]
    told = failures or [finding for finding in findings if finding.status is Status.WARNING]
    named = ", ".join(dict.fromkeys(finding.name for finding in told))
    message = f"{counted(len(told), 'check')} failed: {named}." if failures else f"{counted(len(told), 'warning')}: {named}."
    problem = HeadgateError(message, "Each line above has its cure; with --json they stand in `checks`.")
    problem.code = code
    return problem


def exit_code(findings: Sequence[Finding]) -> int:
    """0 if all is well, 3 if there are warnings only, 5 if anything is changed that must not be, else 6."""
    codes = {finding.code for finding in findings if finding.status is not Status.OK}
    if not codes:
        return 0
    return BROKEN if BROKEN in codes else WARNED if codes == {WARNED} else UNUSABLE

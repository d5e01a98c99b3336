"""Every check of `headgate doctor`, and how they are made: all at once, each with a few seconds, and none can hold up the others."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable

from headgate.core.errors import HeadgateError
from tasks.checks.connections import check_mlflow, check_prefect, check_provider, check_targets
from tasks.checks.finding import BROKEN, UNUSABLE, Check, Finding, Situation, failed
from tasks.checks.ledger_state import check_chain, check_cosigned, check_ledger, check_series
from tasks.checks.machine import check_clock, check_disk, check_versions
from tasks.checks.routine import check_backup, check_messages, check_schedules
from tasks.checks.trust import check_keys, check_rights, check_signers
from tasks.runtime.boundary import class_and_place

SECONDS = 15.0
CHECKS: tuple[tuple[str, Check], ...] = (
    ("ledger", check_ledger),
    ("chain", check_chain),
    ("cosigned", check_cosigned),
    ("series", check_series),
    ("mlflow", check_mlflow),
    ("prefect", check_prefect),
    ("targets", check_targets),
    ("sign-in", check_provider),
    ("versions", check_versions),
    ("rights", check_rights),
    ("signers", check_signers),
    ("keys", check_keys),
    ("clock", check_clock),
    ("disk", check_disk),
    ("schedules", check_schedules),
    ("backup", check_backup),
    ("messages", check_messages),
)


def findings(situation: Situation, checks: Iterable[tuple[str, Check]] = CHECKS, seconds: float = SECONDS) -> tuple[Finding, ...]:
    """In the order of the checks. One that cannot be made, or takes longer, is a failure: nobody knows then."""
    said: dict[str, tuple[Finding, ...]] = {}

    def make(name: str, check: Check) -> None:
        try:
            said[name] = tuple(check(situation))
        except HeadgateError as problem:
            said[name] = (failed(name, problem.message, problem.cure, BROKEN if problem.code == BROKEN else UNUSABLE),)
        except Exception as foreign:  # noqa: BLE001 - its text may hold anything
            what = f"This check broke: {class_and_place(foreign)}."
            said[name] = (failed(name, what, "This is a defect of headgate; please report this line."),)

    at_work = [(name, threading.Thread(target=make, args=(name, check), name=f"check {name}", daemon=True)) for name, check in checks]
    ends = time.monotonic() + seconds
    for _, thread in at_work:
        thread.start()
    for _, thread in at_work:
        thread.join(max(0.0, ends - time.monotonic()))
    made = dict(said)  # what comes later is not waited for
    return tuple(finding for name, _ in at_work for finding in made.get(name) or (_silent(name, seconds),))


def _silent(name: str, seconds: float) -> Finding:
    return failed(
        name, f"This check took longer than {seconds:.0f} seconds.", "Find out what does not answer, and run `headgate doctor` again."
    )

"""What the operator asks when nothing may be written: how the ledger, the home's memory of it and the clock stand, and the two things
that only the operator may confirm."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from headgate.core.errors import HeadgateError, IntegrityBroken, StoreUnavailable
from tasks.approval.approvals import operator_roots
from tasks.approval.operator_demands import operator_demands
from tasks.ledger.event_log import Ledger
from tasks.ledger.history import History
from tasks.runtime.home import Home
from tasks.runtime.operator_settings import OPERATOR_FILE
from tasks.verification.audit import examine_audit
from tasks.verification.completeness import kept_versions, known_to_matter, lacking, left_over, unfinished_purges


@dataclass(frozen=True)
class CheckUp:
    """`clock`, `ledger`, `signers` and `series` say what is wrong, "" if nothing is."""

    events: int
    last_event: str
    present: datetime
    clock: str
    ledger: str
    signers: str
    series: str


def check_up(home: Home, ledger: Ledger) -> CheckUp:
    with ledger.store.reading() as stored:
        last = stored.last()
    clock = chain = ""
    try:
        ledger.require_remembered()
        ledger.now()
    except StoreUnavailable as problem:
        clock = f"{problem.message} {problem.cure}"
    except IntegrityBroken as problem:
        chain = f"{problem.message} {problem.cure}"
    events, at = (0, "") if last is None else (last.seq, last.at)
    return CheckUp(events, at, ledger.clock(), clock, chain, signers_told(home), _series(home, ledger))


def _series(home: Home, ledger: Ledger) -> str:
    """What the home lacks or should not have of what versions are compared with."""
    try:
        kept = kept_versions(home)
        releases = known_to_matter(History(ledger), ledger, kept)
        return " ".join((*lacking(home, releases), *unfinished_purges(kept, releases), *left_over(kept, releases)))
    except HeadgateError as problem:
        return f"{problem.message} {problem.cure}"


def signers_told(home: Home) -> str:
    """A list that cannot be read, lines of it that count for nothing because the key is, or was, the home's own, and names that the
    operator's demands spell otherwise than the list."""
    try:
        roots, operator = operator_roots(home), operator_demands(home).operator
    except HeadgateError as problem:
        return f"{problem.message} {problem.cure}"
    own = sorted({entry.principal for entry in roots.entries if entry.fingerprint in roots.own})
    named = {*(operator.runners or ()), *(operator.operators or ()), *(person for people in operator.roles.values() for person in people)}
    unknown = sorted(named - {entry.principal for entry in roots.entries})
    faults = []
    if own:
        faults.append(f"A key that is or was the home's own is listed for {', '.join(own)} and counts for nobody. List a key of their own.")
    if unknown:
        faults.append(f"{OPERATOR_FILE} names {', '.join(unknown)}, and no line of signers does: correct the name, or add a line.")
    return " ".join(faults)


def confirm_clock(ledger: Ledger) -> None:
    """From now on time is measured from this moment. A clock behind the last event stays refused: time never runs backwards."""
    ledger.require_remembered()
    ledger.remember_anew()


def accept_ledger(home: Home, ledger: Ledger) -> int:
    """After a loss: the ledger as it is counts from now on, if nothing but the home's memory speaks against it. The number of events."""
    forgotten = ""
    try:
        ledger.require_remembered()
    except IntegrityBroken as problem:
        forgotten = problem.message
    report = examine_audit(home, ledger)
    faults = [fault for fault in report.faults if fault != forgotten]
    if faults:
        raise IntegrityBroken(" ".join(faults), "Correct that first: the ledger cannot be accepted while anything else contradicts it.")
    ledger.remember_anew()
    return report.events

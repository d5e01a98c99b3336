"""Withdrawing a release: a signed event, `latest` back to the version before, the record of it in the version, and an event that says
that nothing is left to do. Nothing is deleted: what was public stays provable. Killed at any point, withdrawing again finishes what is
left."""

from __future__ import annotations

from dataclasses import dataclass

from headgate.core.errors import Defect
from policies.approval.acts import Act
from policies.ledger.events import ReleaseWithdrawn
from policies.ledger.standing import Release
from policies.ledger.states import Action, State
from tasks.approval.approvals import kept_envelope
from tasks.approval.decisions import Signing, record_takeover, record_withdrawal, require_may_withdraw
from tasks.ledger.event_log import Ledger
from tasks.ledger.history import History, latest_version, read_history
from tasks.ledger.record_transition import record_transition
from tasks.publication.partly_done import partly_done
from tasks.publication.publish_version import PUBLISHER
from tasks.publication.recorded_withdrawal import withdrawal_record
from tasks.publication.targets import open_targets
from tasks.runtime.held_signals import held_signals
from tasks.runtime.home import Home
from tasks.signing.home_keys import ledger_key
from tasks.stores.release_store import ReleaseStore, Series


@dataclass(frozen=True)
class Withdrawal:
    """`latest`: the version that `latest` names now, None if no version is left or none was published."""

    release: Release
    latest: int | None
    already: bool = False
    by: str = ""  # of one that was withdrawn already: by whom, and when


def withdraw(home: Home, ledger: Ledger, name: str, key: Signing, reason: str, store: ReleaseStore | None = None) -> Withdrawal:
    """By release id or candidate. A withdrawal that was cut short is finished."""
    release = read_history(ledger).find(name)
    already = release.state is State.WITHDRAWN
    by = _withdrawn_by(read_history(ledger), release)
    if already:
        require_may_withdraw(home, ledger, release, key)
    with held_signals() as held, ledger.lock(release.dataset, release.release_id) as lock:
        record_takeover(ledger, lock)
        held.hold()
        if not already:
            release = record_withdrawal(home, ledger, release.release_id, key, reason).release
        if release.version is None:
            return Withdrawal(release, None, already, by)
        series = (store or open_targets(home)).series(release.target)
        with partly_done("The withdrawal is signed and recorded, and something is left to do.", series.address(), "withdraw"):
            latest = mark_withdrawn(home, read_history(ledger), release, series)
            return Withdrawal(_settled(ledger, release), latest, already, by)


def _withdrawn_by(history: History, release: Release) -> str:
    signed = (event for event in history.events(release.release_id) if isinstance(event, ReleaseWithdrawn))
    return next((f"by {event.signer.principal} on {event.at[:10]}" for event in signed), "")


def _settled(ledger: Ledger, release: Release) -> Release:
    """From now on a version without its withdrawal, or a `latest` that names it, was changed by somebody else."""
    if release.settled:
        return release
    act = Act(Action.SETTLE, candidate=release.candidate, policy_digest=release.policy_digest)
    return record_transition(ledger, release, act, PUBLISHER, "Withdraw again to finish it.")


def mark_withdrawn(home: Home, history: History, release: Release, series: Series) -> int | None:
    """`latest` first, then the signed withdrawal into the version; what is left of one that was never placed is removed. Until an event
    says that both are done, the withdrawal is unfinished and `latest` may name either."""
    if release.version is None:
        return None
    signed = [(place, event) for place, event in enumerate(history.events(release.release_id), 1) if isinstance(event, ReleaseWithdrawn)]
    if not signed:
        raise Defect("Tried to mark as withdrawn a release that is not.", "This is a defect of headgate; please report it.")
    series.prepare()
    newest = latest_version(history.at_target(series.target))
    series.point_latest(newest)
    if release.version in series.versions():
        place, event = signed[0]
        envelope, until = kept_envelope(home, release.candidate, event.statement_sha256), history.of(release.release_id)[:place]
        series.mark_withdrawn(release.version, withdrawal_record(release.candidate, until, envelope, ledger_key(home.keys)))
    else:
        series.clear(release.version, release.candidate)
    return newest

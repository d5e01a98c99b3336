"""Dropping what the home keeps of a version for comparing later ones with it: an operator's signed act, and an event."""

from __future__ import annotations

from headgate.core.errors import StoreUnavailable
from policies.ledger.standing import Release
from policies.ledger.states import Action
from tasks.approval.decisions import Signing, record_takeover
from tasks.approval.operating import operator_of, record_operation
from tasks.approval.operator_demands import operator_demands
from tasks.ledger.event_log import Ledger
from tasks.ledger.history import read_history
from tasks.runtime.boundary import reason_of
from tasks.runtime.held_signals import held_signals
from tasks.runtime.home import Home
from tasks.series.side_store import drop, is_kept


def what_a_purge_means(home: Home, release: Release) -> tuple[str, ...]:
    """For whoever signs, before and after."""
    version = f"version {release.version} of {release.dataset}"
    return (
        f"No later version can be measured together with {version} any more.",
        f"The next release of {release.dataset} is refused unless its policy says why that is accepted, beside its bounds: "
        "gates.series: {unmeasured: REASON}. Approvers read the reason.",
        f"Backups that hold {home.series.name}/{release.dataset}/{release.candidate[:12]}… beside keys/ can still be read.",
    )


def purge(home: Home, ledger: Ledger, name: str, key: Signing, reason: str) -> Release:
    """Recorded first, then dropped: from the event on nobody measures with it, whatever is still there. Killed between the two, what is
    left is dropped by the same command again, or by the next run of the dataset; `headgate doctor` says so meanwhile."""
    named = read_history(ledger).find(name)
    with held_signals() as held, ledger.lock(named.dataset, named.release_id) as lock:
        record_takeover(ledger, lock)
        held.hold()
        release = read_history(ledger).release(named.release_id)
        keeps = bool(release.candidate) and is_kept(home, release.dataset, release.candidate)
        if release.purged and keeps:
            operator_of(home, key, operator_demands(home), ledger.now())
        else:
            release = record_operation(home, ledger, named, Action.PURGE, key, reason, keeps)
        try:
            drop(home, release.dataset, release.candidate)
        except OSError as problem:
            raise StoreUnavailable(
                f"The purge is signed and recorded, and what is kept in {home.series / release.dataset} could not be removed "
                f"({reason_of(problem)}).",
                "Check permissions, and purge it again to finish.",
            ) from None
        return release

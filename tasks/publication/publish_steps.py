"""The steps of the publish flow as Prefect tasks. Each is given a candidate's id alone: home, store and ledger are found anew in whichever
process runs it."""

from __future__ import annotations

from headgate.core.errors import IntegrityBroken
from tasks.approval.decisions import record_expiries
from tasks.approval.purging_by_rule import purge_now_and_then
from tasks.ledger.history import VISIBLE, read_history
from tasks.ledger.open_ledger import open_ledger
from tasks.publication.publication_queue import due_now
from tasks.publication.publish_version import publish
from tasks.runtime.boundary import guarded
from tasks.runtime.home import Home
from tasks.runtime.prefect_task import prefect_task


@prefect_task("decide")
def decide(candidate: str) -> str:
    """Step 9: the state that the verified chain and the signatures give this candidate."""
    return str(read_history(open_ledger(Home.open())).find(candidate).state)


@prefect_task("publish")
def put_in_place(candidate: str) -> int:
    """Step 10: re-hashed, copied, hashed again at the target, `latest` last; gives the version."""
    home = Home.open()
    return publish(home, open_ledger(home), candidate).version


@prefect_task("audit")
def audit(candidate: str) -> int:
    """Step 11: the chain is whole and says that the candidate is out; gives the number of events of the release."""
    history = read_history(open_ledger(Home.open()))
    release = history.find(candidate)
    if release.state not in VISIBLE:
        raise IntegrityBroken(f"The ledger says that the candidate is {release.state}, not published.", "Run `headgate audit verify`.")
    return release.events


@guarded
def candidates_due() -> tuple[str, ...]:
    """The queue, folded from the ledger. Whose deadline has passed is recorded first."""
    home = Home.reopen()
    ledger = open_ledger(home)
    record_expiries(home, ledger)
    now, history = ledger.now(), read_history(ledger)
    return due_now(history, history.open_candidates(), now)


@guarded
def purge_kept_too_long() -> tuple[str, ...]:
    """What policies say is kept no longer; a sentence for each version."""
    home = Home.open()
    purged = purge_now_and_then(home, open_ledger(home))
    return tuple(f"{each.release.dataset}: the groups of version {each.release.version} are dropped, after {each.rule}." for each in purged)


@guarded
def dataset_of(candidate: str) -> str:
    return read_history(open_ledger(Home.open())).find(candidate).dataset

"""The flow that makes up for runs that were missed, where a worker does the work of `headgate serve`: it looks once, and is run again and
again. Runs whose process is gone are marked as crashed first, so that they do not keep others from starting."""

from __future__ import annotations

from contextlib import suppress

from prefect import flow

from flows.policy_files import resolve_policy
from flows.schedules.missed_runs import MissedRuns, Served
from flows.schedules.wanted_deployments import RELEASE, made_by
from headgate.core.errors import HeadgateError
from tasks.release.served_runs import TAG, crash_abandoned, note_process, start_due
from tasks.runtime.home import Home
from tasks.runtime.prefect_deployments import Deployed, deployments_there
from tasks.signing.home_keys import home_fingerprint


@flow(name="start-missed", persist_result=False)
def start_missed() -> None:
    note_process()
    crash_abandoned(own_server=False)
    home = Home.reopen()
    MissedRuns(home, served_there(home, deployments_there()), start_due).look()


def served_there(home: Home, there: tuple[Deployed, ...]) -> dict[str, Served]:
    """The releases at the server that another home has not deployed, and nobody has paused. Whether a policy may run from where it lies,
    its registration in this home says."""
    own, prefix = made_by(home_fingerprint(home.keys)), made_by("")
    releases = [deployed for deployed in there if deployed.full_name.startswith(f"{RELEASE}/") and TAG in deployed.tags]
    ours = [one for one in releases if not one.paused and all(tag == own for tag in one.tags if tag.startswith(prefix))]
    served = {}
    for one in ours:
        with suppress(HeadgateError, RuntimeError):  # one that names no policy keeps none of the others waiting
            served[one.full_name.partition("/")[2]] = Served(resolve_policy(_policy(one)), one.id)
    return served


def _policy(deployed: Deployed) -> str:
    return str(deployed.words["parameters"].get("policy", ""))

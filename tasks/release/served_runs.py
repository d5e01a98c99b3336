"""Which process has a run of a deployment, noted at Prefect's server: a run whose process is gone would count as running for ever, and its
schedule, which runs one at a time, would never start another. `headgate serve` has started it, or a worker. What came of the release itself
is in the ledger."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from tasks.ledger.dataset_lock import Process, runs_still, this_process
from tasks.runtime.boundary import guarded
from tasks.runtime.parent_watch import MERCY_SECONDS, VARIABLE, lives, this_one, was_served

if TYPE_CHECKING:
    from uuid import UUID

    from prefect.client.schemas.objects import FlowRun

LABEL = "headgate.process"
SERVED_BY = "headgate.served-by"
PATIENCE_SECONDS = MERCY_SECONDS + 5.0
TAG = "headgate"  # of every deployment that `serve` or `deploy` makes
DUE = "headgate-due"  # of a run that makes up for a moment without one
EARLIEST_SECONDS = 10.0
UNFINISHED = ("PENDING", "RUNNING", "CANCELLING")
GONE = "Its process is gone; the ledger says what came of the release."


@guarded
def note_process() -> None:
    """In a run of a deployment; anywhere else nothing happens. Of a worker's run its own process is noted: it ends with nobody else's."""
    if not _deployed():
        return
    from uuid import UUID

    from prefect.client.orchestration import get_client
    from prefect.runtime import flow_run

    served_by = os.environ[VARIABLE] if was_served() else this_one()
    with get_client(sync_client=True) as client:
        note: dict[str, bool | int | float | str] = {LABEL: noted_form(this_process()), SERVED_BY: served_by}
        client.update_flow_run_labels(UUID(flow_run.id), note)


@guarded
def by_schedule() -> bool:
    """Whether a schedule has started this run, not somebody at Prefect's server. Prefect does so up to a second early; this returns when
    the moment has come."""
    if not _deployed():
        return False
    from uuid import UUID

    from prefect.client.orchestration import get_client
    from prefect.runtime import flow_run

    with get_client(sync_client=True) as client:
        run = client.read_flow_run(UUID(flow_run.id))
    if run.auto_scheduled and run.expected_start_time is not None:
        early = run.expected_start_time.timestamp() - time.time()
        time.sleep(min(max(early, 0.0), EARLIEST_SECONDS))
    return run.auto_scheduled or DUE in run.tags


def _deployed() -> bool:
    """No server is asked where a command has started the run."""
    if was_served():
        return True
    from prefect.runtime import deployment

    return deployment.id is not None


@guarded
def drop_late(deployments: Collection[UUID]) -> int:
    """Removes the runs for which nobody was there at their moment, and gives their number: Prefect would start each of them. The ledger
    says which are due."""
    from datetime import UTC, datetime

    from prefect.client.orchestration import get_client

    late = {
        "deployment_id": {"any_": [str(deployment) for deployment in deployments]},
        "expected_start_time": {"before_": datetime.now(UTC).isoformat()},
    }
    dropped = 0
    with get_client(sync_client=True) as client:
        while runs := [run for run in _unfinished(client, late, ("SCHEDULED",)) if run.auto_scheduled]:  # the server gives 200 at most
            for run in runs:
                client.delete_flow_run(run.id)
            dropped += len(runs)
    return dropped


@guarded
def start_due(deployment: UUID, release: str = "") -> bool:
    """Starts a run of the deployment, with this id of its release if it makes one; False if one is there already that has not ended."""
    from datetime import UTC, datetime

    from prefect.client.orchestration import get_client

    begun = {
        "deployment_id": {"any_": [str(deployment)]},
        "expected_start_time": {"before_": datetime.now(UTC).isoformat()},
    }
    with get_client(sync_client=True) as client:
        if _unfinished(client, begun, (*UNFINISHED, "SCHEDULED")):
            return False
        client.create_flow_run_from_deployment(deployment, parameters={"release_id": release} if release else {}, tags=[DUE])
    return True


@guarded
def crash_abandoned(own_server: bool) -> int:
    """Marks every run of ours that no process has as crashed, which frees the place it took, and gives their number. `own_server`: nobody
    but `serve` of this home speaks to this server, so a run without a note was killed before it could write one."""
    from prefect.client.orchestration import get_client
    from prefect.states import Crashed

    here = this_process()
    with get_client(sync_client=True) as client:
        runs = _unfinished(client, {"tags": {"all_": [TAG]}})
        deadline = time.monotonic() + PATIENCE_SECONDS
        while any(is_ending(run.labels, here) for run in runs) and time.monotonic() < deadline:
            time.sleep(0.2)
        abandoned = [run for run in runs if is_abandoned(run.labels.get(LABEL), here, own_server)]
        for run in abandoned:
            for started in (*_unfinished(client, {"parent_flow_run_id": {"any_": [str(run.id)]}}), run):
                client.set_flow_run_state(started.id, Crashed(message=GONE), force=True)
    return len(abandoned)


def _unfinished(client: Any, which: dict[str, Any], states: tuple[str, ...] = UNFINISHED) -> list[FlowRun]:
    from prefect.client.schemas.filters import FlowRunFilter

    those = {**which, "state": {"type": {"any_": list(states)}}}
    found: list[FlowRun] = client.read_flow_runs(flow_run_filter=FlowRunFilter.model_validate(those))
    return found


def noted_form(process: Process) -> str:
    return f"{process.machine} {process.number} {process.started}"


def is_ending(labels: Mapping[str, object], here: Process) -> bool:
    """A run of this machine whose service is gone ends within moments: the next service may be there before."""
    noted = _process(labels.get(LABEL))
    return noted is not None and noted.machine == here.machine and runs_still(noted) and not lives(str(labels.get(SERVED_BY)))


def is_abandoned(note: object, here: Process, own_server: bool) -> bool:
    """Of a process on another machine nothing is known here, unless the server is this home's own."""
    noted = _process(note)
    if noted is None:
        return own_server
    if noted.machine == here.machine:
        return not runs_still(noted)
    (host, boot), (this_host, this_boot) = (process.machine.split("/")[:2] for process in (noted, here))
    return own_server or (host == this_host and boot != this_boot)


def _process(note: object) -> Process | None:
    words = str(note or "").split(" ")
    if len(words) != 3 or words[0].count("/") < 2 or not words[1].isdigit():
        return None
    return Process(words[0], int(words[1]), words[2])

"""What a Prefect server should have for the policies of a home: a deployment for each, the queue that publishes, and what makes up for
missed runs. A worker does the work of `headgate serve`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tasks.release.served_runs import TAG
from tasks.runtime.prefect_deployments import SKIP, Deployment
from tasks.runtime.quiet import NO_TELEMETRY, NOT_TO_THE_SERVER

if TYPE_CHECKING:
    from flows.serve import Scheduled

RELEASE, PUBLISH, START_MISSED = "release", "publish-approved", "start-missed"
POOL = "headgate"
PUBLISH_SECONDS = 60.0
MISSED_SECONDS = 600.0
# With Prefect's own 5, a server that is gone for a minute ends what would have gone on: 7 tries last some four minutes.
ENVIRONMENT = {**NO_TELEMETRY, **NOT_TO_THE_SERVER, "PREFECT_CLIENT_MAX_RETRIES": "7"}


def made_by(home: str) -> str:
    """The tag of what a home has deployed, by which it knows its own again. `home`: the fingerprint of its ledger's key."""
    return f"{TAG}:{home}"


def wanted_deployments(policies: Sequence[Scheduled], home: str = "", pool: str = POOL) -> tuple[Deployment, ...]:
    """Without a `home` they are what a file says that is for any home. One run that looks for work does for all that are late: where a run
    takes longer than the time between two, or after a pause, Prefect would start more and more of them."""
    own = (made_by(home),) if home else ()
    releases = [
        Deployment(
            flow=RELEASE,
            name=policy.dataset,
            entrypoint="flows.release.release",
            description=policy.title,
            tags=(TAG, policy.dataset, *own),
            pool=pool,
            schedule={"cron": policy.schedule.cron, "timezone": policy.schedule.timezone},
            parameters={"policy": policy.named, "if_changed": True, "scheduled": True},
            environment=ENVIRONMENT,
        )
        for policy in policies
    ]
    publishing = Deployment(
        flow=PUBLISH,
        name=PUBLISH,
        entrypoint="flows.publish.publish_approved",
        description="Publishes every candidate that has the approvals it needs and whose moment has come.",
        tags=(TAG, *own),
        pool=pool,
        schedule={"interval": float(os.environ.get("HEADGATE_PUBLISH_SECONDS", PUBLISH_SECONDS))},
        environment=ENVIRONMENT,
        when_busy=SKIP,
    )
    making_up = Deployment(
        flow=START_MISSED,
        name=START_MISSED,
        entrypoint="flows.start_missed.start_missed",
        description="Starts one run for the last moment of each schedule, where that moment had none.",
        tags=(TAG, *own),
        pool=pool,
        schedule={"interval": MISSED_SECONDS},
        environment=ENVIRONMENT,
        when_busy=SKIP,
    )
    return (*releases, publishing, making_up)

"""What a Prefect server should have for the policies of a home: a deployment for each, and the queue that publishes. Where a worker does
the work of `headgate serve`, there is one more, which makes up for missed runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tasks.release.served_runs import TAG
from tasks.runtime.prefect_deployments import SKIP, Deployment
from tasks.runtime.quiet import NO_TELEMETRY, NOT_TO_THE_SERVER
from tasks.runtime.waiting_time import seconds_in

if TYPE_CHECKING:
    from flows.schedules.scheduled_policies import Scheduled

RELEASE, PUBLISH, START_MISSED = "release", "publish-approved", "start-missed"
FLOWS = frozenset({RELEASE, PUBLISH, START_MISSED})
POOL = "headgate"
PUBLISH_SECONDS, EVERY = 60, "HEADGATE_PUBLISH_SECONDS"
MISSED_SECONDS = 600.0
# With Prefect's own 5, a server that is gone for a minute ends what would have gone on: 7 tries last some four minutes.
ENVIRONMENT = {**NO_TELEMETRY, **NOT_TO_THE_SERVER, "PREFECT_CLIENT_MAX_RETRIES": "7"}


def made_by(home: str) -> str:
    """The tag of what a home has deployed, by which it knows its own again. `home`: the fingerprint of its ledger's key."""
    return f"{TAG}:{home}"


def wanted_deployments(policies: Sequence[Scheduled], home: str = "", pool: str = POOL) -> tuple[Deployment, ...]:
    """Without a `home` they are those of a file, which is for any home."""
    own = (made_by(home),) if home else ()
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
    return (*(release_deployment(policy, own, pool) for policy in policies), publish_deployment(own, pool, PUBLISH_SECONDS), making_up)


def release_deployment(policy: Scheduled, own: Sequence[str] = (), pool: str = "") -> Deployment:
    """Its runs do what `headgate release --if-changed` does, in the name of who registered the policy."""
    return Deployment(
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


def publish_deployment(own: Sequence[str] = (), pool: str = "", seconds: int | None = None) -> Deployment:
    """`seconds` between two looks at the queue, unless the operator has set HEADGATE_PUBLISH_SECONDS; without them it has no schedule, and
    runs where `serve` has seen that there is something to do. One run does for all that are late: where it takes longer than that, or
    after a pause, Prefect would start more and more of them."""
    return Deployment(
        flow=PUBLISH,
        name=PUBLISH,
        entrypoint="flows.publish.publish_approved",
        description="Publishes every candidate that has the approvals it needs and whose moment has come.",
        tags=(TAG, *own),
        pool=pool,
        schedule={} if seconds is None else {"interval": seconds_in(EVERY, seconds)},
        environment=ENVIRONMENT,
        when_busy=SKIP,
    )

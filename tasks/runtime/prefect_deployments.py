"""Deployments at a Prefect server: read and compared as plain words, made, changed and removed. Whoever asks decides which are theirs.

One that runs by module path has no pull steps: these are shell commands, so that one that has some differs, and is set right.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from tasks.runtime.boundary import guarded

if TYPE_CHECKING:
    from uuid import UUID

    from prefect.client.orchestration import SyncPrefectClient
    from prefect.client.schemas.responses import DeploymentResponse

AT_A_TIME = 1
WAIT, SKIP = "ENQUEUE", "CANCEL_NEW"  # what becomes of a run while another one goes on
POOL_TYPE = "process"
PAGE = 200  # what the server gives at most


@dataclass(frozen=True)
class Deployment:
    """`schedule`: cron and timezone, or interval in seconds, or nothing. `environment`: what a run has besides its worker's own. Without a
    `pool` whoever serves it starts its runs."""

    flow: str
    name: str
    entrypoint: str
    description: str
    tags: tuple[str, ...]
    pool: str
    schedule: Mapping[str, Any]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    when_busy: str = WAIT

    @property
    def full_name(self) -> str:
        return f"{self.flow}/{self.name}"

    @property
    def words(self) -> dict[str, Any]:
        """What is compared, under the names that prefect.yaml has for it."""
        return {
            "entrypoint": self.entrypoint,
            "description": self.description,
            "parameters": dict(self.parameters),
            "tags": sorted(self.tags),
            "schedules": [{**self.schedule, "active": True}],
            "work_pool": self.pool,
            "concurrency_limit": AT_A_TIME,
            "collision_strategy": self.when_busy,
            "job_variables": {"env": dict(self.environment)},
            "pull": [],
            "path": None,
        }


@dataclass(frozen=True)
class Deployed:
    """As the server has it."""

    id: UUID
    full_name: str
    tags: tuple[str, ...]
    paused: bool
    words: Mapping[str, Any]


@guarded
def deployments_there() -> tuple[Deployed, ...]:
    """All that the server has, whoever made them, by their names."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import FlowFilter, FlowFilterId

    name_time_zones_once()
    responses: list[DeploymentResponse] = []
    flows: dict[UUID, str] = {}
    with get_client(sync_client=True) as client:
        while page := client.read_deployments(limit=PAGE, offset=len(responses)):
            responses += page
        wanted = list({response.flow_id for response in responses})
        for first in range(0, len(wanted), PAGE):
            those = FlowFilter(id=FlowFilterId(any_=wanted[first : first + PAGE]))
            flows.update({flow.id: flow.name for flow in client.read_flows(flow_filter=those)})
    there = (_deployed(response, flows.get(response.flow_id, "")) for response in responses)
    return tuple(sorted(there, key=lambda deployed: deployed.full_name))


def _deployed(response: DeploymentResponse, flow: str) -> Deployed:
    limit, options = response.global_concurrency_limit, response.concurrency_options
    words = {
        "entrypoint": response.entrypoint,
        "description": response.description or "",
        "parameters": response.parameters,
        "tags": sorted(response.tags),
        "schedules": [{**_schedule(kept.schedule), "active": kept.active} for kept in response.schedules],
        "work_pool": response.work_pool_name,
        "concurrency_limit": None if limit is None else limit.limit,
        "collision_strategy": None if options is None else str(options.collision_strategy.value),
        "job_variables": response.job_variables,
        "pull": response.pull_steps or [],
        "path": response.path,
    }
    return Deployed(response.id, f"{flow}/{response.name}", tuple(response.tags), response.paused, words)


def _schedule(schedule: Any) -> dict[str, Any]:
    said = schedule.model_dump(mode="json")
    if "cron" in said:
        return {"cron": said["cron"], "timezone": said["timezone"]}
    return {"interval": schedule.interval.total_seconds()} if "interval" in said else said


@guarded
def write_deployments(deployments: Iterable[tuple[Deployment, bool]]) -> list[UUID]:
    """Each as it is wanted, and whether its schedule stands still, as somebody at the server has said. One client and one request for each:
    there may be thousands."""
    from prefect.client.orchestration import get_client

    name_time_zones_once()
    written = []
    with get_client(sync_client=True) as client:
        pools: set[str] = {""}
        flows: dict[str, tuple[UUID, dict[str, Any]]] = {}
        for deployment, paused in deployments:
            if deployment.pool not in pools:
                _require_pool(client, deployment.pool)
                pools.add(deployment.pool)
            if deployment.entrypoint not in flows:
                flows[deployment.entrypoint] = client.create_flow_from_name(deployment.flow), _parameters(deployment)
            flow, parameters = flows[deployment.entrypoint]
            written.append(client.create_deployment(flow, paused=paused, parameter_openapi_schema=parameters, **told(deployment)))
    return written


def name_time_zones_once() -> None:
    """Prefect looks through the files of all time zones for every schedule that it reads, which takes a quarter of its time where there are
    a thousand."""
    from prefect._internal.schemas import validators

    named = vars(validators)
    if not hasattr(named["get_timezones"], "cache_info"):
        named["get_timezones"] = cache(named["get_timezones"])


def _parameters(deployment: Deployment) -> dict[str, Any]:
    """What a worker's flow takes, for people who start it by hand; `serve` would import for months what only its runs need."""
    from prefect.flows import load_flow_from_entrypoint
    from prefect.utilities.callables import parameter_schema

    if not deployment.pool:
        return {}
    flow: Any = load_flow_from_entrypoint(deployment.entrypoint)
    return dict(parameter_schema(flow).model_dump(exclude_unset=True))


def told(deployment: Deployment) -> dict[str, Any]:
    """What Prefect is told of one. Without a pool its runs are processes of whoever serves it, with that environment."""
    from prefect.client.schemas.actions import DeploymentScheduleCreate
    from prefect.client.schemas.objects import ConcurrencyLimitStrategy, ConcurrencyOptions

    schedules = [DeploymentScheduleCreate.from_schedule(prefect_schedule(deployment.schedule))] if deployment.schedule else []
    common = {
        "name": deployment.name,
        "entrypoint": deployment.entrypoint,
        "description": deployment.description,
        "parameters": dict(deployment.parameters),
        "tags": list(deployment.tags),
        "schedules": schedules,
        "concurrency_limit": AT_A_TIME,
        "enforce_parameter_schema": bool(deployment.pool),
        "pull_steps": [],
    }
    if not deployment.pool:
        return common
    busy = ConcurrencyOptions(collision_strategy=ConcurrencyLimitStrategy(deployment.when_busy))
    return {
        **common,
        "work_pool_name": deployment.pool,
        "concurrency_options": busy,
        "job_variables": dict(deployment.words["job_variables"]),
    }


def prefect_schedule(said: Mapping[str, Any]) -> Any:
    from datetime import timedelta

    from prefect.schedules import Cron, Interval

    return Interval(timedelta(seconds=said["interval"])) if "interval" in said else Cron(said["cron"], timezone=said["timezone"])


def _require_pool(client: SyncPrefectClient, name: str) -> None:
    """One that is there is used, of whatever type it is."""
    from prefect.client.schemas.actions import WorkPoolCreate
    from prefect.exceptions import ObjectNotFound
    from prefect.workers.process import ProcessWorker

    try:
        client.read_work_pool(name)
    except ObjectNotFound:
        template = ProcessWorker.get_default_base_job_template()
        client.create_work_pool(WorkPoolCreate(name=name, type=POOL_TYPE, base_job_template=template))


@guarded
def remove_deployments(ids: Iterable[UUID]) -> None:
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        for deployment in ids:
            client.delete_deployment(deployment)


def server_named() -> str:
    """The address of the server in the environment, without a name or password in it; empty where none is named."""
    return os.environ.get("PREFECT_API_URL", "").split("@")[-1]

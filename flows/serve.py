"""Schedules: every policy with a schedule becomes a Prefect deployment, and one more deployment publishes what people have approved."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from flows.policy_files import is_shipped, resolve_policy
from headgate.core.errors import HeadgateError, InputRejected

if TYPE_CHECKING:
    from uuid import UUID

    from prefect.runner import Runner

    from flows.missed_runs import MissedRuns
    from flows.notice_watch import NoticeWatch
    from policies.schema.requirements import ScheduleKey
    from tasks.runtime.home import Home

PUBLISH_SECONDS = 30


@dataclass(frozen=True)
class Scheduled:
    """A policy file with a schedule. `named`: as a run is told of it, on whatever machine it is."""

    path: Path
    dataset: str
    title: str
    schedule: ScheduleKey
    named: str = ""


def scheduled_policies(paths: list[Path], required: bool = True) -> list[Scheduled]:
    """The policies among `paths` (files, or folders of YAML files) that have a schedule. A named file without a schedule is an error, and
    so is no schedule at all where one is `required`."""
    scheduled = [policy for path in paths for policy in (_in_folder(path) if path.is_dir() else [_required(path)])]
    if not scheduled and required:
        raise InputRejected("No policy with a schedule was found.", "Name policies, or a folder of policies, that have a `schedule`.")
    datasets = [policy.dataset for policy in scheduled]
    for dataset in datasets:
        if datasets.count(dataset) > 1:
            raise InputRejected(f"Two policies release the dataset {dataset}.", "Keep one policy per dataset.")
    return scheduled


def _in_folder(folder: Path) -> list[Scheduled]:
    policies = (_scheduled(file) for file in sorted([*folder.glob("*.yaml"), *folder.glob("*.yml")]))
    return [policy for policy in policies if policy is not None]


def _required(path: Path) -> Scheduled:
    policy = _scheduled(resolve_policy(path))
    if policy is None:
        raise InputRejected(f"{path.name} has no schedule.", "Add `schedule: {cron: …, timezone: …}` to it.")
    return replace(policy, named=str(path)) if is_shipped(path) else policy


def _scheduled(file: Path) -> Scheduled | None:
    from tasks.reading.references import load_policy

    policy = load_policy(file).policy
    path = file.absolute()
    return None if policy.schedule is None else Scheduled(path, policy.dataset, policy.title, policy.schedule, str(path))


def register_policies(home: Home, policies: list[Scheduled], key: Path) -> None:
    """Each policy as it is now, by somebody who may run it."""
    from tasks.approval.kept_policies import keep_policy
    from tasks.approval.registered_policies import register
    from tasks.ledger.open_ledger import open_ledger
    from tasks.reading.references import load_policy
    from tasks.release.run import runner_of, scheduled_policy

    ledger = open_ledger(home)
    for policy in policies:
        loaded = load_policy(policy.path)
        runner = runner_of(home, ledger, loaded, key)
        keep_policy(home, loaded)
        register(home, ledger, scheduled_policy(loaded), runner.signer, runner.key)


def not_registered(home: Home, policies: list[Scheduled], required: bool = True) -> list[HeadgateError]:
    """Why runs would be refused, one error for each such policy. If all would be and one is `required`, nothing is worth serving: the
    first is raised."""
    from tasks.ledger.open_ledger import open_ledger
    from tasks.reading.references import load_policy
    from tasks.release.run import runner_of

    refusals = []
    for policy in policies:
        try:
            runner_of(home, open_ledger(home), load_policy(policy.path), None, scheduled=True)
        except HeadgateError as problem:
            refusals.append(problem)
    if required and len(refusals) == len(policies):
        raise refusals[0]
    return refusals


def settle_in(home: Home) -> None:
    """Prefect starts each run as a process in the current folder: one of the home's own. Runs end with this process. What else they need
    of the environment the command line has set."""
    from tasks.runtime.parent_watch import serve_from_here

    os.environ["HEADGATE_HOME"] = str(home.root)
    for name in ("HEADGATE_KEY", "HEADGATE_KEY_PASSPHRASE"):
        os.environ.pop(name, None)  # nobody's key is needed from here on
    os.chdir(home.staging)
    serve_from_here()


def serve_policies(policies: list[Scheduled], notices: Mapping[str, str]) -> None:
    """Until interrupted, by Ctrl-C or SIGTERM alike. `notices`: the environment of what tells people."""
    import asyncio

    from flows.missed_runs import MissedRuns, Served
    from flows.notice_watch import NoticeWatch
    from tasks.release.served_runs import crash_abandoned, drop_late, start_due
    from tasks.runtime.home import Home

    crash_abandoned(own_server=not os.environ.get("PREFECT_API_URL"))
    home = Home.open()
    runner = own_runner(home)
    served = {policy.dataset: Served(policy.path, _added(runner, _release_deployment(policy))) for policy in policies}
    drop_late([*(each.deployment for each in served.values()), _added(runner, _publish_deployment())])
    with suppress(KeyboardInterrupt):
        watches = MissedRuns(home, served, start_due), NoticeWatch(home, notices)
        asyncio.run(_until_stopped(runner, *watches))


def own_runner(home: Home) -> Runner:
    """Prefect keeps what its runs need in a folder of /tmp that belongs to whoever came first: where that is another account, nothing
    could be served, and nothing of ours belongs there."""
    from uuid import uuid4

    from prefect.runner import Runner

    runner = Runner(pause_on_shutdown=True)
    runner._tmp_dir = home.prefect / "runs" / str(uuid4())
    return runner


def _added(runner: Runner, deployment: Any) -> UUID:
    """Outside of an event loop no coroutine is given."""
    return cast("UUID", runner.add_deployment(deployment))


async def _until_stopped(runner: Runner, *watches: MissedRuns | NoticeWatch) -> None:
    """Prefect's own answer to SIGTERM is a coroutine that nobody awaits, which Python says aloud."""
    import asyncio

    loop, serving = asyncio.get_running_loop(), asyncio.current_task()

    def stop(*_given: object) -> None:
        if serving is not None:
            loop.call_soon_threadsafe(serving.cancel)

    runner.handle_sigterm = stop  # type: ignore[method-assign]
    watching = [loop.create_task(each.watch()) for each in watches]
    try:
        with suppress(asyncio.CancelledError):
            await runner.start()
    finally:
        for task in watching:
            task.cancel()


def _release_deployment(policy: Scheduled) -> Any:
    """Its runs do what `headgate release --if-changed` does, in the name of who registered the policy."""
    from prefect.schedules import Cron
    from prefect.types.entrypoint import EntrypointType

    from flows.release import release
    from tasks.release.served_runs import TAG

    return release.to_deployment(
        name=policy.dataset,
        schedule=Cron(policy.schedule.cron, timezone=policy.schedule.timezone),
        parameters={"policy": str(policy.path), "if_changed": True, "scheduled": True},
        description=policy.title,
        tags=[TAG, policy.dataset],
        concurrency_limit=1,
        entrypoint_type=EntrypointType.MODULE_PATH,
    )


def _publish_deployment() -> Any:
    from prefect.schedules import Interval
    from prefect.types.entrypoint import EntrypointType

    from flows.publish import publish_approved
    from tasks.release.served_runs import TAG

    return publish_approved.to_deployment(
        name="publish-approved",
        schedule=Interval(float(os.environ.get("HEADGATE_PUBLISH_SECONDS", PUBLISH_SECONDS))),
        tags=[TAG],
        concurrency_limit=1,
        entrypoint_type=EntrypointType.MODULE_PATH,
    )

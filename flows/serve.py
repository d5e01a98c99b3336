"""`headgate serve`: every policy with a schedule becomes a Prefect deployment whose runs start here, and one more deployment publishes what
people have approved."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from tasks.runtime.prefect_deployments import write_deployments

if TYPE_CHECKING:
    from uuid import UUID

    from prefect.runner import Runner

    from flows.notice_watch import NoticeWatch
    from flows.publish_watch import PublishWatch
    from flows.schedules.missed_runs import MissedRuns
    from flows.schedules.scheduled_policies import Scheduled
    from tasks.runtime.home import Home
    from tasks.runtime.prefect_deployments import Deployment


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

    from flows.notice_watch import NoticeWatch
    from flows.publish_watch import PublishWatch, again_seconds
    from flows.schedules.missed_runs import MissedRuns, Served
    from flows.schedules.wanted_deployments import publish_deployment, release_deployment
    from tasks.release.served_runs import crash_abandoned, drop_late, start_due
    from tasks.runtime.home import Home

    crash_abandoned(own_server=not os.environ.get("PREFECT_API_URL"))
    home = Home.open()
    runner = own_runner(home)
    made = taken_on(runner, [*(release_deployment(policy) for policy in policies), publish_deployment()])
    drop_late(made)
    *releasing, publishing = made
    served = {policy.dataset: Served(policy.path, deployment) for policy, deployment in zip(policies, releasing, strict=True)}
    with suppress(KeyboardInterrupt):
        approved = PublishWatch(home, partial(start_due, publishing), again_seconds())
        asyncio.run(_until_stopped(runner, MissedRuns(home, served, start_due), NoticeWatch(home, notices), approved))


def own_runner(home: Home) -> Runner:
    """Prefect keeps what its runs need in a folder of /tmp that belongs to whoever came first: where that is another account, nothing
    could be served, and nothing of ours belongs there."""
    from uuid import uuid4

    from prefect.runner import Runner

    runner = Runner(pause_on_shutdown=True)
    runner._tmp_dir = home.prefect / "runs" / str(uuid4())
    return runner


def taken_on(runner: Runner, deployments: Sequence[Deployment]) -> list[UUID]:
    """The runner starts their runs as processes of this machine. It takes each run some seconds before its time; one that finds another at
    work waits then. Told one by one, as its own method does, a thousand take four minutes, in which none of them runs."""
    made = write_deployments((deployment, False) for deployment in deployments)
    for number, deployment in zip(made, deployments, strict=True):
        runner._deployment_registry.register_deployment(number, deployment.name)
    return made


async def _until_stopped(runner: Runner, *watches: MissedRuns | NoticeWatch | PublishWatch) -> None:
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

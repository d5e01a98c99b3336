"""`headgate serve`: every policy with a schedule becomes a cron deployment, and what people have approved is published.

Without PREFECT_API_URL it starts a Prefect server of its own and takes it down again; Prefect's ephemeral one cannot schedule.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.policy_files import resolve_policy
from headgate.core.errors import InputRejected

if TYPE_CHECKING:
    from policies.schema.policy import Policy
    from tasks.runtime.home import Home

PUBLISH_SECONDS = 30


def scheduled_policies(paths: list[Path]) -> list[tuple[Path, Policy]]:
    """The policies among `paths` (files, or folders of YAML files) that have a schedule. A named file without one is an error."""
    from tasks.reading.references import load_policy

    found: list[tuple[Path, Policy]] = []
    for path in paths:
        named = not path.is_dir()
        for file in [resolve_policy(path)] if named else sorted([*path.glob("*.yaml"), *path.glob("*.yml")]):
            policy = load_policy(file).policy
            if policy.schedule is not None:
                found.append((file.absolute(), policy))
            elif named:
                raise InputRejected(f"{file.name} has no schedule.", "Add `schedule: {cron: …, timezone: …}` to it.")
    if not found:
        raise InputRejected("No policy with a schedule was found.", "Name policies, or a folder of them, that have a `schedule`.")
    datasets = [policy.dataset for _, policy in found]
    for dataset in datasets:
        if datasets.count(dataset) > 1:
            raise InputRejected(f"Two policies release the dataset {dataset}.", "Keep one policy a dataset.")
    return found


def deployments(policies: list[tuple[Path, Policy]]) -> list[Any]:
    """One deployment a policy, whose runs do what `headgate release --if-changed` does, and one that publishes what is approved."""
    from prefect.schedules import Cron, Interval
    from prefect.types.entrypoint import EntrypointType

    from flows.publish import publish_approved
    from flows.release import release

    made: list[Any] = []
    for path, policy in policies:
        schedule = policy.schedule
        if schedule is None:
            continue
        made.append(
            release.to_deployment(
                name=policy.dataset,
                schedule=Cron(schedule.cron, timezone=schedule.timezone),
                parameters={"policy": str(path), "if_changed": True, "key": os.environ.get("HEADGATE_KEY")},
                description=policy.title,
                tags=["headgate", policy.dataset],
                concurrency_limit=1,
                entrypoint_type=EntrypointType.MODULE_PATH,
            )
        )
    made.append(
        publish_approved.to_deployment(
            name="publish-approved",
            schedule=Interval(float(os.environ.get("HEADGATE_PUBLISH_SECONDS", PUBLISH_SECONDS))),
            tags=["headgate"],
            concurrency_limit=1,
            entrypoint_type=EntrypointType.MODULE_PATH,
        )
    )
    return made


def _settle_in(home: Home) -> None:
    """Runs are processes that Prefect starts in the current folder and with it on their path: a `flows` of somebody else's there would
    be taken for ours. So they start in a folder that holds no code, and are told paths that mean the same from there."""
    os.environ["HEADGATE_HOME"] = str(home.root)
    for name in ("HEADGATE_STORE", "HEADGATE_KEY"):
        if os.environ.get(name) and "://" not in os.environ[name]:
            os.environ[name] = str(Path(os.environ[name]).expanduser().absolute())
    os.environ["PYTHONSAFEPATH"] = "1"
    os.chdir(home.staging)


def serve_policies(paths: list[Path], verbose: bool) -> None:
    from flows.terminal import console
    from tasks.runtime.home import Home
    from tasks.runtime.prefect_server import prefect_api
    from tasks.runtime.quiet import quieten

    home = Home.open()
    policies = scheduled_policies(paths)
    _settle_in(home)
    quieten(home, verbose)
    with prefect_api(scheduling=True):
        from prefect import serve
        from prefect.settings import PREFECT_API_URL

        out = console()
        out.print(f"Serving {len(policies)} polic{'ies' if len(policies) > 1 else 'y'} from {home.root}; Ctrl-C stops.", soft_wrap=True)
        for path, policy in policies:
            if policy.schedule is not None:
                out.print(f"  {policy.dataset}: {policy.schedule.cron} ({policy.schedule.timezone}), {path.name}", soft_wrap=True)
        out.print(f"Prefect API: {PREFECT_API_URL.value()}", soft_wrap=True)
        serve(*deployments(policies), print_starting_message=False)

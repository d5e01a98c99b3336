"""Policies with a schedule: found among what the operator names, and registered by somebody who may run releases."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from flows.policy_files import is_shipped, resolve_policy
from headgate.core.errors import HeadgateError, InputRejected

if TYPE_CHECKING:
    from policies.schema.requirements import ScheduleKey
    from tasks.reading.references import LoadedPolicy
    from tasks.runtime.home import Home


@dataclass(frozen=True)
class Scheduled:
    """A policy file with a schedule. `named`: how a run is told which policy it is, on whatever machine it runs. `loaded`: what was read
    of it, without the tables that it names: of a thousand policies they would fill the memory, and to read all again takes minutes."""

    path: Path
    dataset: str
    title: str
    schedule: ScheduleKey
    named: str
    loaded: LoadedPolicy | None = field(default=None, compare=False, repr=False)

    def read(self) -> LoadedPolicy:
        from tasks.reading.references import load_policy

        return load_policy(self.path) if self.loaded is None else self.loaded


def scheduled_policies(paths: list[Path], required: bool = True) -> list[Scheduled]:
    """The policies among `paths` (files, or folders of YAML files) that have a schedule. A named file without a schedule is an error, and
    so is no schedule at all where one is `required`."""
    scheduled = [policy for path in paths for policy in (_in_folder(path) if path.is_dir() else [_required(path)])]
    if not scheduled and required:
        raise InputRejected("No policy with a schedule was found.", "Name policies, or a folder of policies, that have a `schedule`.")
    for dataset, number in Counter(policy.dataset for policy in scheduled).items():
        if number > 1:
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
    from tasks.reading.references import References, load_policy

    loaded, path = load_policy(file), file.absolute()
    policy = loaded.policy
    if policy.schedule is None:
        return None
    light = replace(loaded, references=References(signers=loaded.references.signers))
    return Scheduled(path, policy.dataset, policy.title, policy.schedule, str(path), light)


def register_policies(home: Home, policies: list[Scheduled], key: Path) -> None:
    """Each policy as it is now, by somebody who may run it."""
    from tasks.approval.kept_policies import keep_policy
    from tasks.approval.registered_policies import register
    from tasks.ledger.open_ledger import open_ledger
    from tasks.release.run import runner_of, scheduled_policy

    ledger = open_ledger(home)
    for policy in policies:
        loaded = policy.read()
        runner = runner_of(home, ledger, loaded, key)
        keep_policy(home, loaded)
        register(home, ledger, scheduled_policy(loaded), runner.signer, runner.key)


def not_registered(home: Home, policies: list[Scheduled], required: bool = True) -> list[HeadgateError]:
    """Why runs would be refused, one error for each such policy. If all would be and one is `required`, nothing is worth serving: the
    first is raised."""
    from tasks.ledger.open_ledger import open_ledger
    from tasks.release.run import runner_of

    refusals, ledger = [], open_ledger(home)
    for policy in policies:
        try:
            runner_of(home, ledger, policy.read(), None, scheduled=True)
        except HeadgateError as problem:
            refusals.append(problem)
    if required and len(refusals) == len(policies):
        raise refusals[0]
    return refusals

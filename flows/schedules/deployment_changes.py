"""What would change at a Prefect server. Of what somebody else has deployed, nothing is changed: one of a wanted name is refused."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from flows.schedules.wanted_deployments import FLOWS
from tasks.runtime.prefect_deployments import Deployed, Deployment

if TYPE_CHECKING:
    from uuid import UUID


class What(StrEnum):
    CREATE = "create"
    UPDATE = "update"
    SAME = "same"
    REMOVE = "remove"  # ours, of a policy that is not named
    REFUSED = "refused"  # somebody else's


@dataclass(frozen=True)
class Difference:
    key: str
    there: Any
    wanted: Any


@dataclass(frozen=True)
class Change:
    what: What
    full_name: str
    wanted: Deployment | None = None
    id: UUID | None = None
    paused: bool = False
    differences: tuple[Difference, ...] = ()


def changes(wanted: Sequence[Deployment], there: Sequence[Deployed], own: str) -> tuple[Change, ...]:
    """In the order of what is wanted; then what else carries the tag `own`."""
    present = {deployed.full_name: deployed for deployed in there}
    names = {deployment.full_name for deployment in wanted}
    return (*(_change(deployment, present.get(deployment.full_name), own) for deployment in wanted), *_left(names, there, own))


def _change(wanted: Deployment, there: Deployed | None, own: str) -> Change:
    if there is None:
        return Change(What.CREATE, wanted.full_name, wanted)
    if own not in there.tags:
        return Change(What.REFUSED, wanted.full_name, wanted, there.id)
    words = wanted.words
    differences = tuple(Difference(key, there.words.get(key), words[key]) for key in words if there.words.get(key) != words[key])
    return Change(What.UPDATE if differences else What.SAME, wanted.full_name, wanted, there.id, there.paused, differences)


def _left(names: Collection[str], there: Sequence[Deployed], own: str) -> Iterator[Change]:
    """Anybody at the server can give a deployment our tag; of another flow it is not ours."""
    for deployed in there:
        flow = deployed.full_name.partition("/")[0]
        if own in deployed.tags and flow in FLOWS and deployed.full_name not in names:
            yield Change(What.REMOVE, deployed.full_name, None, deployed.id, deployed.paused)

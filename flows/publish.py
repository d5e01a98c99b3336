"""The publish flow: decide once more from the verified chain, then put the version in place (DESIGN, steps 9 and 10).

It is a flow of its own, not the rest of a suspended one: what is published is exactly the folder that people signed.
"""

from __future__ import annotations

from typing import Any

from prefect import flow, task
from prefect.cache_policies import NO_CACHE

from headgate.errors import HeadgateError
from policies.states import State
from tasks import outbox
from tasks.step import guarded


def _step(name: str) -> Any:
    return task(name=name, task_run_name=name, persist_result=False, cache_policy=NO_CACHE)


@_step("decide")
@guarded
def decide(candidate: str) -> str:
    """Step 9: the state that the verified chain and the signatures give this candidate."""
    return outbox.state_of(candidate)


@_step("publish")
@guarded
def put_in_place(candidate: str) -> int:
    """Step 10: re-hashed, copied, hashed again at the target, `latest` last; gives the version."""
    return outbox.publish_candidate(candidate)


@_step("audit")
@guarded
def audit(candidate: str) -> int:
    """Step 11: the published head lies on the chain; gives the number of events of the release."""
    return outbox.check_recorded(candidate)


@flow(name="publish", persist_result=False, flow_run_name="publish {candidate}")
def publish(candidate: str) -> int:
    """Publishes one approved candidate; gives its version."""
    decide(candidate)
    version = put_in_place(candidate)
    audit(candidate)
    return int(version)


@flow(name="publish-approved", persist_result=False)
def publish_approved() -> list[str]:
    """Publishes every candidate that has the approvals it needs, or whose publication was cut short. One that cannot be published
    does not hold up the others; the flow fails at its end."""
    published, problems = [], []
    for candidate in _ready():
        try:
            publish(candidate)
            published.append(candidate)
        except HeadgateError as problem:
            problems.append(problem)
    if problems:
        raise problems[0]
    return published


@guarded
def _ready() -> tuple[str, ...]:
    return outbox.candidates_in(State.APPROVED, State.PUBLISHING)

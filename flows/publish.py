"""The publish flow: decide once more from the verified chain, then put the version in place (DESIGN, steps 9 and 10).

It is a flow of its own, not the rest of a suspended one: what is published is exactly the folder that people signed.
"""

from __future__ import annotations

from prefect import flow

from headgate.core.errors import HeadgateError
from policies.ledger.states import State
from tasks.publication import publish_steps as outbox


@flow(name="publish", persist_result=False, flow_run_name="publish {candidate}")
def publish(candidate: str) -> int:
    """Publishes one approved candidate; gives its version."""
    outbox.decide(candidate)
    version = outbox.put_in_place(candidate)
    outbox.audit(candidate)
    return int(version)


@flow(name="publish-approved", persist_result=False)
def publish_approved() -> list[str]:
    """Publishes every candidate that has the approvals it needs, or whose publication was cut short. One that cannot be published
    does not hold up the others; the flow fails at its end."""
    published, problems = [], []
    for candidate in outbox.candidates_in(State.APPROVED, State.PUBLISHING):
        try:
            publish(candidate)
            published.append(candidate)
        except HeadgateError as problem:
            problems.append(problem)
    if problems:
        raise problems[0]
    return published

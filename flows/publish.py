"""The publish flow: decides again from the verified chain, then puts the version in place.

It is a flow of its own and not the rest of a suspended one: what is published is exactly the folder that people signed.
"""

from __future__ import annotations

from prefect import flow

from flows.terminal.served_lines import in_a_line, say
from headgate.core.errors import HeadgateError
from tasks.publication import publish_steps as steps
from tasks.release.served_runs import note_process
from tasks.runtime.parent_watch import end_with_server


@flow(name="publish", persist_result=False, flow_run_name="publish {candidate}")
def publish(candidate: str) -> int:
    """Publishes one approved candidate and returns its version."""
    steps.decide(candidate)
    version = steps.put_in_place(candidate)
    steps.audit(candidate)
    return int(version)


@flow(name="publish-approved", persist_result=False)
def publish_approved() -> list[str]:
    """Publishes every candidate that has the approvals it needs and whose moment has come, or whose publication was interrupted. A
    candidate that cannot be published does not stop the others; the flow then fails at its end."""
    end_with_server()
    note_process()
    published, problems = [], []
    for candidate in steps.candidates_due():
        dataset = steps.dataset_of(candidate)
        try:
            version = publish(candidate)
            published.append(candidate)
            say(f"{dataset}: candidate {candidate[:12]} is published as version {version}.")
        except HeadgateError as problem:
            problems.append(problem)
            say(f"{dataset}: publication of candidate {candidate[:12]}: {in_a_line(problem)}")
    for sentence in steps.purge_kept_too_long():
        say(sentence)
    if problems:
        raise problems[0]
    return published

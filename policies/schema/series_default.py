"""What is asked of a series where the policy says nothing: what one version promises holds for all together."""

from __future__ import annotations

from headgate.core.errors import InputRejected
from policies.gates.series import SERIES, SeriesKey
from policies.schema.policy import Policy


def with_series(policy: Policy, versions: int) -> Policy:
    """`versions`: of the dataset, that came out before. A dataset that is published once, and not again by a schedule, is no series."""
    if policy.gates.series is not None:
        measured = policy.gates.series.measured
    else:
        measured = bool(versions or policy.schedule or policy.gates.attacks_versions)
    if not measured:
        return policy
    if policy.person_column is None:
        raise InputRejected(
            f"{policy.dataset} has been published before, and without an identifier nobody can say what its versions tell together.",
            "Give the column that numbers people role: identifier (of several, name it under person), "
            "or write gates.series: {unmeasured: REASON}, which approvers read.",
        )
    if policy.gates.series is not None:
        return policy
    asked = SeriesKey(linkability=policy.gates.linkability)
    return policy.model_copy(update={"gates": policy.gates.model_copy(update={SERIES: asked})})

"""What would change at a Prefect server, and what never does."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any

from flows.schedules.deployment_changes import Difference, What, changes
from tasks.runtime.prefect_deployments import Deployed, Deployment

OWN = "headgate:SHA256:here"
WANTED = Deployment("release", "people", "flows.release.release", "People", ("headgate", OWN), "headgate", {"interval": 60.0})


def there(deployment: Deployment = WANTED, **changed: Any) -> Deployed:
    return replace(Deployed(uuid.UUID(int=1), deployment.full_name, deployment.tags, False, deployment.words), **changed)


def test_what_is_not_there_is_created_and_what_is_as_wanted_stays() -> None:
    assert [change.what for change in changes([WANTED], [], OWN)] == [What.CREATE]
    assert [change.what for change in changes([WANTED], [there()], OWN)] == [What.SAME]


def test_each_word_that_differs_is_a_change() -> None:
    for key, words in WANTED.words.items():
        (change,) = changes([WANTED], [there(words={**WANTED.words, key: "other"})], OWN)
        assert (change.what, change.differences) == (What.UPDATE, (Difference(key, "other", words),))


def test_what_somebody_else_made_is_refused_though_it_is_the_same() -> None:
    for tags in ((), ("headgate",), ("headgate", "headgate:SHA256:elsewhere")):
        (change,) = changes([WANTED], [there(tags=tags)], OWN)
        assert change.what is What.REFUSED


def test_only_ours_can_be_left_over() -> None:
    ours = there(full_name="release/before")
    theirs = there(full_name="release/theirs", tags=("headgate",))
    tagged = there(full_name="payroll/monthly")  # by somebody who wants it removed
    found = changes([WANTED], [ours, theirs, tagged], OWN)
    assert [(change.what, change.full_name) for change in found] == [(What.CREATE, "release/people"), (What.REMOVE, "release/before")]

"""What has been done so far is enough to seal only when all of it is done."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from headgate.core.errors import Defect
from tasks.release.closing.so_far import SoFar
from tests.unit.tasks.release.finished import Made


@pytest.mark.parametrize("missing", ["read", "planned", "agreed", "judged", "attacked"])
def test_a_release_without_one_of_its_steps_is_not_whole(finished: Made, missing: str) -> None:
    with pytest.raises(Defect, match="before all its steps are done") as caught:
        finished.so_far(**{missing: None}).whole()
    assert caught.value.cure


def test_a_release_whose_steps_are_all_done_is_whole(finished: Made) -> None:
    whole = finished.so_far().whole()
    assert (whole.read, whole.planned, whole.agreed) == (finished.read, finished.planned, finished.agreed)
    assert (whole.judged, whole.attacked) == (finished.judged, finished.attacked)


def test_nobody_is_suppressed_before_tables_have_agreed_on_it(finished: Made) -> None:
    assert SoFar().suppressed_rows == 0
    assert finished.so_far().suppressed_rows == finished.agreed.suppressed == 0


def test_what_was_done_cannot_be_changed() -> None:
    done = SoFar()
    with pytest.raises(FrozenInstanceError):
        done.mlflow_run_id = "another"  # type: ignore[misc]

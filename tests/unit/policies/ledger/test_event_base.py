from __future__ import annotations

import pytest
from pydantic import ValidationError

from policies.ledger.events import RunTracked


@pytest.mark.parametrize("at", ["", "yesterday", "2026-03-01T00:00:00", "2026-03-01T00:00:00+01:00"])
def test_moments_are_utc(at: str) -> None:
    with pytest.raises(ValidationError):
        RunTracked(release_id="r1", at=at, mlflow_run_id="m")

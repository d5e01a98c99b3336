"""What every check is given: a small world."""

from __future__ import annotations

from typing import Any

import pytest

from tasks.checks.finding import Situation


@pytest.fixture
def situation(world: Any) -> Situation:
    return Situation(world.home, world.ledger)

"""`headgate serve` does not take over what a worker runs."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from flows.schedules.deployed_here import require_not_deployed
from flows.schedules.wanted_deployments import made_by
from headgate.core.errors import InputRejected
from tasks.runtime import prefect_deployments
from tasks.runtime.prefect_deployments import Deployed
from tasks.signing.home_keys import home_fingerprint


def there(monkeypatch: pytest.MonkeyPatch, *tags: str) -> None:
    monkeypatch.setattr(prefect_deployments, "deployments_there", lambda: (Deployed(uuid.UUID(int=1), "release/people", tags, False, {}),))


def test_what_this_home_has_deployed_is_run_by_a_worker_alone(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """`serve` made the deployments its own, and `deploy` then refused them as somebody else's."""
    monkeypatch.setenv("PREFECT_API_URL", "http://prefect.example/api")
    there(monkeypatch, "headgate", made_by(home_fingerprint(world.home.keys)))
    with pytest.raises(InputRejected, match="where a worker runs them"):
        require_not_deployed(world.home)
    there(monkeypatch, "headgate", made_by("SHA256:another"))
    require_not_deployed(world.home)


def test_a_server_of_ones_own_is_not_asked(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    monkeypatch.setattr(prefect_deployments, "deployments_there", lambda: pytest.fail("nobody is there"))
    require_not_deployed(world.home)

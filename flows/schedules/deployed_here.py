"""`headgate serve` beside a worker: both would make the same deployments at one server, each as its own, and run them twice."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from headgate.core.errors import InputRejected

if TYPE_CHECKING:
    from tasks.runtime.home import Home


def require_not_deployed(home: Home) -> None:
    """A server that `serve` has started for itself has nothing of `deploy`."""
    if not os.environ.get("PREFECT_API_URL"):
        return
    from flows.schedules.wanted_deployments import made_by
    from tasks.runtime.prefect_deployments import deployments_there
    from tasks.signing.home_keys import home_fingerprint

    own = made_by(home_fingerprint(home.keys))
    if any(own in deployed.tags for deployed in deployments_there()):
        raise InputRejected(
            "The policies of this home are deployed at this Prefect server, where a worker runs them.",
            "Start a worker (`prefect worker start --pool headgate`), or unset PREFECT_API_URL: `serve` then starts a server of its own.",
        )

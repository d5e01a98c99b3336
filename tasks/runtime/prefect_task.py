"""How a step becomes a Prefect task: nothing of it is cached or persisted, nothing foreign leaves it, and a failure names its step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE

from headgate.core.errors import StoreUnavailable
from tasks.runtime.boundary import named


def prefect_task(name: str, retries: int = 0, run_name: Callable[[], str] | None = None) -> Callable[[Callable[..., Any]], Any]:
    """Only a store or server that did not answer is tried again; a refusal stays a refusal."""

    def wrap(function: Callable[..., Any]) -> Any:
        return task(
            name=name,
            task_run_name=run_name or name,
            persist_result=False,
            cache_policy=NO_CACHE,
            retries=retries,
            retry_delay_seconds=1,
            retry_condition_fn=_unavailable,
        )(named(name)(function))

    return wrap


def _unavailable(_task: Any, _run: Any, state: Any) -> bool:
    return isinstance(state.result(raise_on_failure=False), StoreUnavailable)

"""How a step becomes a Prefect task: nothing of it is cached or persisted, nothing foreign leaves it, and a failure names its step."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE

from headgate.core.errors import HeadgateError, StoreUnavailable
from tasks.runtime.boundary import guarded


def prefect_task(name: str, retries: int = 0, run_name: Callable[[], str] | None = None) -> Callable[[Callable[..., Any]], Any]:
    """Only a store or server that did not answer is tried again; a refusal stays a refusal."""

    def wrap(function: Callable[..., Any]) -> Any:
        inside = guarded(function)

        @functools.wraps(inside)
        def named(*args: Any, **kwargs: Any) -> Any:
            try:
                return inside(*args, **kwargs)
            except HeadgateError as problem:
                problem.step = name
                raise

        return task(
            name=name,
            task_run_name=run_name or name,
            persist_result=False,
            cache_policy=NO_CACHE,
            retries=retries,
            retry_delay_seconds=1,
            retry_condition_fn=_unavailable,
        )(named)

    return wrap


def _unavailable(_task: Any, _run: Any, state: Any) -> bool:
    return isinstance(state.result(raise_on_failure=False), StoreUnavailable)

"""A distance that a policy names as "module:function" runs only if the operator has listed its module.

Whoever writes a policy file could otherwise run any code. With `HEADGATE_CALLABLES` the operator says which modules may run.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any

from headgate.core.distance import Distance, FunctionFailed
from headgate.core.errors import InputRejected
from policies.sealed.promise import Promise
from tasks.runtime.boundary import class_and_place, was_interrupted
from tasks.runtime.unheard import unheard


def callable_distance(promise: Promise) -> Distance | None:
    """The promise's callable as a distance; None where it names none."""
    if promise.callable is None:
        return None
    module, _, name = promise.callable.partition(":")
    allowed = {entry.strip() for entry in os.environ.get("HEADGATE_CALLABLES", "").split(",") if entry.strip()}
    if module not in allowed:
        raise InputRejected(
            f"The policy names the callable {promise.callable}, and {module} is not on the operator's list.",
            f"If you trust it, set HEADGATE_CALLABLES={module}.",
        )
    function = _load(module, name)
    if function is None:
        raise InputRejected(f"The callable {promise.callable} does not exist or cannot be called.", "Correct anonymize.distance.callable.")
    return Distance(function=_alone(function))


def _alone(function: Callable[[Any, Any], float]) -> Callable[[Any, Any], float]:
    """It is given cells, so what it raises, prints, warns of or logs may hold them."""

    def distance(a: Any, b: Any) -> float:
        failed = ""
        try:
            with unheard():
                return function(a, b)
        except BaseException as foreign:  # noqa: BLE001 - an exit, and what derives from no Exception, may hold cells too
            if was_interrupted(foreign):
                raise KeyboardInterrupt from None
            failed = class_and_place(foreign)
        raise FunctionFailed(failed)

    return distance


def _load(module: str, name: str) -> Callable[[Any, Any], float] | None:
    failed = ""
    try:
        with unheard():
            loaded = getattr(importlib.import_module(module), name, None)
        return loaded if callable(loaded) else None
    except ImportError:
        return None
    except BaseException as foreign:  # noqa: BLE001 - whatever somebody else's module does when it is imported
        if was_interrupted(foreign):
            raise KeyboardInterrupt from None
        failed = class_and_place(foreign)
    raise InputRejected(f"The module {module} of the callable raised {failed} when it was imported.", "Correct the module.")

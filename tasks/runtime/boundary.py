"""The boundary of a step: what may be seen outside it of an exception.

pandas and Great Expectations put cell values into messages, and Prefect stores the messages of what a task raises. So a foreign
exception leaves a step as its class and place only, with nothing chained to it.
"""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from headgate.core.errors import Defect, HeadgateError, InputRejected, StoreUnavailable

P = ParamSpec("P")
R = TypeVar("R")


def guarded(function: Callable[P, R]) -> Callable[P, R]:
    """Lets refusals of ours through and replaces everything else."""

    @functools.wraps(function)
    def step(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except HeadgateError as refusal:
            outward: HeadgateError = refusal
            outward.__cause__ = outward.__context__ = None
            if isinstance(outward, InputRejected):
                outward.values = ()
        except Exception as foreign:  # noqa: BLE001 - the boundary exists to catch all of them
            if was_interrupted(foreign):
                raise KeyboardInterrupt from None
            outward = outward_form(foreign, function.__name__)
        # Raised outside the handlers, so that nothing hangs on the exception that Prefect is handed.
        raise outward.with_traceback(None)

    return step


def reason_of(problem: OSError) -> str:
    """Why the system would not: its word for it, without the path."""
    return problem.strerror or type(problem).__name__


def was_interrupted(foreign: BaseException) -> bool:
    """Compiled code that Ctrl-C or SIGTERM ends raises SystemError, once or several times over the KeyboardInterrupt."""
    problem: BaseException | None = foreign
    while isinstance(problem, SystemError):
        problem = problem.__cause__ or problem.__context__
    return isinstance(problem, KeyboardInterrupt)


def outward_form(foreign: BaseException, step: str) -> HeadgateError:
    """Class and place of an exception; its text stays behind. `step` is empty where a command broke outside its steps."""
    what = f"Step {step}" if step else "The command"
    frames = traceback.extract_tb(foreign.__traceback__)
    place = f"{frames[-1].filename.rsplit('/', 1)[-1]}:{frames[-1].lineno}" if frames else "an unknown place"
    if isinstance(foreign, OSError):
        return StoreUnavailable(
            f"{what} could not use a file or a server ({reason_of(foreign)}, {place}).", "Check permissions and free space."
        )
    return Defect(f"{what} broke: {type(foreign).__name__} at {place}.", "This is a defect of headgate; please report this line.")

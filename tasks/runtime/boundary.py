"""The boundary of a step: what may be seen outside it of an exception.

pandas and Great Expectations put cell values into messages, and Prefect stores the messages of what a task raises. So a foreign
exception leaves a step as its class and place only, with nothing chained to it; and Prefect is told no message that names a column or a
file of somebody's data.
"""

from __future__ import annotations

import errno
import functools
import os
import re
import traceback
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from headgate.core.errors import CellsRejected, Defect, HeadgateError, InputRejected, PolicyInvalid, StoreUnavailable
from tasks.runtime.full_disk import CURE, prefect_has_no_room

P = ParamSpec("P")
R = TypeVar("R")


def guarded(function: Callable[P, R]) -> Callable[P, R]:
    """Lets refusals of ours through and replaces everything else: an exit, and what derives from no Exception, could hold data too."""

    @functools.wraps(function)
    def step(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except HeadgateError as refusal:
            outward: BaseException = refusal.without_cells() if isinstance(refusal, CellsRejected) else refusal
            outward.__cause__ = outward.__context__ = None
            if isinstance(outward, InputRejected):
                outward.values = ()
        except BaseException as foreign:
            if _is_prefects(foreign):
                raise
            outward = KeyboardInterrupt() if was_interrupted(foreign) else outward_form(foreign, function.__name__)
        # Raised outside the handlers, so that nothing hangs on the exception that Prefect is handed.
        raise outward.with_traceback(None)

    return step


def named(step: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Guards what Prefect runs under this name. What is wrong with a file or its columns is told to whoever ran it, not to Prefect."""

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        inside = guarded(function)

        @functools.wraps(inside)
        def run(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return inside(*args, **kwargs)
            except HeadgateError as problem:
                problem.step = problem.step or step
                if isinstance(problem, InputRejected | PolicyInvalid):
                    problem.told = f"{type(problem).__name__} in step {problem.step}. `headgate release` on your own terminal says why."
                raise

        return run

    return wrap


def _is_prefects(foreign: BaseException) -> bool:
    """Its own signals, such as the one that ends a run; their texts hold no data."""
    return not isinstance(foreign, Exception) and type(foreign).__module__.partition(".")[0] == "prefect"


def _is_an_answer(foreign: BaseException) -> bool:
    """What Prefect's client raises where the server answers with an error, or not at all."""
    return any(kind.__module__.partition(".")[0] == "httpx" for kind in type(foreign).__mro__)


def reason_of(problem: OSError) -> str:
    """Why the system would not: its own words for it, never those of whoever raised it, and no path."""
    known = problem.errno is not None and problem.errno in errno.errorcode
    return os.strerror(problem.errno or 0) if known else type(problem).__name__


def was_interrupted(foreign: BaseException) -> bool:
    """Compiled code that Ctrl-C or SIGTERM ends raises SystemError, once or several times over the KeyboardInterrupt."""
    problem: BaseException | None = foreign
    while isinstance(problem, SystemError):
        problem = problem.__cause__ or problem.__context__
    return isinstance(problem, KeyboardInterrupt)


def class_and_place(foreign: BaseException) -> str:
    """All that may be told of an exception of somebody else's code."""
    return f"{type(foreign).__name__} at {_place(foreign)}"


def _place(foreign: BaseException) -> str:
    frames = traceback.extract_tb(foreign.__traceback__)
    file = frames[-1].filename.rsplit("/", 1)[-1] if frames else ""
    return f"{file}:{frames[-1].lineno}" if re.fullmatch(r"[\w.-]+\.pyx?", file) else "an unknown place"


def outward_form(foreign: BaseException, step: str) -> HeadgateError:
    """Class and place of an exception; its text stays behind. `step` is empty where a command broke outside its steps."""
    what, place = f"Step {step}" if step else "The command", _place(foreign)
    if isinstance(foreign, OSError):
        return StoreUnavailable(
            f"{what} could not use a file or a server ({reason_of(foreign)}, {place}).", "Check permissions and free space."
        )
    if _is_an_answer(foreign) and prefect_has_no_room():
        return StoreUnavailable(f"{what} got an error from Prefect's server: the disk of its home is full.", CURE)
    if _is_an_answer(foreign):
        return StoreUnavailable(
            f"{what} got an error from Prefect's server ({type(foreign).__name__}, {place}).",
            "Run the command again; if it happens again, check the free space of the home, or the server that PREFECT_API_URL names.",
        )
    return Defect(f"{what} broke: {type(foreign).__name__} at {place}.", "This is a defect of headgate; please report this line.")

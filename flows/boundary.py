"""Where exceptions become exit codes: one clear message with its cure, never a traceback, one JSON object where it was asked for."""

from __future__ import annotations

import functools
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headgate.core.errors import HeadgateError

Command = Callable[..., None]


def reported(command: Command) -> Command:
    """Ends a command with the exit code of what stopped it (DESIGN: 1 to 6, 130)."""

    @functools.wraps(command)
    def run(*args: Any, **options: Any) -> None:
        code = _attempt(lambda: command(*args, **options), as_json=bool(options.get("json")))
        if code:
            sys.exit(code)

    return run


def _attempt(action: Callable[[], None], as_json: bool) -> int:
    previous = signal.signal(signal.SIGTERM, _interrupt)
    try:
        action()
        sys.stdout.flush()
    except (KeyboardInterrupt, SystemExit) as stop:
        if isinstance(stop, SystemExit):
            return int(stop.code or 0)
        return _report(_interrupted(), as_json)
    except BrokenPipeError:
        _unheard()
        return 0
    except Exception as problem:  # noqa: BLE001 - whatever it was, people get one sentence and a code
        return _report(problem, as_json)
    finally:
        signal.signal(signal.SIGTERM, previous)
    return 0


def _unheard() -> None:
    """Nobody reads stdout any more: what is left for it goes nowhere, at exit too."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _interrupt(signal_number: int, frame: object) -> None:
    raise KeyboardInterrupt


def _interrupted() -> HeadgateError:
    from headgate.core.errors import HeadgateError

    stopped = HeadgateError("Stopped before the end; nothing was published.", "Run the command again.")
    stopped.code = 130
    return stopped


def _report(problem: Exception, as_json: bool) -> int:
    from flows.terminal import error_document, print_error, print_json
    from headgate.core.errors import HeadgateError

    if isinstance(problem, HeadgateError):
        refusal = problem
    else:
        from tasks.runtime.boundary import outward_form, was_interrupted

        refusal = _interrupted() if was_interrupted(problem) else outward_form(problem, "")
        if os.environ.get("HEADGATE_VERBOSE"):
            import traceback

            traceback.print_exception(problem, file=sys.stderr)
    try:
        if as_json:
            print_json({**(refusal.document or {}), **error_document(refusal)})
        sys.stdout.flush()  # also what was printed before; at exit it would be too late to go on
    except BrokenPipeError:
        _unheard()
    print_error(refusal)
    return refusal.code


def run_application(app: Any, arguments: Sequence[str]) -> int:
    """Runs the command line; what it cannot parse is bad input (2), told as JSON too where that was asked for."""
    try:
        app(args=list(arguments), standalone_mode=False, prog_name="headgate")
    except SystemExit as stop:
        return int(stop.code or 0)
    except Exception as problem:
        if not hasattr(problem, "format_message"):
            exit_code = getattr(problem, "exit_code", None)
            if isinstance(exit_code, int):
                return exit_code
            if type(problem).__name__ == "Abort":
                return 130
            raise
        return _usage(problem, as_json="--json" in arguments)
    return 0


def _usage(problem: Any, as_json: bool) -> int:
    from flows.terminal import error_document, print_error, print_json
    from headgate.core.errors import InputRejected

    shown = problem.format_message()
    context = getattr(problem, "ctx", None)
    command = context.command_path if context is not None else "headgate"
    refusal = InputRejected(shown if shown.endswith(".") else f"{shown}.", f"`{command} --help` shows what is accepted.")
    if as_json:
        print_json(error_document(refusal))
    print_error(refusal)
    return 2

"""Where exceptions become exit codes: one clear message with its cure, never a traceback; with `--json`, one JSON object."""

from __future__ import annotations

import functools
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import typer

from flows.terminal.current_folder import all_from_here

if TYPE_CHECKING:
    from headgate.core.errors import HeadgateError

Command = Callable[..., None]
OUTCOMES = {
    0: "done",
    1: "defect",
    2: "not-accepted",
    3: "refused",
    4: "not-allowed",
    5: "integrity-broken",
    6: "store-unavailable",
    130: "interrupted",
}  # in logs


def reported(command: Command) -> Command:
    """Ends a command with the exit code of what stopped it (docs/reference-cli.md: 1 to 6, 130). The paths it gets are absolute."""

    @functools.wraps(command)
    def run(*args: Any, **options: Any) -> None:
        def act() -> None:
            from tasks.runtime.loops_cache import choose_loops_cache

            choose_loops_cache()
            command(*map(all_from_here, args), **{name: all_from_here(given) for name, given in options.items()})

        start = time.perf_counter()
        code = attempt(act, lambda: bool(options.get("json")))
        _log(command.__name__.replace("_", "-"), code, time.perf_counter() - start)
        if code:
            sys.exit(code)

    return run


def _log(command: str, code: int, seconds: float) -> None:
    """Imported by those who want a log only."""
    if os.environ.get("HEADGATE_LOG"):
        from tasks.runtime.json_log import LogLine, log

        log(LogLine("command", "info" if code == 0 else "warning", command=command, outcome=OUTCOMES.get(code, "failed"), seconds=seconds))


def attempt(action: Callable[[], None], as_json: Callable[[], bool]) -> int:
    """The exit code of an action, once people have been told what stopped it."""
    previous = signal.signal(signal.SIGTERM, _interrupt)
    try:
        action()
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_stdout()
        return 0
    except BaseException as problem:  # noqa: BLE001 - whatever it was, people get one sentence and a code
        if isinstance(problem, SystemExit) and isinstance(problem.code, int | None):
            return problem.code or 0
        return _report(_outward(problem), as_json())
    finally:
        signal.signal(signal.SIGTERM, previous)
    return 0


def _discard_stdout() -> None:
    """Nobody reads stdout any more. What is still written to it is dropped, at exit too."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _interrupt(signal_number: int, frame: object) -> None:
    raise KeyboardInterrupt


def _interrupted() -> HeadgateError:
    from headgate.core.errors import HeadgateError

    stopped = HeadgateError("Stopped before the end; nothing was published.", "Run the command again.")
    stopped.code = 130
    return stopped


def _outward(problem: BaseException) -> HeadgateError:
    """A foreign exception's class and place; its text could hold data."""
    from headgate.core.errors import HeadgateError
    from tasks.runtime.boundary import outward_form, was_interrupted

    if isinstance(problem, HeadgateError):
        return problem
    if os.environ.get("HEADGATE_VERBOSE"):
        import traceback

        traceback.print_tb(problem.__traceback__, file=sys.stderr)
    return _interrupted() if was_interrupted(problem) else outward_form(problem, "")


def _report(refusal: HeadgateError, as_json: bool) -> int:
    from flows.terminal.output import error_document, print_error, print_json
    from flows.terminal.shown_cells import show_cells

    try:
        if as_json:
            print_json({**(refusal.document or {}), **error_document(refusal)})
        sys.stdout.flush()  # also what was printed before; at exit it would be too late to go on
    except BrokenPipeError:
        _discard_stdout()
    if not as_json:
        show_cells(refusal)
    print_error(refusal)
    return refusal.code


def run_application(app: Any, arguments: Sequence[str]) -> int:
    """Runs the command line and gives its exit code. What it cannot parse is bad input (2)."""
    try:
        return int(app(args=list(arguments), standalone_mode=False, prog_name="headgate") or 0)
    except SystemExit as stop:
        return int(stop.code or 0)
    except typer.Abort:
        return 130
    except typer.TyperException as problem:
        return _report(_usage_error(problem), as_json="--json" in arguments)


def _usage_error(problem: typer.TyperException) -> HeadgateError:
    from headgate.core.errors import InputRejected

    message = problem.format_message()
    context = getattr(problem, "ctx", None)
    command = context.command_path if context is not None else "headgate"
    return InputRejected(message if message.endswith(".") else f"{message}.", f"`{command} --help` shows what is accepted.")

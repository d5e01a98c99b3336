"""A process that has imported everything, and forks for each command: importing takes seconds, a command then a part of one.

`LD_PRELOAD=shim.so FAULTS_CONTROL=… python -m tests.faults.warm` reads one JSON object per line, runs its commands in a child that is
the leader of its own process group, and answers with one line: [exit codes, seconds]. A code below 0 is the signal that ended the child.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import threading
import time
import traceback
import warnings
from pathlib import Path

from tests.faults.shim import Control


def serve() -> None:
    control = Control(Path(os.environ["FAULTS_CONTROL"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what other packages say of each other while they are imported
        import_everything()
    for line in sys.stdin:
        request = json.loads(line)
        begun = time.monotonic()
        codes = run(control, **request)
        print(json.dumps([codes, time.monotonic() - begun]), flush=True)


def import_everything() -> None:
    import flows.cli
    import flows.publish
    import flows.release
    from tasks.expectations.running import import_great_expectations
    from tasks.reporting.mlflow_runs import import_mlflow

    import_great_expectations()
    import_mlflow()
    if threading.active_count() > 1:
        raise RuntimeError(f"A process with threads cannot be forked safely: {threading.enumerate()}.")
    assert flows.cli


def run(
    control: Control, commands: list[list[str]], environment: dict[str, str], folder: str, output: str, seconds: float, armed: bool
) -> list[int]:
    process = os.fork()
    if process == 0:
        behave(control, commands, environment, folder, output, armed)
    ended = os.pidfd_open(process)
    try:
        if not select.select([ended], [], [], seconds)[0]:
            os.killpg(process, signal.SIGKILL)
    finally:
        os.close(ended)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    control.disarm()
    if len(commands) == 1:
        return [code]
    codes = Path(f"{output}.codes")
    return list(json.loads(codes.read_text(encoding="utf-8"))) if code == 0 else [code] * len(commands)


def behave(control: Control, commands: list[list[str]], environment: dict[str, str], folder: str, output: str, armed: bool) -> None:
    """As the command `headgate` does, to the end of the process: what is still written at exit counts too. Several commands, which only
    look, share a process."""
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(folder)
    os.environ.update(environment)
    from flows.cli import app, main
    from flows.terminal.exit_codes import run_application

    if len(commands) == 1:
        _say_into(f"{output}.0")
        if armed:
            control.arm()
        main(commands[0])
    codes = []
    for number, command in enumerate(commands):
        _say_into(f"{output}.{number}")
        codes.append(run_application(app, command))
    Path(f"{output}.codes").write_text(json.dumps(codes), encoding="utf-8")
    os._exit(0)


def _say_into(output: str) -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    for descriptor, end in ((1, "out"), (2, "err")):
        file = os.open(f"{output}.{end}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(file, descriptor)
        os.close(file)


if __name__ == "__main__":
    try:
        serve()
    except Exception:  # noqa: BLE001 - whoever waits for an answer shall read why there is none
        traceback.print_exc()
        sys.exit(70)

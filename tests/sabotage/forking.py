"""A process that has imported what is not ours, and forks for each run of tests: what a sabotage changes is imported anew, the rest is not.

`python tests/sabotage/forking.py` reads one JSON object per line, `{"folder": …, "arguments": […], "output": …, "seconds": …}`, runs pytest
with those arguments in the folder, writes what it says into the output file, and answers with one line: the exit code, or −1 if the time
was over. Under NUMBA_DISABLE_JIT=1 compiled loops run as plain Python.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import threading
import traceback
import warnings
from importlib import import_module

COMMON = (
    "hypothesis, numba, numpy, pandas, pyarrow.parquet, pydantic, pytest, rapidfuzz, rfc8785, ruamel.yaml, scipy.optimize, "
    "scipy.sparse.csgraph, scipy.stats, sklearn.tree, typer, jinja2, cryptography.hazmat.primitives.asymmetric.ed25519, sqlite3"
)


def serve() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what other packages say of each other while they are imported
        for name in COMMON.split(", "):
            import_module(name)
    if threading.active_count() > 1:
        raise RuntimeError("A process with threads cannot be forked safely.")
    for line in sys.stdin:
        request = json.loads(line)
        print(run(**request), flush=True)


def run(folder: str, arguments: list[str], output: str, seconds: float) -> int:
    process = os.fork()
    if process == 0:
        test(folder, arguments, output)
    ended = os.pidfd_open(process)
    try:
        if not select.select([ended], [], [], seconds)[0]:
            os.killpg(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return -1
    finally:
        os.close(ended)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def test(folder: str, arguments: list[str], output: str) -> None:
    code = 3
    try:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
        os.dup2(1, 2)
        os.chdir(folder)
        os.environ["PYTHONPATH"] = folder
        sys.path[0] = folder
        code = int(import_module("pytest").main(arguments))
        sys.stdout.flush()
    except BaseException:  # noqa: BLE001 - nothing of the child may come back into its parent's loop
        traceback.print_exc()
    finally:
        os._exit(code)


if __name__ == "__main__":
    serve()

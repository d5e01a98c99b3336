"""A process that has imported what a sabotage cannot change, and forks for each run of tests: only what may be changed is imported anew.

`python tests/sabotage/forking.py [ROOM …]`, in a folder that holds the project, imports other packages and all modules of these rooms.
Then it reads one JSON object per line, `{"arguments": […], "output": …, "seconds": …}`, runs pytest with those arguments, writes what it
says into the output file, and answers with one line: the exit code, or −1 if the time was over. Under NUMBA_DISABLE_JIT=1 compiled loops
run as plain Python.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import sys
import threading
import traceback
import warnings
from importlib import import_module
from pathlib import Path

import numba
from hypothesis import Phase, settings

COMMON = (
    "asyncssh, boto3, botocore.session, cronsim, cryptography.hazmat.primitives.asymmetric.ed25519, jinja2, numpy, pandas, "
    "pyarrow.parquet, pydantic, pytest, rapidfuzz, requests, rfc8785, ruamel.yaml, scipy.optimize, scipy.sparse.csgraph, scipy.stats, "
    "securesystemslib.signer, sklearn.tree, sqlite3, typer"
)
PLUGINS = ("_hypothesis_pytestplugin", "pytest_timeout")  # of those installed, what tests need: to load the others takes a second per run


def serve(rooms: list[str]) -> None:
    folder = Path.cwd()
    os.environ |= {"PYTHONPATH": str(folder), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    sys.path[0] = str(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what other packages say of each other while they are imported
        for name in (*COMMON.split(", "), *PLUGINS):
            import_module(name)
        settings.register_profile("ci", settings.get_profile("ci"), phases=[Phase.explicit, Phase.generate])  # no failure is made smaller
        numba.njit(lambda: 0)()  # what the first compiled loop of a process makes ready
    for room in rooms:
        for path in sorted((folder / room).rglob("*.py")):
            import_module(".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__"))
    if threading.active_count() > 1:
        raise RuntimeError("A process with threads cannot be forked safely.")
    gc.collect()
    gc.freeze()  # or each fork would look through all of it, and so copy it
    for line in sys.stdin:
        request = json.loads(line)
        print(run(**request), flush=True)


def run(arguments: list[str], output: str, seconds: float) -> int:
    process = os.fork()
    if process == 0:
        test(arguments, output)
    ended = os.pidfd_open(process)
    try:
        if not select.select([ended], [], [], seconds)[0]:
            os.killpg(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return -1
    finally:
        os.close(ended)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def test(arguments: list[str], output: str) -> None:
    code = 3
    try:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
        os.dup2(1, 2)
        plugins = [word for plugin in PLUGINS for word in ("-p", plugin)]
        code = int(import_module("pytest").main([*plugins, *arguments]))
        sys.stdout.flush()
    except BaseException:  # noqa: BLE001 - nothing of the child may come back into its parent's loop
        traceback.print_exc()
    finally:
        os._exit(code)


if __name__ == "__main__":
    serve(sys.argv[1:])

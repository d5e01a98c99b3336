"""Where the person stands: the folder that the paths they name start from. Nothing else is taken from there.

Python, numba, Prefect, dotenv, matplotlib and MLflow look for code and settings in the current folder, and whoever verifies a download does
so in the folder that it came in. So a command leaves that folder before it imports any of them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SAFE = "/"  # only the machine's administrator can put anything there
OTHERS_WRITE = 0o022
OWN_CODE = Path(__file__).resolve().parents[2]
PATHS_OF_THE_ENVIRONMENT = ("HEADGATE_STORE", "HEADGATE_KEY")

_left: Path | None = None


def step_aside() -> None:
    """Leaves the current folder for one without code or settings. Nothing that is written from now on can be changed by others."""
    global _left
    _left = _current()
    for name in PATHS_OF_THE_ENVIRONMENT:
        if os.environ.get(name) and "://" not in os.environ[name]:
            os.environ[name] = str(_left / Path(os.environ[name]).expanduser())
    sys.path[:] = code_paths(sys.path, _left)
    os.environ["PYTHONSAFEPATH"] = "1"  # for the processes that are started from here
    os.umask(os.umask(0o077) | OTHERS_WRITE)
    os.chdir(SAFE)


def _current() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:  # it was deleted: what is named relative to it does not exist
        return Path(os.environ.get("PWD") or SAFE)


def code_paths(paths: Iterable[str], here: Path) -> list[str]:
    """Python's path without the current folder, unless headgate lies there or PYTHONPATH names it in full."""
    named = {entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(entry)}
    return [path for path in paths if path in named or (os.path.isabs(path) and (Path(path) != here or here == OWN_CODE))]


def here() -> Path:
    """The folder that the command was started in."""
    return _left or Path.cwd()


def from_here(path: Path) -> Path:
    """The path as the person means it. `shipped:NAME` names no file of theirs."""
    from flows.policy_files import is_shipped

    return path if is_shipped(path) else here() / path.expanduser()


def all_from_here(given: Any) -> Any:
    """Paths, and lists of them, among the arguments of a command; everything else as it is."""
    if isinstance(given, Path):
        return from_here(given)
    if isinstance(given, list | tuple):
        return type(given)(all_from_here(one) for one in given)
    return given


def as_named(path: Path) -> Path:
    """For messages: relative where the file lies below the folder that the command was started in."""
    return path.relative_to(here()) if path.is_relative_to(here()) else path

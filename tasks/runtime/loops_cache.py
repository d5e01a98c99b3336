"""Where compiled loops are kept. numba unpickles what it finds there, so whoever can write there runs code as whoever reads it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import headgate
from headgate.core.errors import InputRejected, StoreUnavailable
from tasks.runtime.boundary import reason_of
from tasks.runtime.trusted_files import require_safe_folders

VARIABLE = "NUMBA_CACHE_DIR"
CURE = f"Set {VARIABLE} to a folder that only you can write in."


def choose_loops_cache() -> None:
    """Beside headgate's code, where whoever can write could change the code as well; else in a private folder among the account's caches.
    A folder that the operator has named is taken if it is safe. Called before numba is imported."""
    named = os.environ.get(VARIABLE)
    if named:
        _require_safe(Path(named))
    elif not _beside_the_code():
        folder = _private_folder()
        _require_safe(folder)
        os.environ[VARIABLE] = str(folder)


def _require_safe(folder: Path) -> None:
    reason = "its path is relative"
    if folder.is_absolute():
        try:
            require_safe_folders(folder)
            return
        except InputRejected as refusal:
            reason = refusal.message.rstrip(".")
    raise InputRejected(f"Compiled loops cannot be kept in {folder}: {reason}.", CURE)


def _beside_the_code() -> bool:
    code = Path(headgate.__path__[0])
    folders = [code, *code.rglob("__pycache__")]
    return all(os.access(folder, os.W_OK) and not folder.stat().st_mode & stat.S_IWOTH for folder in folders)


def _private_folder() -> Path:
    caches = Path(os.environ.get("XDG_CACHE_HOME") or "")
    folder = (caches if caches.is_absolute() else Path("~/.cache").expanduser()) / "headgate" / "loops"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, RuntimeError) as problem:
        reason = reason_of(problem) if isinstance(problem, OSError) else "this account has no home"
    else:
        return folder
    raise StoreUnavailable(f"Compiled loops cannot be kept in {folder} ({reason}).", CURE)

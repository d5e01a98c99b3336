"""Files are what they were when they were first looked at: a release that checks one and seals another has checked nothing."""

from __future__ import annotations

from pathlib import Path

from headgate.errors import IntegrityBroken
from tasks.files import file_entry
from tasks.seal import CHANGED
from tasks.workbench import Workbench


def examine(bench: Workbench, path: str) -> Path:
    """The file at `path` of the release's folder, for whoever checks, measures or seals it."""
    found = file_entry(bench.stage, path).sha256
    if bench.examined.setdefault(path, found) != found:
        raise IntegrityBroken(f"{path} was changed while the release was made.", CHANGED)
    return bench.stage / path

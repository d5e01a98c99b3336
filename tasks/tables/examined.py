"""Files are what they were when they were first looked at: a release that checks one and seals another has checked nothing."""

from __future__ import annotations

from pathlib import Path

from headgate.core.errors import IntegrityBroken
from tasks.stores.files import file_entry
from tasks.stores.seal import CHANGED


def examine(stage: Path, path: str, first: dict[str, str]) -> Path:
    """The file at `path` of the release's folder, for whoever checks, measures or seals it; `first` keeps each file's first SHA-256."""
    found = file_entry(stage, path).sha256
    if first.setdefault(path, found) != found:
        raise IntegrityBroken(f"{path} was changed while the release was made.", CHANGED)
    return stage / path

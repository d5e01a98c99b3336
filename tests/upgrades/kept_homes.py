"""Homes that earlier versions of headgate left, whole, with the keys of the invented people who worked there."""

from __future__ import annotations

import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path

from tests.functional.conftest import REGIONS, Outcome, Project

KEPT = Path(__file__).with_name("homes")
PEOPLE = ("alice", "bob", "carol", "steward")


def project_below(folder: Path, keys: Path, run: Callable[..., Outcome]) -> Project:
    """A steward's folder and a home beside it."""
    steward = folder / "policies"
    steward.mkdir()
    (steward / "region.csv").write_text(REGIONS, encoding="utf-8")
    return Project(steward, folder / "home", run, folder, {name: keys / name for name in PEOPLE})


def unpacked(archive: Path, folder: Path, run: Callable[..., Outcome]) -> Project:
    with tarfile.open(archive) as kept:
        kept.extraction_filter = getattr(tarfile, "data_filter", None)  # 3.11.4 and newer
        kept.extractall(folder)
    project = project_below(folder, folder / "people", run)
    shutil.copy2(project.home / "signers", project.folder)
    return project

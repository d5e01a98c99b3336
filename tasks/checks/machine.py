"""The machine: its clock, its disk, and what is installed on it."""

from __future__ import annotations

import re
import shutil
import sys
from collections import defaultdict
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from headgate.core.errors import StoreUnavailable
from tasks.checks.finding import Finding, Situation, failed, warned, well

LOCK = Path(__file__).resolve().parents[2] / "requirements.lock"
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)
OLDEST_PYTHON = (3, 11)
MOST_NAMED = 5
LEAST_FREE = 2**30  # bytes
RELEASES_FREE = 4  # of the size of the largest release: it is written, sealed, published and kept


def check_clock(situation: Situation) -> Iterator[Finding]:
    try:
        present = situation.ledger.now()
    except StoreUnavailable as problem:
        yield failed("clock", problem.message, problem.cure)
        return
    yield well("clock", f"{present.isoformat(timespec='seconds')}: consistent with the ledger.")


def check_disk(situation: Situation) -> Iterator[Finding]:
    root = situation.home.root
    free, largest = shutil.disk_usage(root).free, largest_release(situation.home.candidates)
    said = f"{free:,} bytes are free; the largest release takes {largest:,}."
    if free < largest:
        yield failed("disk", said, f"Make room on the disk of {root}: the next release may not fit.")
    elif free < max(LEAST_FREE, RELEASES_FREE * largest):
        yield warned("disk", said, f"Make room on the disk of {root}, for {RELEASES_FREE} releases at least.")
    else:
        yield well("disk", said)


def largest_release(candidates: Path) -> int:
    folders = [folder for folder in candidates.iterdir() if folder.is_dir()] if candidates.is_dir() else []
    return max((sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) for folder in folders), default=0)


def check_versions(situation: Situation) -> Iterator[Finding]:
    """Against the lock where headgate lies beside it; an installed one knows what it requires."""
    python = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < OLDEST_PYTHON:
        yield failed("versions", f"Python {python} is too old.", "Install Python 3.11 or newer.")
        return
    wrong = tuple(_unlike_lock() if LOCK.is_file() else _unlike_required())
    if wrong:
        named = ", ".join(wrong[:MOST_NAMED]) + (", …" if len(wrong) > MOST_NAMED else "")
        cure = "Install the locked packages again: make setup."
        yield warned("versions", f"Not in the versions that headgate was tested with: {named}.", cure)
    else:
        yield well("versions", f"headgate {version('headgate')}, Python {python}, and the packages that it was tested with.")


def _unlike_lock() -> Iterator[str]:
    """One package may have several lines, for several Pythons."""
    wanted = defaultdict[str, set[str]](set)
    for name, pinned in PINNED.findall(LOCK.read_text(encoding="utf-8")):
        wanted[name].add(pinned)
    for name, versions in wanted.items():
        found = _installed(name)
        if (found and found not in versions) or (not found and _is_direct(name)):
            yield name


def _is_direct(name: str) -> bool:
    """What extras need is in the lock too, and need not be installed."""
    return any(re.match(rf"{re.escape(name)}\b", line, re.IGNORECASE) and "extra ==" not in line for line in requires("headgate") or ())


def _unlike_required() -> Iterator[str]:
    from packaging.requirements import Requirement

    for line in requires("headgate") or ():
        requirement = Requirement(line)
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        found = _installed(requirement.name)
        if not found or not requirement.specifier.contains(found, prereleases=True):
            yield requirement.name


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""

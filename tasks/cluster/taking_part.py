"""Who may work on a release: workers that run the same headgate on the same arithmetic, for others could make other groups."""

from __future__ import annotations

import os
from dataclasses import astuple, dataclass, fields
from importlib.metadata import version

from headgate.core.errors import InputRejected


@dataclass(frozen=True)
class Build:
    """Versions that decide what a job comes to."""

    headgate: str
    numpy: str
    numba: str

    def require_same(self, here: Build) -> None:
        """`self` is the release's own."""
        for field, own, other in zip(fields(self), astuple(self), astuple(here), strict=True):
            if own != other:
                raise InputRejected(
                    f"A worker runs {field.name} {other}; this release runs {field.name} {own}.",
                    "Install the same versions for all workers: pip install --require-hashes -r requirements.lock.",
                )


def build_here() -> Build:
    return Build(version("headgate"), version("numpy"), version("numba"))


def probe(folder: str) -> tuple[Build, bool]:
    """Run on a worker: what it runs, and whether it can use the folder that all share."""
    return build_here(), os.access(folder, os.R_OK | os.W_OK | os.X_OK)

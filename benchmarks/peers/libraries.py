"""Other libraries that group a table with k alone, each in an environment of its own."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.peers.environments import output_of, python_with

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Library:
    """`about`: what of it is measured."""

    version: str
    environment: str
    packages: tuple[str, ...]
    script: str
    about: str
    more: tuple[str, ...] = ()


LIBRARIES: Mapping[str, Library] = {
    "project-lighthouse-anonymize": Library(
        "1.0.0",
        "lighthouse-1.0.0",
        ("project-lighthouse-anonymize==1.0.0", "anonypy==0.2.1"),
        "mondrian_peers.py",
        "its Core Mondrian in one process",
        ("project-lighthouse-anonymize",),
    ),
    "anonypyx": Library("0.2.11", "anonypyx-0.2.11", ("anonypyx==0.2.11",), "anonypyx_peer.py", "its Mondrian"),
    "polarfrost": Library(
        "0.2.1",
        "polarfrost-0.2.1",
        ("polarfrost==0.2.1", "pyspark==4.3.0", "pyarrow==26.0.1"),
        "polarfrost_peer.py",
        "its Mondrian on Polars; it cannot be imported without pyspark, which it does not ask for",
    ),
}


@dataclass(frozen=True, eq=False)
class Grouped:
    """`groups`: of each row, −1 where it is suppressed. `busy_seconds` are the processor's."""

    seconds: float
    busy_seconds: float
    groups: NDArray[np.int32]


def grouped_by(name: str, frame: pd.DataFrame, quasi: Sequence[str], k: int) -> Grouped:
    library = LIBRARIES[name]
    python = str(python_with(library.environment, *library.packages))
    with tempfile.TemporaryDirectory() as scratch:
        source, out = Path(scratch) / "table.csv", Path(scratch) / "peer.json"
        frame.to_csv(source, index=False)
        output_of([python, str(HERE / library.script), str(source), ",".join(quasi), str(k), str(out), *library.more])
        made = json.loads(out.read_text(encoding="utf-8"))["peers"][name]
    return Grouped(made["seconds"], made["busy_seconds"], np.asarray(made["groups"], dtype=np.int32))

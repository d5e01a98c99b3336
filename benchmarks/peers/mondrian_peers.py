"""What other Mondrians make of one table: the group of every row, and the seconds. Runs in their own virtual environment:
`python mondrian_peers.py TABLE.csv QUASI,… K OUTPUT.json [PEER,…]`, with project-lighthouse-anonymize 1.0.0 and anonypy 0.2.1 installed.

Each anonymizes with k alone; a column of numbers is a number, any other a category without hierarchy. Only the anonymizing itself is timed:
not reading, importing, the peer's own metrics, nor compiling (lighthouse's loops are compiled on a small part first). Rows that a peer
publishes alike are a group, numbered 0, 1, 2 …; a row that it suppresses is in group −1. What the table then loses is for one measure to
say, the same for all.
"""

from __future__ import annotations

import json
import logging
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

import anonypy
import numpy as np
import pandas as pd
from project_lighthouse_anonymize.utils import AnonymizeCallbacks
from project_lighthouse_anonymize.wrappers.k_anonymize import k_anonymize

ID = "row"
SMALL = 500
LIGHTHOUSE, ANONYPY = "project-lighthouse-anonymize", "anonypy"


class Clock(AnonymizeCallbacks):
    """The seconds of the anonymizing itself, by the clock and of the processor."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds = self.busy_seconds = 0.0

    def anonymize_bm(self) -> None:
        self.started = time.perf_counter(), time.process_time()

    def anonymize_am(self) -> None:
        self.seconds, self.busy_seconds = time.perf_counter() - self.started[0], time.process_time() - self.started[1]


def lighthouse(frame: pd.DataFrame, quasi: list[str], k: int) -> tuple[float, float, np.ndarray]:
    """Its Core Mondrian in one process: its pool of ten took seven times longer on 5,000 rows."""
    numbered = frame[quasi].astype({name: float for name in quasi if number(frame[name])})
    numbered[ID] = np.arange(len(frame))
    clock = Clock()
    published, _, _ = k_anonymize(logging.getLogger("peer"), numbered, quasi, k, {}, ID, parallelism=None, anonymize_callbacks=clock)
    cells = published[quasi].astype(str).agg("\t".join, axis=1)
    groups = np.full(len(frame), -1)
    groups[published[ID].to_numpy().astype(int)] = pd.factorize(cells)[0]
    return clock.seconds, clock.busy_seconds, groups


def strict_median(frame: pd.DataFrame, quasi: list[str], k: int) -> tuple[float, float, np.ndarray]:
    """anonypy's partition; its own publishing drops all but one sensitive column, and is left out."""
    cells = frame[quasi].astype({name: "category" for name in quasi if not number(frame[name])})
    start, busy = time.perf_counter(), time.process_time()
    parts = anonypy.mondrian.Mondrian(cells, quasi).partition(k)
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    groups = np.full(len(frame), -1)
    for place, rows in enumerate(parts):
        groups[rows] = place
    return seconds, busy, groups


def number(cells: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(cells.dtype)


PEERS = {LIGHTHOUSE: lighthouse, ANONYPY: strict_median}


def main() -> None:
    path, names, k, output, *chosen = sys.argv[1:]
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    quasi = names.split(",")
    frame = pd.read_csv(path, usecols=quasi, keep_default_na=False)
    found: dict[str, Any] = {}
    for name in chosen[0].split(",") if chosen else PEERS:
        if name == LIGHTHOUSE:
            lighthouse(frame.head(SMALL), quasi, int(k))
        seconds, busy, groups = PEERS[name](frame, quasi, int(k))
        figures = {"seconds": seconds, "busy_seconds": busy, "suppressed": int((groups < 0).sum())}
        found[name] = {"version": version(name), **figures, "groups": groups.tolist()}
    Path(output).write_text(json.dumps({"python": sys.version.split()[0], "pandas": version("pandas"), "peers": found}), encoding="utf-8")
    print(json.dumps({name: {key: value for key, value in one.items() if key != "groups"} for name, one in found.items()}))


if __name__ == "__main__":
    main()

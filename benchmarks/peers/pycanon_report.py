"""pyCANON's report on one table of strings, timed. Runs in pyCANON's own virtual environment:
`python pycanon_report.py TABLE.csv QUASI,… SENSITIVE`.

Only the report's own call is timed: reading the table and importing pyCANON are not.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
from pycanon import anonymity
from pycanon.report import get_report_values

ASKED: dict[str, Callable[..., Any]] = {
    "k": lambda frame, quasi, _: anonymity.k_anonymity(frame, quasi),
    "alpha": lambda *table: anonymity.alpha_k_anonymity(*table)[0],
    "distinct_l": anonymity.l_diversity,
    "entropy_l": anonymity.entropy_l_diversity,
    "recursive_c": lambda *table: anonymity.recursive_c_l_diversity(*table)[0],
    "recursive_l": lambda *table: anonymity.recursive_c_l_diversity(*table)[1],
    "basic_beta": anonymity.basic_beta_likeness,
    "enhanced_beta": anonymity.enhanced_beta_likeness,
    "t": anonymity.t_closeness,
    "delta_disclosure": anonymity.delta_disclosure,
}


def plain(figure: Any) -> Any:
    """A number that JSON knows; None for "cannot be calculated"."""
    number = figure.item() if isinstance(figure, np.generic) else figure
    return None if isinstance(number, float) and not math.isfinite(number) else number


def figures(frame: pd.DataFrame, quasi: list[str], sensitive: list[str]) -> dict[str, Any]:
    """Every figure of the report by itself, so that one that breaks leaves the others; what broke is the exception's name."""
    found: dict[str, Any] = {}
    for name, ask in ASKED.items():
        try:
            found[name] = plain(ask(frame, quasi, sensitive))
        except Exception as broken:  # noqa: BLE001 — whatever it raises is what its user gets
            found[name] = {"raises": type(broken).__name__}
    return found


def versions() -> dict[str, str]:
    return {"python": sys.version.split()[0], **{name: version(name) for name in ("pycanon", "pandas", "numpy")}}


def read(path: str) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def main() -> None:
    path, quasi, sensitive = sys.argv[1:]
    frame = read(path)
    start = time.perf_counter()
    get_report_values(frame, quasi.split(","), [sensitive])
    print(json.dumps({"seconds": time.perf_counter() - start, "versions": versions()}))


if __name__ == "__main__":
    main()

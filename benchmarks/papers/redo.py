"""How a paper's experiments are run again: figures one after the other, their numbers kept, charts drawn, the page written."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

ROOT = Path(__file__).resolve().parents[2]

Scale = TypeVar("Scale")
Numbers = dict[str, Any]


@dataclass(frozen=True)
class Paper(Generic[Scale]):
    """`name` is that of its page, and of the folder of its charts, in docs/."""

    name: str
    about: str | None
    figures: Mapping[str, Callable[[Scale], Numbers]]
    quick: Scale
    full: Scale
    pictures: Callable[[Numbers], dict[str, bytes]]
    tables: Callable[[Numbers], str]
    with_tables: Callable[[str, str], str]


def told(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def redo(paper: Paper[Scale]) -> None:
    """What the command line asks for."""
    options = argparse.ArgumentParser(description=paper.about, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--figure", action="append", choices=paper.figures, help="only this one; may be given again")
    options.add_argument("--quick", action="store_true", help="a sixth of the rows, fewer settings; the page is left as it is")
    options.add_argument("--redraw", action="store_true", help="only draw and write again what figures.json holds")
    chosen = options.parse_args()
    folder = ROOT / "benchmarks" / "results" / paper.name if chosen.quick else ROOT / "docs" / paper.name
    folder.mkdir(parents=True, exist_ok=True)
    numbers = folder / "figures.json"
    found: Numbers = json.loads(numbers.read_text(encoding="utf-8")) if numbers.exists() else {}
    for name in [] if chosen.redraw else chosen.figure or paper.figures:
        told(f"{name} ...")
        start = time.perf_counter()
        found[name] = paper.figures[name](paper.quick if chosen.quick else paper.full)
        told(f"{name}: {time.perf_counter() - start:.0f} s")
        numbers.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for name, picture in paper.pictures(found).items():
        (folder / name).write_bytes(picture)
    text = paper.tables(found)
    print(text)
    if not chosen.quick:
        page = ROOT / "docs" / f"{paper.name}.md"
        page.write_text(paper.with_tables(page.read_text(encoding="utf-8"), text), encoding="utf-8")

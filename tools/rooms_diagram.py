"""The import graph of the rooms, drawn from the code."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module

import grimp

PACKAGES = ("headgate", "policies", "tasks", "flows")

Imports = dict[str, set[str]]  # importer → imported


@cache
def module_imports() -> Imports:
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    return {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}


def united(imports: Imports, depth: int, within: str = "") -> Imports:
    """Imports between the first `depth` parts of modules' names, inside one package or between all."""
    names: Imports = {}
    for importer, imported in imports.items():
        source = _shortened(importer, depth)
        if source is None or not importer.startswith(within):
            continue
        targets = {_shortened(module, depth) for module in imported if module.startswith(within)}
        names.setdefault(source, set()).update(target for target in targets if target not in (None, source))  # type: ignore[misc]
    return names


def _shortened(module: str, depth: int) -> str | None:
    parts = module.split(".")
    return ".".join(parts[:depth]) if len(parts) >= depth else None


def without_implied(imports: Imports) -> Imports:
    """Without arrows that follow from two others. graphlib.CycleError, with the cycle, where there is one."""
    reached: Imports = {}
    for name in TopologicalSorter(imports).static_order():
        reached[name] = set().union(*({other, *reached[other]} for other in imports.get(name, ())))
    return {name: {other for other in others if not any(other in reached[near] for near in others)} for name, others in imports.items()}


def drawn(imports: Mapping[str, set[str]], direction: str) -> str:
    arrows = [f"    {_label(name)} --> {_label(other)}" for name in sorted(imports) for other in sorted(imports[name])]
    alone = [
        f"    {_label(name)}" for name in sorted(imports) if not imports[name] and not any(name in others for others in imports.values())
    ]
    return "\n".join(["```mermaid", f"flowchart {direction}", *arrows, *alone, "```", ""])


def _label(name: str) -> str:
    return name.rsplit(".", 1)[-1]


def package_diagram() -> str:
    return drawn(without_implied(united(module_imports(), 1)), "LR")


def rooms_diagram() -> str:
    diagrams = []
    for package in PACKAGES:
        rooms = without_implied(united(module_imports(), 2, f"{package}."))
        diagrams.append(f"`{package}/`:\n\n{drawn(rooms, 'TD')}")
    return "\n".join(diagrams)


def room_tables() -> str:
    """Every room with the sentence of its `__init__`."""
    tables = []
    for package in PACKAGES:
        rooms = [room for room in sorted(united(module_imports(), 2, f"{package}.")) if hasattr(import_module(room), "__path__")]
        rows = [f"| `{room.replace('.', '/')}/` | {_sentence(room)} |" for room in rooms]
        tables.append("\n".join([f"**`{package}/`** {_sentence(package)}", "", "| Room | What it is for |", "|---|---|", *rows, ""]))
    return "\n".join(tables)


def _sentence(package: str) -> str:
    text = import_module(package).__doc__ or ""
    return " ".join(text.strip().split("\n\n")[0].split())

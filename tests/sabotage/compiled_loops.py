"""Which files compiled loops hold, or take anything from: numba's cache looks at the file of a loop alone, so what it finds there must not
be trusted once one of these has changed."""

from __future__ import annotations

import ast
from pathlib import Path

ROOMS = ("headgate", "policies", "tasks", "flows", "tests")
COMPILERS = {"headgate.core.compiling", "numba"}


def files_in_loops(root: Path) -> frozenset[str]:
    """Every file that compiles a loop, and all that these import, however far away: of any of it a loop may have kept a constant."""
    paths = {_module(path.relative_to(root)): path for room in ROOMS for path in sorted((root / room).rglob("*.py"))}
    imported = {module: _imported(path) for module, path in paths.items()}
    waiting = [module for module, names in imported.items() if names & COMPILERS]
    reached: set[str] = set()
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting += imported[module] & paths.keys()
    return frozenset(paths[module].relative_to(root).as_posix() for module in reached)


def _module(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _imported(path: Path) -> set[str]:
    """By any statement of the file, wherever it stands."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None, f"{path}: relative imports are not followed"
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names

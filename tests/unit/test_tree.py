"""The rules of the tree: where tests stand, what modules are called, how long they get. `make check` limits what a function may branch."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("headgate", "policies", "tasks", "flows")
MODULES = sorted(path.relative_to(ROOT) for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
LONGEST = 400
# In these rooms some modules are tested through their neighbours or on the command line only. Everywhere else, each has tests of its name.
NOT_YET_MIRRORED = {
    "flows",
    "flows/cli",
    "headgate/grouping",
    "headgate/methods",
    "policies/judging",
    "policies/schema",
    "policies/sealed",
    "policies/words",
    "tasks/advice",
    "tasks/expectations",
    "tasks/release",
    "tasks/reporting",
    "tasks/runtime",
    "tasks/tables",
    "tasks/verification",
}


def has_code(path: Path) -> bool:
    """Anything but imports and a docstring."""
    statements = ast.parse((ROOT / path).read_text(encoding="utf-8")).body
    return any(not isinstance(statement, ast.Import | ast.ImportFrom | ast.Expr) for statement in statements)


def room_of(path: Path) -> str:
    return "/".join(path.parts[:2]) if len(path.parts) > 2 else path.parts[0]


def place_of_tests(path: Path) -> Path:
    return Path("tests/unit") / path.parent / f"test_{path.stem}.py"


def test_every_module_has_its_tests_where_the_tree_says() -> None:
    lacking = [
        str(path)
        for path in MODULES
        if path.name != "__init__.py"
        and room_of(path) not in NOT_YET_MIRRORED
        and has_code(path)
        and not (ROOT / place_of_tests(path)).exists()
    ]
    assert lacking == []


def test_no_two_modules_have_the_same_name() -> None:
    places = defaultdict(list)
    for path in MODULES:
        if path.name != "__init__.py" and path.parts[:2] not in (("policies", "gates"), ("flows", "cli")):
            places[path.stem].append(str(path))
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


def test_no_module_is_too_long_to_read() -> None:
    lines = {str(path): len((ROOT / path).read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {path: count for path, count in lines.items() if count > LONGEST} == {}

"""What operators install is what was tested, and nothing that only tests need."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def locked(name: str) -> dict[str, str]:
    """Each package with its version, its condition and its hashes, as they stand."""
    pins = re.split(r"\n(?=\S)", (ROOT / name).read_text(encoding="utf-8").rstrip("\n"))
    return {re.split(r"[=\s;]", pin)[0]: pin for pin in pins}


def names(requirements: list[str]) -> set[str]:
    return {re.sub("[-_.]+", "-", re.split(r"[\[<>=~! ;]", each)[0].lower()) for each in requirements}


def test_the_product_is_locked_whole_with_every_extra_but_that_of_developers() -> None:
    extras = [each for name, extra in PROJECT["optional-dependencies"].items() if name != "dev" for each in extra]
    assert names(PROJECT["dependencies"] + extras) <= locked("requirements.lock").keys()


def test_nothing_that_only_developers_need_is_installed_with_it() -> None:
    assert {"pytest", "hypothesis", "playwright", "moto", "mypy", "ruff"}.isdisjoint(locked("requirements.lock"))


def test_operators_get_the_versions_that_were_tested() -> None:
    product, tested = locked("requirements.lock"), locked("requirements-dev.lock")
    versions = {name: pin.splitlines()[0].split(";")[0].rstrip(" \\") for name, pin in product.items()}
    assert versions == {name: tested[name].splitlines()[0].split(";")[0].rstrip(" \\") for name in product}

"""What operators install is what was tested, and nothing that only tests need."""

from __future__ import annotations

import importlib.metadata
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]


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


def test_what_builds_the_package_is_locked_whole_and_installed_where_pip_must_not_fetch_it() -> None:
    """Without it `pip install --no-build-isolation .` ends with "No module named 'hatchling'", on a server and in an image alike."""
    builds, tested = locked("requirements-build.lock"), locked("requirements-dev.lock")
    needed = [
        each for name in builds for each in importlib.metadata.requires(name) or () if "extra ==" not in each and "python_" not in each
    ]
    assert names(PYPROJECT["build-system"]["requires"] + needed) <= builds.keys()
    assert builds == {name: tested[name] for name in builds}
    for page in ("docs/guide-operator.md", "deployments/Containerfile"):
        before = (ROOT / page).read_text(encoding="utf-8").partition("--no-build-isolation")[0]
        assert "-r requirements-build.lock" in before, page


def test_the_servers_of_the_guide_find_their_drivers() -> None:
    """MLflow's server needs boto3 for its artifacts in an object store, and flask-wtf for its users; what tests brought hid that."""
    assert {"asyncpg", "boto3", "flask-wtf", "psycopg"} <= locked("requirements.lock").keys()

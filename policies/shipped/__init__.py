"""Ready policies with their data and hierarchies, found through importlib.resources wherever the product is installed."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable

SHIPPED = ("hospital-patients", "census-income")


def shipped_policy(name: str) -> Traversable:
    """The policy file of a shipped dataset; the paths in it are relative to the folder it lies in."""
    return files(__name__) / f"{name}.yaml"

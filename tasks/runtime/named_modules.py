"""Kinds that have a file each: a room's module is found by the kind's name, so that a new kind is a new file and no list to mend."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


def module_named(room: str, prefix: str, kind: str) -> ModuleType | None:
    """tasks.ledger.store_sqlite for the room `tasks.ledger`, the prefix `store_` and the kind `sqlite`; None if it has no such file.
    Only ever a file of that room: a kind is letters and digits."""
    name = f"{room}.{prefix}{kind}"
    return import_module(name) if re.fullmatch("[a-z][a-z0-9]*", kind) and find_spec(name) is not None else None

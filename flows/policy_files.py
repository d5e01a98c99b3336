"""Where a policy file is: a path, or `shipped:NAME` for a policy that comes with headgate."""

from __future__ import annotations

from pathlib import Path

from headgate.core.errors import InputRejected
from policies.shipped import SHIPPED, shipped_policy

PREFIX = "shipped:"


def is_shipped(named: Path | str) -> bool:
    return str(named).startswith(PREFIX)


def resolve_policy(named: Path | str) -> Path:
    text = str(named)
    if not is_shipped(named):
        return Path(text).expanduser().absolute()
    name = text.removeprefix(PREFIX)
    if name not in SHIPPED:
        raise InputRejected(f"No shipped policy is called {name}.", f"Use one of {', '.join(sorted(SHIPPED))}.")
    return Path(str(shipped_policy(name)))

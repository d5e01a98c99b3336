"""Where a policy file is: a path, or `shipped:NAME` for the ones that come with headgate."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from headgate.errors import InputRejected

SHIPPED = "shipped:"


def resolve_policy(named: Path | str) -> Path:
    text = str(named)
    if not text.startswith(SHIPPED):
        return Path(text).expanduser().absolute()
    folder = Path(str(files("policies.shipped")))
    path = folder / f"{text.removeprefix(SHIPPED)}.yaml"
    if not path.is_file():
        names = ", ".join(sorted(file.stem for file in folder.glob("*.yaml")))
        raise InputRejected(f"No shipped policy is called {text.removeprefix(SHIPPED)}.", f"There are: {names}.")
    return path

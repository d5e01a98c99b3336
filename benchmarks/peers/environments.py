"""Virtual environments of other libraries, one each, made once in .peers/: what they need never meets what headgate needs."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PEERS = ROOT / ".peers"


def python_with(name: str, *packages: str) -> Path:
    """The interpreter of the environment of that name, in which these packages are installed."""
    home = PEERS / name
    if not (home / "ready").exists():
        print(f"Installing {', '.join(packages)} ...", file=sys.stderr)
        venv.create(home, with_pip=True, clear=True, symlinks=True)
        output_of([str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages])
        (home / "ready").touch()
    return home / "bin" / "python"


def output_of(command: list[str]) -> str:
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode:
        raise SystemExit(f"{' '.join(command[:3])} ended with {ended.returncode}:\n{ended.stdout}\n{ended.stderr}")
    return ended.stdout

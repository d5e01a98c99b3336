"""The shim (shim.c) and what it is told: the call at which something happens, and what."""

from __future__ import annotations

import ctypes
import mmap
import shutil
import subprocess
from enum import IntEnum
from pathlib import Path

ROOTS, PATH = 3, 1024
SOURCE = Path(__file__).with_name("shim.c")


class Kind(IntEnum):
    """What happens at the call: shim.c has the same words in the same order."""

    COUNT = 0
    KILL = 1
    TORN = 2
    NO_SPACE = 3
    FAILS_ONCE = 4
    SHORT = 5
    PAUSE = 6


class Layout(ctypes.Structure):
    _fields_ = [
        ("count", ctypes.c_long),
        ("at", ctypes.c_long),
        ("kind", ctypes.c_int),
        ("armed", ctypes.c_int),
        ("happened", ctypes.c_int),
        ("lock", ctypes.c_int),
        ("roots", (ctypes.c_char * PATH) * ROOTS),
        ("log", ctypes.c_char * PATH),
        ("what", ctypes.c_char * (2 * PATH + 64)),
    ]


def compiler() -> str | None:
    return shutil.which("gcc") or shutil.which("cc")


def build_shim(folder: Path) -> Path:
    made = folder / "shim.so"
    command = [str(compiler()), "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", str(made), str(SOURCE)]
    subprocess.run(command, check=True)
    return made


class Control:
    """The file that the shim maps in every process of a command."""

    def __init__(self, path: Path, create: bool = False) -> None:
        if create:
            path.write_bytes(bytes(ctypes.sizeof(Layout)))
        self.path = path
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), ctypes.sizeof(Layout))
        self.layout = Layout.from_buffer(self._map)

    def prepare(self, kind: Kind, at: int, roots: list[Path], log: Path | None = None) -> None:
        """What shall happen once a command is `armed`."""
        self.disarm()
        self.layout.count = self.layout.happened = self.layout.lock = 0
        self.layout.kind, self.layout.at, self.layout.what = kind, at, b""
        self.layout.log = b"" if log is None else bytes(log)
        for place in range(ROOTS):
            self.layout.roots[place].value = bytes(roots[place]) if place < len(roots) else b""

    def arm(self) -> None:
        self.layout.armed = 1

    def disarm(self) -> None:
        self.layout.armed = 0

    def go_on(self) -> None:
        """After a pause."""
        self.layout.happened = 2

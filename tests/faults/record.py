"""The calls by which a command changes files, in their order and with their bytes, as the shim's log has them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.faults.shim import Kind
from tests.faults.workshop import Bench, Case


@dataclass(frozen=True)
class Call:
    """`number`: an offset, a length or a mode, as the call has it."""

    name: str
    inode: int
    path: str
    other: str
    number: int
    content: bytes = b""


def read_log(path: Path) -> list[Call]:
    calls = []
    with path.open("rb") as log:
        while head := log.readline():
            name, inode, at, other, number, length = head.decode("utf-8", "surrogateescape").rstrip("\n").split("\t")
            calls.append(Call(name, int(inode), at, other, int(number), log.read(int(length))))
    return calls


def record(bench: Bench, case: Case) -> list[Call]:
    """Every call of a command on a copy of its home, which stays on the bench as the command leaves it."""
    log = bench.folder / "log"
    log.unlink(missing_ok=True)
    bench.copy(case.home)
    bench.control.prepare(Kind.COUNT, 0, [bench.home], log)
    outcome = bench.run(*case.command, armed=True)
    if outcome.code:
        raise RuntimeError(f"{case.name} could not be run at all: {outcome.err}")
    return read_log(log)

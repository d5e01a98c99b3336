"""A command in processes of its own, with all that it starts: seconds, those of the processor, and the memory of all of them together, as
it was seen every tenth of a second. It is stopped before it takes the machine."""

from __future__ import annotations

import math
import os
import resource
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

LOOKS_SECONDS = 0.1


@dataclass(frozen=True)
class Watched:
    """`seen`: moments of `time.monotonic`, and the memory of all processes then, in MiB. `problem`: why there are no figures, if so."""

    seconds: float
    busy_seconds: float
    seen: list[tuple[float, float]]
    output: str
    problem: str

    @property
    def peak_mib(self) -> float:
        return max(memory for _, memory in self.seen)


def watched(
    command: list[str],
    environment: dict[str, str],
    most_mib: float = math.inf,
    most_seconds: float = math.inf,
    begin: Callable[[], None] | None = None,
) -> Watched:
    """`begin` is called in the new process before the command."""
    start, before = time.monotonic(), _busy()
    process = subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=begin,
    )
    seen, stopped = [(start, 0.0)], [""]

    def watch() -> None:
        while process.poll() is None:
            now, memory = time.monotonic(), tree_memory(process.pid)
            seen.append((now, memory))
            if memory > most_mib:
                stopped[0] = f"stopped at {memory:.0f} MiB"
            elif now - start > most_seconds:
                stopped[0] = f"stopped after {most_seconds:g} s"
            if stopped[0]:
                os.killpg(process.pid, signal.SIGKILL)
                return
            time.sleep(LOOKS_SECONDS)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        out, err = process.communicate()
    except KeyboardInterrupt:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    seconds = time.monotonic() - start
    watcher.join()
    failed = f"ended with {process.returncode}: {(out + err)[-600:]}" if process.returncode else ""
    return Watched(seconds, _busy() - before, seen, out, stopped[0] or failed)


def _busy() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def tree_memory(root: int) -> float:
    """Resident memory of a process and all its descendants, in MiB."""
    parents: dict[int, int] = {}
    resident: dict[int, float] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            pages = int((entry / "statm").read_text().split()[1])
        except (OSError, IndexError):
            continue
        parents[int(entry.name)] = int(fields[1])
        resident[int(entry.name)] = pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    total, members = 0.0, {root}
    grew = True
    while grew:
        more = {pid for pid, parent in parents.items() if parent in members} - members
        members |= more
        grew = bool(more)
    for pid in members:
        total += resident.get(pid, 0.0)
    return total

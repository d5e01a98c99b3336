"""(c) What a command stands on goes away: a disk that is really full or read-only, the ledger, MLflow, Prefect's server."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.faults.result import Result
from tests.faults.shim import Kind
from tests.faults.workshop import Bench, Case, Workshop, cleared, problems_after, processes_of
from tests.functional.conftest import Outcome

ROOM = ("0k", "4k", "16k", "64k", "256k")  # left on a full disk
IN_TIME = 200.0
S3 = {"HEADGATE_STORE": "s3://releases", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_ALLOW_HTTP": "true"}


@dataclass(frozen=True)
class Scene:
    """`act` does something to the bench while the command is at its work, or before it."""

    command: str
    fault: str
    name: str
    play: Callable[[Workshop, Bench, Case], Outcome]
    codes: frozenset[int] = frozenset({0, 6})

    def __call__(self, shop: Workshop) -> Result:
        case = shop.cases[self.command]
        with shop.bench() as bench:
            cleared(bench.home)
            begun = time.monotonic()
            outcome = self.play(shop, bench, case)
            seconds = time.monotonic() - begun
            problems = problems_after(shop, bench, case, outcome, ended=True, codes=self.codes)
            if seconds > IN_TIME:
                problems.append(f"took {seconds:.0f} seconds to end")
            for number in processes_of(bench):  # so that the next scene is told of its own
                os.kill(number, signal.SIGKILL)
            return Result(self.command, self.fault, self.name, problems)


def every_scene(shop: Workshop) -> list[Callable[[], Result]]:
    scenes: list[Scene] = []
    if mounting_is_allowed(shop.folder):
        for command in ("approve", "publish", "withdraw", "purge"):
            scenes += [Scene(command, "full disk (tmpfs)", f"{room} left", partial(on_full_disk, room)) for room in ROOM]
            scenes.append(Scene(command, "read-only disk", "the whole home", partial(read_only, ".")))
        scenes += [Scene(command, "read-only disk", "the store", partial(read_only, "releases")) for command in ("publish", "withdraw")]
        scenes.append(Scene("release", "full disk (tmpfs)", "256k left", partial(on_full_disk, "256k")))
    else:
        print("full and read-only disks: mounting is not allowed here; the calls that fail with ENOSPC stand for them")
    for command, at in (("approve", 15), ("approve", 25), ("publish", 20), ("publish", 120), ("publish", 220), ("withdraw", 60)):
        for way in (remove_ledger, empty_ledger):
            codes = frozenset({0, 4, 5, 6})
            scenes.append(Scene(command, "ledger gone", f"{way.__name__} at call {at}", partial(at_call, at, way, True), codes))
    for name, listens in (("refuses", False), ("never answers", True)):
        scenes.append(Scene("release", "MLflow down", name, partial(unanswered, listens, "MLFLOW_TRACKING_URI", {}), frozenset({6})))
        scenes.append(Scene("publish", "S3 down", name, partial(unanswered, listens, "AWS_ENDPOINT_URL", S3), frozenset({6})))
    for command, at in (("publish", 20), ("publish", 150), ("release", 60), ("release", 3000)):
        for kill in (signal.SIGKILL, signal.SIGSTOP):
            name = f"{kill.name} at call {at}"
            scenes.append(Scene(command, "Prefect's server gone", name, partial(at_call, at, partial(end_server, kill), False)))
    return [partial(scene, shop) for scene in scenes]


def mounting_is_allowed(folder: Path) -> bool:
    place = folder / "mounted"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "faults", str(place)], capture_output=True).returncode:
        return False
    subprocess.run(["umount", str(place)], check=True)
    return True


def on_full_disk(room: str, shop: Workshop, bench: Bench, case: Case) -> Outcome:
    """The home on a disk of its own, filled up; afterwards there is room again."""
    bench.home.mkdir(mode=0o700)
    with mounted("-t", "tmpfs", "-o", "size=64m,mode=700", "faults", bench.home):
        subprocess.run(["cp", "-a", f"{case.home}/.", str(bench.home)], check=True)
        filler = bench.home / "filler"
        with filler.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(1 << 12))
        os.truncate(filler, filler.stat().st_size - int(room.removesuffix("k")) * 1024)
        outcome = bench.run(*case.command)
        filler.unlink()
        kept = shutil.copytree(bench.home, bench.folder / "kept", symlinks=True)
    bench.home.rmdir()
    kept.rename(bench.home)
    return outcome


def read_only(below: str, shop: Workshop, bench: Bench, case: Case) -> Outcome:
    bench.copy(case.home)
    place = bench.home / below
    with mounted("--bind", place, place):
        subprocess.run(["mount", "-o", "remount,bind,ro", str(place)], check=True)
        return bench.run(*case.command)


@contextmanager
def mounted(*words: str | Path) -> Iterator[None]:
    subprocess.run(["mount", *map(str, words)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(words[-1])], check=True)


def at_call(at: int, act: Callable[[Bench], Callable[[], None]], shared: bool, shop: Workshop, bench: Bench, case: Case) -> Outcome:
    """The command waits at a call while something happens, and goes on; afterwards that is undone, where it can be."""
    bench.copy(case.home)
    bench.control.prepare(Kind.PAUSE, at, [bench.home])
    bench.send([case.command], True, 2 * IN_TIME, {} if shared else {"PREFECT_API_URL": ""})
    deadline = time.monotonic() + IN_TIME
    while not bench.control.layout.happened and time.monotonic() < deadline:
        time.sleep(0.01)
    undo = act(bench)
    bench.control.go_on()
    outcome = bench.answers()[0]
    undo()
    return outcome


def remove_ledger(bench: Bench) -> Callable[[], None]:
    files = list(bench.home.glob("ledger.db*"))
    kept = {path: path.read_bytes() for path in files}
    for path in files:
        path.unlink()
    return partial(put_back, bench, kept)


def empty_ledger(bench: Bench) -> Callable[[], None]:
    undo = remove_ledger(bench)
    (bench.home / "ledger.db").touch(mode=0o600)
    return undo


def put_back(bench: Bench, kept: dict[Path, bytes]) -> None:
    """As a backup does, of the moment at which it went away."""
    for path in bench.home.glob("ledger.db*"):
        path.unlink()
    for path, content in kept.items():
        path.write_bytes(content)
        path.chmod(0o600)


def end_server(how: signal.Signals, bench: Bench) -> Callable[[], None]:
    """Prefect's server, which the command has started."""
    for number in processes_of(bench):
        with suppress(ProcessLookupError):
            os.kill(number, how)
    return lambda: None


def unanswered(listens: bool, name: str, more: dict[str, str], shop: Workshop, bench: Bench, case: Case) -> Outcome:
    """The address in this variable is of a server that refuses to be spoken to, or that listens and says nothing."""
    bench.copy(case.home)
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        if listens:
            server.listen(64)
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        return bench.run(*case.command, seconds=2 * IN_TIME, **{**more, name: address})

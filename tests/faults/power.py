"""(b) Power lost at any moment of a command: what a disk may hold then, built from the calls that the command made.

What was synced is there: a file's bytes by its own fsync, a name by the fsync of its folder (or of either folder of a rename). Of what was
not synced, any part may be there: a name without its bytes, bytes without a name, one write of several, half a write.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from random import Random

from tests.faults.record import Call, read_log
from tests.faults.result import Result
from tests.faults.shim import Kind
from tests.faults.workshop import Bench, Case, Workshop, look, problems_after
from tests.functional.conftest import Outcome

RANDOM_STATES = 2  # at each call, beside the systematic ones
NEVER = 1 << 60
SYSTEMATIC = ("nothing unsynced", "every name, no unsynced byte", "every byte, no unsynced name")


@dataclass(eq=False)
class Thing:
    """A file, a folder or a link, whatever its names: `names` of a folder as it was before the command."""

    kind: str
    content: bytes = b""
    mode: int = 0o600
    names: dict[str, Thing] = field(default_factory=dict)
    live: dict[str, Thing] = field(default_factory=dict)

    @cached_property
    def digest(self) -> bytes:
        return hashlib.sha256(self.content).digest()


@dataclass
class Change:
    """Names given or taken together, or bytes of one file. `synced`: the number of the call that made it durable."""

    number: int
    names: tuple[tuple[Thing, str, Thing | None], ...] = ()
    file: Thing | None = None
    offset: int = 0
    content: bytes | None = None  # None: cut to `offset`
    synced: int = NEVER


@dataclass(frozen=True)
class Moment:
    """What may be on disk if power is lost after a call."""

    case: str
    after: int
    which: str

    def __str__(self) -> str:
        return f"{self.case}: power lost after call {self.after}, {self.which}"


class Disk:
    """What a command did to a home, change by change."""

    def __init__(self, home: Path) -> None:
        self.home, self.things = home, dict[int, Thing]()
        self.root = self._read(home)
        self.changes: list[Change] = []

    def _read(self, path: Path) -> Thing:
        found = path.lstat()
        if path.is_symlink():
            thing = Thing("link", os.readlink(path).encode())
        elif path.is_dir():
            thing = Thing("folder", mode=found.st_mode & 0o777)
            thing.names = {name: self._read(path / name) for name in os.listdir(path)}
            thing.live = dict(thing.names)
        else:
            thing = Thing("file", path.read_bytes(), found.st_mode & 0o777)
        self.things[found.st_ino] = thing
        return thing

    def play(self, calls: list[Call]) -> None:
        for number, call in enumerate(calls, 1):
            thing = self.things.get(call.inode)
            match call.name:
                case "create":
                    self._name(number, call.path, self._new(call, Thing("file")))
                case "mkdir":
                    self._name(number, call.path, self._new(call, Thing("folder", mode=0o755)))
                case "symlink":
                    self._name(number, call.path, self._new(call, Thing("link", call.other.encode())))
                case "link":
                    self._name(number, call.other, thing)
                case "unlink" | "rmdir":
                    self._name(number, call.path, None)
                case "rename":
                    self._rename(number, call)
                case "write" if thing is not None:
                    self.changes.append(Change(number, file=thing, offset=call.number, content=call.content))
                case "truncate" if thing is not None:
                    self.changes.append(Change(number, file=thing, offset=call.number))
                case "fsync" if thing is not None:
                    self._sync(number, thing)

    def _new(self, call: Call, thing: Thing) -> Thing:
        self.things[call.inode] = thing
        return thing

    def _place(self, path: str) -> tuple[Thing, str]:
        folder = self.root
        *folders, name = Path(path).relative_to(self.home).parts
        for part in folders:
            folder = folder.live[part]
        return folder, name

    def _name(self, number: int, path: str, thing: Thing | None) -> None:
        folder, name = self._place(path)
        _set(folder.live, name, thing)
        self.changes.append(Change(number, names=((folder, name, thing),)))

    def _rename(self, number: int, call: Call) -> None:
        (folder, name), (other, new) = self._place(call.path), self._place(call.other)
        thing = folder.live.pop(name)
        other.live[new] = thing
        self.changes.append(Change(number, names=((folder, name, None), (other, new, thing))))

    def _sync(self, number: int, thing: Thing) -> None:
        for change in self.changes:
            touched = change.file is thing or any(folder is thing for folder, _, _ in change.names)
            if touched and change.synced == NEVER:
                change.synced = number

    def kept(self, after: int, which: str, draw: Random) -> list[Change]:
        """The changes that reached the disk by this call's end."""
        kept = []
        for change in self.changes:
            if change.number > after:
                break
            if change.synced <= after or which == (SYSTEMATIC[1] if change.names else SYSTEMATIC[2]):
                kept.append(change)
            elif which not in SYSTEMATIC and draw.random() < 0.5:
                half = change.content is not None and len(change.content) > 1 and draw.random() < 0.3
                kept.append(Change(0, change.names, change.file, change.offset, _half(change.content) if half else change.content))
        return kept


def _half(content: bytes | None) -> bytes:
    return b"" if content is None else content[: len(content) // 2]


def _set(names: dict[str, Thing], name: str, thing: Thing | None) -> None:
    if thing is None:
        names.pop(name, None)
    else:
        names[name] = thing


@dataclass
class Image:
    """A disk with some of the changes."""

    names: dict[Thing, dict[str, Thing]] = field(default_factory=dict)
    bytes: dict[Thing, bytes] = field(default_factory=dict)

    def apply(self, change: Change) -> None:
        for folder, name, thing in change.names:
            _set(self.names.setdefault(folder, dict(folder.names)), name, thing)
        if change.file is not None:
            content = self.bytes.get(change.file, change.file.content)
            if change.content is None:
                content = content[: change.offset].ljust(change.offset, b"\0")
            else:
                end = change.offset + len(change.content)
                content = content[: change.offset].ljust(change.offset, b"\0") + change.content + content[end:]
            self.bytes[change.file] = content

    def entries(self, folder: Thing, path: str = "") -> Iterator[tuple[str, Thing, bytes]]:
        for name, thing in sorted(self.names.get(folder, folder.names).items()):
            yield f"{path}{name}", thing, self.bytes.get(thing, thing.content)
            if thing.kind == "folder":
                yield from self.entries(thing, f"{path}{name}/")

    def digest(self, root: Thing) -> str:
        said = hashlib.sha256()
        for path, thing, content in self.entries(root):
            digest = hashlib.sha256(content).digest() if thing in self.bytes else thing.digest
            said.update(f"{path}\0{thing.kind}\0".encode() + digest)
        return said.hexdigest()

    def write(self, root: Thing, target: Path) -> None:
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(mode=root.mode)
        for path, thing, content in self.entries(root):
            place = target / path
            if thing.kind == "folder":
                place.mkdir()
                place.chmod(thing.mode)
            elif thing.kind == "link":
                place.symlink_to(content.decode())
            else:
                place.write_bytes(content)
                place.chmod(thing.mode)


def observed(bench: Bench, case: Case) -> tuple[Disk, int]:
    """A command as it changed a disk, and the number of its calls."""
    log = bench.folder / "log"
    log.unlink(missing_ok=True)
    disk = Disk(bench.copy(case.home))
    bench.control.prepare(Kind.COUNT, 0, [bench.home], log)
    outcome = bench.run(*case.command, armed=True)
    if outcome.code:
        raise RuntimeError(f"{case.name} could not be run at all: {outcome.err}")
    calls = read_log(log)
    disk.play(calls)
    return disk, len(calls)


def every_moment(disk: Disk, calls: int, case: Case) -> list[Moment]:
    """Those that differ from each other in what is on the disk."""
    seen: set[str] = set()
    moments = []
    for after in range(calls + 1):
        for which in (*SYSTEMATIC, *(f"drawn {number}" for number in range(RANDOM_STATES))):
            moment = Moment(case.name, after, which)
            digest = image_of(disk, moment).digest(disk.root)
            if digest not in seen:
                seen.add(digest)
                moments.append(moment)
    # What was reported as done must stay done, whatever else is lost: the last call's states are tried even if they were seen before.
    return [moment for moment in moments if moment.after < calls] + [Moment(case.name, calls, which) for which in (*SYSTEMATIC, "drawn 0")]


def image_of(disk: Disk, moment: Moment) -> Image:
    image = Image()
    for change in disk.kept(moment.after, moment.which, Random(str(moment))):
        image.apply(change)
    return image


def lose_power(shop: Workshop, disk: Disk, moment: Moment, calls: int) -> Result:
    case = shop.cases[moment.case]
    with shop.bench() as bench:
        image_of(disk, moment).write(disk.root, bench.home)
        undone = moment.after == calls and not look(shop, bench).done(case)
        problems = ["it had ended with 0 and is undone"] if undone else []
        return Result(moment.case, "power lost", str(moment), problems + problems_after(shop, bench, case, Outcome(0, "", ""), ended=False))


def moments_of(shop: Workshop, case: Case) -> tuple[list[Moment], Callable[[Moment], Result]]:
    with shop.bench() as bench:
        disk, calls = observed(bench, case)
    return every_moment(disk, calls, case), lambda moment: lose_power(shop, disk, moment, calls)

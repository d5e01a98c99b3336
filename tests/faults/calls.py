"""(a) A command killed, or failing, at each of the calls by which it changes files."""

from __future__ import annotations

from dataclasses import dataclass

from tests.faults.record import Call, record
from tests.faults.result import Result
from tests.faults.shim import Kind
from tests.faults.workshop import Bench, Case, Workshop, problems_after

NEED_SPACE = ("write", "create", "mkdir", "symlink", "link")
WORDS = {
    Kind.KILL: "killed before a call",
    Kind.TORN: "killed in the middle of a write",
    Kind.NO_SPACE: "disk full from a call on",
    Kind.FAILS_ONCE: "a call fails (EIO)",
    Kind.SHORT: "a short write",
}


@dataclass(frozen=True)
class Point:
    """One fault in one command. `embedded`: with a Prefect server of the command's own."""

    case: str
    kind: Kind
    at: int
    embedded: bool = False

    def __str__(self) -> str:
        return f"{self.case}:{self.kind.name}:{self.at}" + (":embedded" if self.embedded else "")

    @property
    def fault(self) -> str:
        return WORDS[self.kind]

    @classmethod
    def parse(cls, text: str) -> Point:
        case, kind, at, *more = text.split(":")
        return cls(case, Kind[kind], int(at), bool(more))


def every_point(case: Case, calls: list[Call]) -> list[Point]:
    """Each call with each fault that it can have. One more kill than there are calls: at the end of the process."""
    points = [Point(case.name, Kind.KILL, at) for at in range(1, len(calls) + 1)]
    for at, call in enumerate(calls, 1):
        points.append(Point(case.name, Kind.FAILS_ONCE, at))
        if call.name in NEED_SPACE:  # a disk that is full from any other call on is first noticed at the next of these
            points.append(Point(case.name, Kind.NO_SPACE, at))
        if call.name == "write":
            points += [Point(case.name, kind, at) for kind in (Kind.TORN, Kind.SHORT)]
    return points


def calls_of(shop: Workshop, case: Case) -> list[Call]:
    with shop.bench() as bench:
        return record(bench, case)


def inject(shop: Workshop, point: Point) -> Result:
    with shop.bench() as bench:
        return _inject(shop, bench, shop.cases[point.case], point)


def _inject(shop: Workshop, bench: Bench, case: Case, point: Point) -> Result:
    bench.copy(case.home)
    bench.control.prepare(point.kind, point.at, [bench.home])
    environment = {"PREFECT_API_URL": ""} if point.embedded else {}
    failed = bench.run(*case.command, armed=True, **environment)
    reached = bool(bench.control.layout.happened)
    what = bench.control.layout.what.decode(errors="replace").replace(str(bench.folder), "")
    kills = point.kind in (Kind.KILL, Kind.TORN) and reached
    problems = problems_after(shop, bench, case, failed, ended=not kills)
    if kills and failed.code != -9:
        problems.append(f"was to be killed and ended with {failed.code}")
    if point.kind is Kind.SHORT and failed.code not in (0, 6):
        problems.append(f"a short write ended it with {failed.code}: {failed.err[-300:]}")
    return Result(point.case, point.fault, str(point), problems, what, reached)

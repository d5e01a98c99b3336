"""What a step may use of its release where the data lies: in this process, or on a worker of a cluster. Home, ledger and keys are no part
of it, and so never travel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from policies.jobs.engine import Engine
from policies.jobs.spool import Spool
from policies.ledger.standing import Release
from policies.schema.policy import Policy
from policies.schema.series_default import with_series
from tasks.reading.references import LoadedPolicy
from tasks.runtime.input_limits import limits_taken, take_limits
from tasks.runtime.unused_memory import give_back
from tasks.tables.spooled_stage import SpooledStage

P = ParamSpec("P")
R = TypeVar("R")


class Elsewhere(Protocol):
    def carry_out(self, body: Callable[[Engine, Spool], R]) -> R:
        """On a worker, in whose hands it is given an engine and the spool of the release."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Work:
    """`stage` is where tables are written. `elsewhere`: who carries out what looks at data; None where it lies here. `afar`: on a worker,
    perhaps of another machine."""

    loaded: LoadedPolicy
    source: Path | None  # a file that takes the place of the policy's own
    seed: bytes = field(repr=False)
    spool: Spool = field(repr=False)
    engine: Engine = field(repr=False)
    stage: Path | SpooledStage
    versions: tuple[Release, ...] = ()  # of the dataset that came out before, oldest first
    elsewhere: Elsewhere | None = field(default=None, repr=False)
    afar: bool = False

    @cached_property
    def policy(self) -> Policy:
        """What is asked of this run: the policy, and of a series what it leaves unsaid."""
        return with_series(self.loaded.policy, len(self.versions))


@dataclass(frozen=True, eq=False)
class Carried:
    """A step on its way to a worker: what it may use, by value, and its arguments, which hold references and figures."""

    step: Callable[..., Any]
    loaded: LoadedPolicy
    source: Path | None
    seed: bytes = field(repr=False)
    versions: tuple[Release, ...]
    limits: Mapping[str, int]  # of what is read, by the operator of the release's home
    given: tuple[Any, ...]
    named: Mapping[str, Any]

    def __call__(self, engine: Engine, spool: Spool) -> Any:
        take_limits(self.limits)
        work = Work(
            loaded=self.loaded,
            source=self.source,
            seed=self.seed,
            spool=spool,
            engine=engine,
            stage=SpooledStage(spool),
            versions=self.versions,
            afar=True,
        )
        result = self.step(work, *self.given, **self.named)
        give_back()
        return result


def where_data_lies(step: Callable[Concatenate[Work, P], R]) -> Callable[Concatenate[Work, P], R]:
    """The step looks at data: it is carried out by a worker where the release has workers, and else here."""

    @wraps(step)
    def carried_out(run: Work, /, *given: P.args, **named: P.kwargs) -> R:
        if run.elsewhere is None:
            return step(run, *given, **named)
        carried = Carried(carried_out, run.loaded, run.source, run.seed, run.versions, limits_taken(), given, named)
        result: R = run.elsewhere.carry_out(carried)
        return result

    return carried_out

"""What is too large or too private to hand over lies in a spool; steps and jobs hand each other references to it.

A reference tells nothing of what it refers to. A spool belongs to one run and is closed with it: after that nothing can be had from it.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from headgate.core.errors import Defect

T = TypeVar("T")


@dataclass(frozen=True)
class Reference(Generic[T]):
    """Where something lies in the spool of its run."""

    key: str


class Spool(Protocol):
    def put(self, thing: T) -> Reference[T]: ...

    def get(self, reference: Reference[T]) -> T: ...

    def drop(self, reference: Reference[Any]) -> None:
        """Forgets what nobody will ask for any more."""

    def close(self) -> None:
        """Forgets all of it."""


class MemorySpool:
    """In the memory of this process, and nowhere else: a run that dies leaves nothing."""

    def __init__(self) -> None:
        self._things: dict[str, Any] | None = {}

    def put(self, thing: T) -> Reference[T]:
        reference: Reference[T] = Reference(secrets.token_hex(8))
        self._open()[reference.key] = thing
        return reference

    def get(self, reference: Reference[T]) -> T:
        things = self._open()
        if reference.key not in things:
            raise Defect("A reference leads to nothing in this spool.", "References are valid within one run; report this defect.")
        thing: T = things[reference.key]
        return thing

    def drop(self, reference: Reference[Any]) -> None:
        self._open().pop(reference.key, None)

    def close(self) -> None:
        self._things = None

    def _open(self) -> dict[str, Any]:
        if self._things is None:
            raise Defect("The spool of this run is closed.", "Nothing can be read after the run has ended; report this defect.")
        return self._things

"""What came of one fault."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Result:
    """`name` names this one of its kind; `place`: the call it was at. Not `reached`: the command ended before it."""

    command: str
    fault: str
    name: str
    problems: list[str] = field(default_factory=list)
    place: str = ""
    reached: bool = True
    times: int = 1

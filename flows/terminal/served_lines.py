"""What `headgate serve` says of its runs, on stderr: a line when one begins, and one with what it came to. Journals keep them, so they hold
what Prefect may be told of an error, and nothing more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from flows.terminal.output import TITLES, console, plain, tell
from headgate.core.errors import HeadgateError
from tasks.runtime.boundary import outward_form

Say = Callable[[str], None]


def say(text: str) -> None:
    tell(console(), plain(f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S}  {text}"))


@contextmanager
def followed(dataset: str | None, run: str) -> Iterator[Say]:
    """Within this context a run of the dataset's schedule goes on; what is given says what it came to. Without a dataset it is nobody's
    schedule, and nothing is said."""
    if dataset is None:
        yield lambda _text: None
        return
    say(f"{dataset}: run {run} began.")
    try:
        yield lambda text: say(f"{dataset}: run {run}: {text}")
    except BaseException as problem:
        say(f"{dataset}: run {run}: {in_a_line(problem)}")
        raise


@dataclass
class SaidOnce:
    """Whoever looks every few seconds says what is new, and nothing again and again."""

    last: dict[str, str] = field(default_factory=dict)

    def say(self, subject: str, text: str) -> None:
        """Of this subject; an empty text where there is nothing more to say of it."""
        if text and text != self.last.get(subject):
            say(f"{subject}: {text}")
        self.last[subject] = text


def what_broke(problem: Exception, doing: str) -> str:
    """In a line, with nothing of what a foreign exception says."""
    return in_a_line(problem if isinstance(problem, HeadgateError) else outward_form(problem, doing))


def in_a_line(problem: BaseException) -> str:
    if isinstance(problem, HeadgateError):
        return " ".join(f"{TITLES.get(problem.code, 'Stopped')}: {problem}".split())
    return "stopped before its end."

"""What can go wrong. Each error has the command line's exit code and a sentence that says how to cure it.

Messages never carry data values: counts, column names, policy keys and places only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MOST_PLACES = 3  # of wrong cells that a sentence names


ROW, LINE = ("row", "rows"), ("line", "lines")
ROWS_OF_PERSON = ("the rows of the person who begins in row", "the rows of the people who begin in rows")
PERSON = ("the rows of the person who begins in line", "the rows of the people who begin in lines")


def in_places(place: tuple[str, str], first: Sequence[int], count: int) -> str:
    """ "in line 3", "in lines 3 and 7", "the first in lines 3, 7 and 1202": as editors number them."""
    listed = [str(number) for number in first]
    named = f"{', '.join(listed[:-1])} and {listed[-1]}" if len(listed) > 1 else "".join(listed)
    return f"{'the first ' if count > len(listed) else ''}in {place[len(listed) > 1]} {named}"


class HeadgateError(Exception):
    """Root of every refusal. `code` is the exit code; `cure` says what the reader can do about it; `document` holds the results up to
    that point, for `--json`; `step` is the step of a run that raised it. `told` is all that its text is from then on, for whoever keeps
    the texts of exceptions; `message` and `cure` stay for the person who asked."""

    code = 1
    step = ""
    told = ""
    document: Mapping[str, Any] | None = None

    def __init__(self, message: str, cure: str = "") -> None:
        super().__init__(message, cure)
        self.message = message
        self.cure = cure

    def __str__(self) -> str:
        return self.told or f"{self.message} {self.cure}".strip()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.told!r})" if self.told else super().__repr__()


class Defect(HeadgateError):
    """A defect of headgate itself: the class and place of the foreign exception, never its text."""


class PolicyInvalid(HeadgateError):
    """The policy file is not valid."""

    code = 2


class InputRejected(HeadgateError):
    """The data, a dictionary or an argument is not what it is declared to be. `values` are the data values concerned, shown only to
    the person who holds the file and asks on their own terminal. No message contains them, and no step of a release passes
    them on."""

    code = 2

    def __init__(self, message: str, cure: str = "", values: Sequence[str] = ()) -> None:
        super().__init__(message, cure)
        self.values = tuple(values)


class CellsRejected(InputRejected):
    """Cells of one column are not what they are declared to be. `rows` are all of them, counted from 0; `cells` are what they hold, beside
    them, and are shown like `values`. `numbers` are their places in the file, at least the first
    few; what they number is called `place`."""

    def __init__(
        self,
        column: str,
        wrong: tuple[str, str],
        cure: str,
        rows: Sequence[int],
        cells: Sequence[str],
        place: tuple[str, str] = ROW,
        numbers: Sequence[int] | None = None,
        sentence: str = "",
    ) -> None:
        self.column, self.wrong, self.rows, self.cells = column, wrong, tuple(rows), tuple(cells)
        self.place = place
        self.numbers = tuple([row + 1 for row in self.rows] if numbers is None else numbers)
        where = in_places(place, self.numbers[:MOST_PLACES], len(self.rows)) + (" of the data" if place == ROW else "")
        self.sentence = sentence or self._counted()
        super().__init__(f"{self.sentence} ({where}).", cure, tuple(dict.fromkeys(self.cells)))

    def _counted(self) -> str:
        """`wrong`: what is wrong with one cell, and with several."""
        if len(self.rows) == 1:
            return f"1 cell of '{self.column}' {self.wrong[0]}"
        return f"{len(self.rows):,} cells of '{self.column}' {self.wrong[1]}"

    def at(self, place: tuple[str, str], numbers: Sequence[int]) -> CellsRejected:
        """The same, where the file has places of its own: `numbers` are those of the first few rows."""
        return CellsRejected(self.column, self.wrong, self.cure, self.rows, self.cells, place, numbers, self.sentence)

    def cured_by(self, cure: str) -> CellsRejected:
        return CellsRejected(self.column, self.wrong, cure, self.rows, self.cells, self.place, self.numbers, self.sentence)

    def without_cells(self) -> InputRejected:
        return InputRejected(self.message, self.cure)

    def __reduce__(self) -> tuple[type[InputRejected], tuple[str, str]]:
        """What leaves the process holds no cell."""
        return InputRejected, (self.message, self.cure)


class RequirementNotMet(HeadgateError):
    """A requirement was measured and is not met, or could not be measured at all. The sentence says what was measured and what is
    required; `measure` names it in one word, such as the gate."""

    code = 3

    def __init__(self, sentence: str, remedy: str, measure: str, measured: float | None = None, required: float | None = None) -> None:
        HeadgateError.__init__(self, sentence, remedy)
        self.args = (sentence, remedy, measure, measured, required)
        self.measure, self.measured, self.required, self.remedy = measure, measured, required, remedy


@dataclass(frozen=True)
class Refusal:
    """One reason why a transition may not happen."""

    rule: str
    reason: str


class TransitionRefused(HeadgateError):
    """The state, the signatures or the actor do not allow it; every reason is collected."""

    code = 4

    def __init__(self, refusals: Sequence[Refusal], cure: str = "") -> None:
        HeadgateError.__init__(self, "; ".join(refusal.reason for refusal in refusals) + ".", cure)
        self.args = (tuple(refusals), cure)
        self.refusals = tuple(refusals)


class IntegrityBroken(HeadgateError):
    """A hash, a signature, the chain or a privacy claim does not hold."""

    code = 5


class StoreUnavailable(HeadgateError):
    """A store, a server or the home could not be used."""

    code = 6


class PublicationFailed(StoreUnavailable):
    """The bytes did not arrive at the target as they were sealed."""

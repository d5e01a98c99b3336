"""What can go wrong. Each error has the command line's exit code and a sentence that says how to cure it.

Messages never carry data values: counts, column names, policy keys and places only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


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

"""What is stored of gates: what a release requires, what was measured, and the verdict on each requirement."""

from __future__ import annotations

from enum import StrEnum

from headgate.core.tolerance import at_least, at_most
from policies.words.frozen import Frozen

ASKED = "asked"  # the key of a requirement's settings: what was required before the policy let it be relaxed


class Comparison(StrEnum):
    AT_LEAST = "at least"
    AT_MOST = "at most"

    def holds(self, measured: float, required: float) -> bool:
        """Up to the one tolerance."""
        return (at_least if self is Comparison.AT_LEAST else at_most)(measured, required)


class Requirement(Frozen):
    """One bound of one gate: on a whole table, on one attribute or against one dictionary. `required` is the decimal as a person wrote it;
    `settings` hold what else the gate measures by, such as ε."""

    gate: str
    attribute: str | None = None
    dictionary: str | None = None
    bound: str | None = None  # of a gate that has several: its key
    required: str
    settings: dict[str, str] = {}

    @property
    def place(self) -> tuple[str, str | None, str | None, str | None]:
        """No two requirements of one release have the same."""
        return self.gate, self.attribute, self.dictionary, self.bound

    @property
    def name(self) -> str:
        """The gate and its bound, with the attribute or dictionary that it is about."""
        return _name(self)


class Measured(Frozen):
    """One figure of one table, of an attribute or against a dictionary where it is about one. What was not measured is not there."""

    figure: str
    of: str = ""
    value: float


class Verdict(Frozen):
    """One requirement on one table; `table` is empty where it is about the release as a whole. `measured` None: it could not be measured,
    and has not passed."""

    gate: str
    table: str = ""
    attribute: str | None = None
    dictionary: str | None = None
    bound: str | None = None
    comparison: Comparison
    measured: float | None
    required: float | None
    asked: float | None = None  # where the policy lets the requirement be relaxed: what it asks for
    passed: bool
    remedy: str = ""

    @property
    def place(self) -> tuple[str, str, str | None, str | None, str | None]:
        """No two verdicts of one release have the same."""
        return self.gate, self.table, self.attribute, self.dictionary, self.bound

    @property
    def key(self) -> str:
        """The gate and its bound, as the policy writes them."""
        return _key(self)

    @property
    def name(self) -> str:
        """With the attribute or dictionary that it is about."""
        return _name(self)

    @property
    def brief(self) -> str:
        """For a list of reasons: what was measured, and what is required."""
        figure = "was not measured" if self.measured is None else f"is {self.measured:.6g}"
        wanted = "required" if self.comparison is Comparison.AT_LEAST else "allowed"
        return f"{self.name} {figure}" + ("" if self.required is None else f" ({self.comparison} {self.required:.6g} is {wanted})")


def _name(judged: Requirement | Verdict) -> str:
    of = "" if judged.attribute is None else f" of {judged.attribute}"
    return f"{_key(judged)}{of}" + ("" if judged.dictionary is None else f" against {judged.dictionary}")


def _key(judged: Requirement | Verdict) -> str:
    return judged.gate if judged.bound is None else f"{judged.gate}.{judged.bound}"

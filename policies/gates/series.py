"""Series: what a version tells together with those that were published before it (DEFINITIONS §11)."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from headgate.core.columns import Table
from headgate.core.units import counted
from policies.gates.amounts import amounts, shares
from policies.gates.figures import ReleaseFigures
from policies.gates.gate import Gate
from policies.gates.reader_words import Question, Unit
from policies.gates.series_figures import SeriesFigures
from policies.gates.verdict import Comparison, Requirement, Verdict
from policies.words.fields import Positive, PositiveShare, Problem, Problems, Section, Share, decimal_text
from policies.words.unseen import unseen_in

SERIES = "series"
LINKABILITY, CANDIDATES, RISK, RETURNING, CHANGED = "linkability", "candidates", "risk", "returning", "changed"
BOUNDS = (LINKABILITY, CANDIDATES, RISK)
CHANGES = Decimal("0.05")  # of a steady attribute: more would mean that it is not steady
RETURNS = Decimal("0.01")  # fewer would mean that people are numbered anew
LONGEST = 500
OTHER_PEOPLE = (
    "Check that the identifier is the same as before, and written in the same way: whoever is numbered anew counts as a new person"
)


def _reason(text: str) -> str:
    if not text.strip() or unseen_in(text):
        raise PydanticCustomError("reason", "Input should be a reason in words, which approvers read")
    return text


TOGETHER = "Keep people who were published together in one group (anonymize.series: sticky)"
LEAVE_OUT = "leave out those who would be given away (anonymize.infeasible: {suppress: …})"
OTHERWISE = "round numbers (publish_as), or publish less often"


class SeriesKey(Section):
    """Bounds over all published versions, of people who are in this one. `unmeasured`: why versions that the home cannot measure are left
    out; without a bound beside it nothing is measured. `returning`: the least share of the people of the version published last who
    must be in this one. `changed`: the largest share of people of whom a steady attribute may be seen to change."""

    linkability: PositiveShare | None = None
    candidates: Positive | None = None
    risk: PositiveShare | None = None
    returning: Share = RETURNS
    changed: Share = CHANGES
    unmeasured: Annotated[str, Field(max_length=LONGEST), AfterValidator(_reason)] | None = None

    @property
    def measured(self) -> bool:
        return any(getattr(self, bound) is not None for bound in BOUNDS)

    @model_validator(mode="after")
    def _bounds_something(self) -> SeriesKey:
        if not self.measured and self.unmeasured is None:
            raise Problems([Problem((), "a series gate without a bound", f"{': …, '.join(BOUNDS)}: … or several; or unmeasured: REASON")])
        return self


class SeriesKeys(Section):
    series: Annotated[
        SeriesKey | None,
        Field(
            description="`{linkability: 0.8, candidates: 5, risk: 0.4}`, or some of them, over all published versions of the dataset; or "
            "`{unmeasured: REASON}`. Without it, what `gates.linkability` allows in one version holds for all together, as soon as there "
            "is a version before or a `schedule`"
        ),
    ] = None


class Series(Gate):
    name = SERIES
    keys = SeriesKeys
    comparison = Comparison.AT_MOST
    of_tables = False
    only_of_releases = True
    bounds = (*BOUNDS, RETURNING, CHANGED)
    verified = "no: who is in which version is not published"
    meaning = "Somebody who compares this version with those published before cannot be more certain about anybody's sensitive value."
    question = Question.TOGETHER
    plain = {
        LINKABILITY: "Somebody who compares all published versions is at most %(required)s certain of any sensitive value of a person.",
        CANDIDATES: "Whoever compares the versions is left with at least %(required)s that could be a person's.",
        RISK: "Of the values that remain possible for a person after comparing the versions, at most %(required)s are alike.",
        RETURNING: "At least %(required)s of the people of the last version are found in this one: otherwise nothing was compared.",
        CHANGED: "Of at most %(required)s of the people in several versions, the groups show that a value changed.",
    }
    cure = f"{TOGETHER}, {LEAVE_OUT}, {OTHERWISE}"

    def counts(self, bound: str | None) -> Unit:
        return Unit.VALUES if bound == CANDIDATES else self.unit

    def requirements(self, keys: Any, table: Table) -> Iterator[Requirement]:
        given: SeriesKey | None = keys.series
        if given is None or not given.measured:
            return
        for bound in BOUNDS:
            required = getattr(given, bound)
            if required is not None:
                yield Requirement(gate=self.name, bound=bound, required=decimal_text(required))
        yield Requirement(gate=self.name, bound=RETURNING, required=decimal_text(given.returning))
        yield Requirement(gate=self.name, bound=CHANGED, required=decimal_text(given.changed))

    def compared(self, bound: str | None) -> Comparison:
        return Comparison.AT_LEAST if bound in (CANDIDATES, RETURNING) else Comparison.AT_MOST

    def reached_by_release(self, requirement: Requirement, release: ReleaseFigures) -> float | None:
        series = release.series
        if series is None:
            return None
        if requirement.bound == CANDIDATES:
            return series.candidates(int(requirement.required))
        figures = {LINKABILITY: series.linkability, RISK: series.risk, RETURNING: series.returning, CHANGED: series.changed}
        return figures[str(requirement.bound)]

    def judge_release(self, requirement: Requirement, release: ReleaseFigures) -> Verdict:
        verdict = super().judge_release(requirement, release)
        series = release.series
        if verdict.passed or requirement.bound != LINKABILITY or series is None:
            return verdict
        return verdict.model_copy(update={"remedy": _remedy(series)})

    def remedy(self, requirement: Requirement) -> str:
        match requirement.bound:
            case "returning":
                return f"{OTHER_PEOPLE}; or accept a lower gates.series.returning."
            case "changed":
                return "Write `changes: true` at an attribute that is a new fact in each version; or accept a higher gates.series.changed."
            case bound:
                direction = "lower" if bound == CANDIDATES else "higher"
                return f"{self.cure}; or accept a {direction} gates.series.{bound}."

    def sentence(self, verdict: Verdict) -> str:
        given = "given this version, alone or together with those published before"
        if verdict.bound == CANDIDATES:
            measured, required = amounts(verdict, "value")
            remain = "remains" if verdict.measured == 1 else "remain"
            return f"{given}, {measured} {remain} possible for the person who is worst off; at least {required} must remain"
        measured, required = shares(verdict)
        match verdict.bound:
            case "linkability":
                return f"{given}, an attacker can be {measured} certain of somebody's sensitive value; at most {required} is allowed"
            case "risk":
                return f"{given}, {measured} of the values that remain possible for somebody are similar; at most {required} may be"
            case "returning":
                return f"{measured} of the people of the version published last are in this one; at least {required} must be"
            case _:
                return (
                    f"for {measured} of the people in several versions, the groups show that a value changed; at most {required} is allowed"
                )


def _remedy(series: SeriesFigures) -> str:
    """What would help that the policy does not do already. What is not compared is above the bound by the version's own groups, which are
    made for what is promised of one version."""
    most = "at most " if series.earlier else ""  # counts of people who are compared are coarse
    concerned = (
        f"This concerns {most}{counted(series.above, 'person', 'people')}." if series.above else "This version by itself is above it."
    )
    if not series.earlier or not series.above:
        return f"{concerned} Lower gates.linkability to gates.series.{LINKABILITY}, or accept a higher gates.series.{LINKABILITY}."
    ways = [] if series.sticky else [TOGETHER]
    if series.needed:
        now = f"anonymize.infeasible: {{suppress: …}}, now {series.suppressible:g}"
        ways.append(f"allow at least {counted(series.needed, 'person', 'people')} to be left out ({now})")
    elif not series.suppressible:
        ways.append(LEAVE_OUT)
    listed = ", ".join([*ways, OTHERWISE])
    return f"{concerned} {listed[0].upper()}{listed[1:]}; or accept a higher gates.series.{LINKABILITY}."

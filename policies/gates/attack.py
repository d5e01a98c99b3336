"""Attacks, as they were tried on the finished tables: none may gain much over guessing from the whole table.

What is compared is the share of the people about whom the attacker is right, less the share about whom a guess from the whole table is,
each counting sensitive values only where values are guessed. Of an attack that was tried on several tables, attributes or registers, the
largest gain counts (`AttackGain.largest_gain`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field, model_validator

from headgate.core.columns import Table
from headgate.core.errors import PolicyInvalid
from policies.gates.amounts import shares
from policies.gates.figures import ReleaseFigures
from policies.gates.gate import Gate
from policies.gates.reader_words import Question, Unit
from policies.gates.verdict import Comparison, Requirement, Verdict
from policies.words.fields import Problem, Problems, Section, Share, decimal_text

ATTACK = "attack"
LINKING = "dictionary_linking"
SERIES = "series"
WHO = {
    "homogeneity": "somebody who guesses the most frequent value of a person's group",
    "proximity": "somebody who guesses where most values of a person's group lie",
    "background_join": "somebody who knows one sensitive value of a person and guesses another",
    "intersection": "somebody who compares the groups of all tables to find a person",
    LINKING: "somebody who looks up a person's record in a dictionary",
    SERIES: "somebody who compares a person's groups in several versions",
}
CURES = {
    "homogeneity": "Raise k, or lower gates.linkability",
    "proximity": "Raise anonymize.delta or k, or promise (ε, δ) for the attribute alone (anonymize.each)",
    "background_join": "Lower projection.join_threat, so that attributes that depend on each other lie in different tables; raise k",
    "intersection": "Raise k, use fewer quasi-identifiers, or publish one table (projection.method: single)",
    LINKING: "Raise k, or use fewer or coarser quasi-identifiers",
    SERIES: "Keep people who were published together in one group (anonymize.series: sticky), round numbers (publish_as), or raise k",
}
TOGETHER = ("background_join", "intersection", SERIES)  # what puts tables or versions beside each other
UNTRIED = {
    "homogeneity": "Some table has no sensitive attribute with one value per person",
    "proximity": "No table has a sensitive number, date, ordinal or hierarchy for which an ε below 1 is promised",
    "background_join": "No two sensitive attributes, in one table or in two, depend on each other",
    "intersection": "People have too many different combinations of quasi-identifiers to be compared",
    LINKING: "Some dictionary lists no individuals",
    SERIES: "Not all versions before could be compared",
}


class AttackKey(Section):
    """By attack: the largest share of the people that it may gain over guessing from the whole table."""

    homogeneity: Share | None = None
    proximity: Share | None = None
    background_join: Share | None = None
    intersection: Share | None = None
    dictionary_linking: Share | None = None
    series: Share | None = None

    @model_validator(mode="after")
    def _bounds_something(self) -> AttackKey:
        if all(getattr(self, name) is None for name in WHO):
            raise Problems([Problem((), "an attack gate without a bound", f"{': …, '.join(WHO)}: … or several")])
        return self


class AttackKeys(Section):
    attack: Annotated[
        AttackKey | None,
        Field(
            description="`{background_join: 0.1}`, likewise `homogeneity`, `proximity`, `intersection`, `dictionary_linking` and "
            "`series` (from several versions): the largest share of the people that the attack may gain over guessing from the whole table"
        ),
    ] = None


class Attack(Gate):
    name = ATTACK
    keys = AttackKeys
    comparison = Comparison.AT_MOST
    of_tables = False
    only_of_releases = True
    bounds = tuple(WHO)
    verified = "no: attacks need the source, which is not published"
    meaning = "Somebody who tries this attack on the published tables learns little more than a guess from the whole table tells anybody."
    question = Question.LEARNED
    unit = Unit.POINTS
    plain = {bound: f"{who[0].upper()}{who[1:]} is right at most %(required)s more often than by guessing." for bound, who in WHO.items()}
    cure = "Raise k."

    def asks(self, bound: str | None) -> Question:
        if bound == LINKING:
            return Question.RECOGNIZED
        return Question.TOGETHER if bound in TOGETHER else self.question

    def requirements(self, keys: Any, table: Table) -> Iterator[Requirement]:
        for bound in WHO:
            most = None if keys.attack is None else getattr(keys.attack, bound)
            if most is None:
                continue
            if bound == LINKING and keys.attackers is None:
                raise PolicyInvalid(
                    f"gates.attack.{LINKING} needs a dictionary, and the policy names none.",
                    "Name what attackers may have under gates.disclosure.dictionaries, or take this bound out.",
                )
            yield Requirement(gate=self.name, bound=bound, required=decimal_text(most))

    def reached_by_release(self, requirement: Requirement, release: ReleaseFigures) -> float | None:
        """None where any of its trials could not be made. Where nobody is in several versions, comparing them gains nothing."""
        if requirement.bound == SERIES and release.series is not None and not release.series.several and not release.series.not_measured:
            return 0.0
        gains = [tried.largest_gain for tried in release.attacks if tried.attack == requirement.bound]
        known = [gain for gain in gains if gain is not None]
        return max(known) if known and len(known) == len(gains) else None

    def verdict(self, requirement: Requirement, table: str, measured: float | None, least: Any = None) -> Verdict:
        verdict = super().verdict(requirement, table, measured, least)
        if verdict.measured is not None:
            return verdict
        why = f"{UNTRIED[str(requirement.bound)]}, so the attack could not be measured and has not passed."
        return verdict.model_copy(update={"remedy": f"{why} Take gates.attack.{requirement.bound} out of the policy."})

    def remedy(self, requirement: Requirement) -> str:
        bound = str(requirement.bound)
        return f"{CURES[bound]}; or accept a higher gates.attack.{bound}."

    def sentence(self, verdict: Verdict) -> str:
        measured, required = (share.removesuffix(" %") for share in shares(verdict))
        who = WHO[str(verdict.bound)]
        more = f"up to {measured} percentage points more of the people than by guessing"
        return f"{who} is right about {more}; at most {required} may be gained"

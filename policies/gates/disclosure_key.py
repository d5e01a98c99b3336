"""Bounds on disclosure risk: the policy's gate against what attackers may hold (DEFINITIONS §7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from pydantic import model_validator

from policies.attackers.attackers_key import AttackersKey
from policies.gates.verdict import Comparison
from policies.words.fields import NotNegative, Positive, Problem, Problems, Section, Share, decimal_text

MEAN, MAX, SHARE, CANDIDATES = "mean", "max", "share", "candidates"


@dataclass(frozen=True)
class DisclosureBound:
    """What the gate requires against each dictionary by itself."""

    name: str
    required: Decimal | int

    @property
    def comparison(self) -> Comparison:
        return compared(self.name)

    def holds(self, figure: float | None) -> bool:
        """What could not be measured does not hold."""
        return figure is not None and self.comparison.holds(figure, float(self.required))


def compared(bound: str) -> Comparison:
    return Comparison.AT_LEAST if bound == CANDIDATES else Comparison.AT_MOST


class ShareKey(Section):
    """At most this share of the records may carry a larger loss than `above`."""

    above: NotNegative
    at_most: Share


class DisclosureKey(AttackersKey):
    """Bounds on the risk R = mean ℓ, on the largest ℓ, on the share of records above a loss, and on the fewest candidates of a record,
    against each dictionary; with priors, `mean` bounds the expectation over the dictionaries instead.

    Without dictionaries the attacker knows every input row's quasi-identifiers (θ = T). Without a sensitivity every record costs 1, so
    that ℓ is 1/|ρ|."""

    mean: NotNegative | None = None
    max: NotNegative | None = None
    share: ShareKey | None = None
    min_candidates: Positive | None = None

    @model_validator(mode="after")
    def _bounds_something(self) -> DisclosureKey:
        if all(bound is None for bound in (self.mean, self.max, self.share, self.min_candidates)):
            raise Problems([Problem((), "a disclosure gate without a bound", "mean: …, max: …, share: …, min_candidates: … or several")])
        problems = [Problem(("dictionaries",), written, accepted) for written, accepted in (*self.unfit_names(), *self._unfit_priors())]
        if problems:
            raise Problems(problems)
        return self

    def _unfit_priors(self) -> Iterator[tuple[str, str]]:
        priors = [dictionary.prior for dictionary in self.dictionaries if dictionary.prior is not None]
        if priors and len(priors) != len(self.dictionaries):
            yield f"a prior for {len(priors)} of {len(self.dictionaries)}", "a prior for each, or for none"
        elif priors and sum(priors) != 1:
            yield f"priors that sum to {decimal_text(sum(priors, Decimal(0)))}", "priors that sum to 1"
        if priors and self.mean is None:
            yield "priors without a bound that uses them", "mean: …, which bounds the expectation"

    @property
    def bounds(self) -> tuple[DisclosureBound, ...]:
        """Where priors say how likely each dictionary is, `mean` bounds their expectation instead."""
        limits = {
            MEAN: None if self.by_prior else self.mean,
            MAX: self.max,
            SHARE: None if self.share is None else self.share.at_most,
            CANDIDATES: self.min_candidates,
        }
        return tuple(DisclosureBound(name, required) for name, required in limits.items() if required is not None)

    @property
    def above(self) -> Decimal | None:
        return None if self.share is None else self.share.above

"""Which setting to write into the policy: only one that was reached with every seed tried, under all the policy's other promises."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from headgate.advice.delta_search import first_that
from headgate.advice.result import TableAdvice
from headgate.advice.rungs import delta_text, rungs
from headgate.core.tolerance import at_most, exact
from policies.jobs.table_job import Names
from tasks.advice.advice_trials import ReleaseTried, Trials, TrialSetting

PROTECT, USEFUL = "protect as much as loss allows", "lose as little as protection allows"
FEWEST = Fraction(1, 20)  # δ below which nothing is suggested: it would promise next to nothing


@dataclass(frozen=True)
class Suggestion:
    """`tried` is None where no setting satisfied the whole policy; `reason` then says what stands in the way."""

    purpose: str  # PROTECT | USEFUL
    bound: float | None  # the largest loss or the smallest δ that was required
    tried: ReleaseTried | None
    reason: str = ""

    @property
    def snippet(self) -> str:
        """Lines that take the place of the policy's own under `anonymize:`."""
        if self.tried is None:
            return ""
        setting = self.tried.setting
        return f"anonymize:\n  k: {setting.k}\n  epsilon: {setting.epsilon}\n  delta: {setting.delta}\n"

    def to_json(self) -> dict[str, Any]:
        purpose = {"purpose": self.purpose, "bound": self.bound, "reason": self.reason}
        if self.tried is None:
            return purpose | {"setting": None}
        tried = self.tried
        figures = {
            "ncp": tried.loss,
            "query_error_mean": tried.query_error,
            "query_error_high": tried.query_error_high,
            "linkability": tried.linkability,
            "delta_reached": tried.delta_reached,
        }
        setting = {"k": tried.setting.k, "epsilon": tried.setting.epsilon, "delta": tried.setting.delta}
        tables = [list(names) for names in tried.tables]
        return purpose | {"setting": setting, "figures": figures, "tables": tables, "snippet": self.snippet}


@dataclass(frozen=True, eq=False)
class Search:
    """`plans` in the order of a release; `map`: what is known of the tables of the first."""

    trials: Trials
    plans: tuple[tuple[Names, ...], ...]
    map: tuple[TableAdvice, ...]
    own: TrialSetting
    epsilon: str  # the policy's, or the one that stands in where it has none
    epsilons: tuple[str, ...]
    sizes: tuple[int, ...]
    on_trial: Callable[[], None] = lambda: None

    @property
    def k(self) -> int:
        return self.own.k

    def most_protective(self, most_loss: Fraction) -> Suggestion:
        """The largest δ at the policy's own k and ε whose release loses no more; failing that, at another k, then at a smaller ε."""
        for k, epsilon in self._near():
            tried = self._largest(k, epsilon, most_loss)
            if tried is not None:
                return Suggestion(PROTECT, float(most_loss), tried, self._changed(tried))
        return Suggestion(PROTECT, float(most_loss), None, self._nothing())

    def least_loss(self, least_delta: Fraction) -> Suggestion:
        """Of the settings of at least this δ at the policy's ε the one that loses least, with no smaller k if one will do."""
        delta = max(least_delta, self.trials.floor)
        for k, epsilon in self._near():
            if not self._worth(k, epsilon, delta):
                continue
            self.on_trial()
            tried = self.trials.always(TrialSetting(k, epsilon, delta_text(delta)), self.plans)
            if tried is not None:
                return Suggestion(USEFUL, float(least_delta), tried, self._changed(tried))
        best = max((reached for reached in (self._reach(k, e) for k, e in self._near()) if reached is not None), default=None)
        said = "" if best is None else f" The largest δ that all tables reached is {delta_text(best)}."
        reason = f"No setting that was tried has a δ of at least {delta_text(delta)} and satisfies all other requirements.{said}"
        return Suggestion(USEFUL, float(least_delta), None, reason)

    def _near(self) -> list[tuple[int, str]]:
        """The policy's own first; larger k before smaller ones, and ε only downwards: a smaller ε protects less and is easier to keep."""
        larger = [k for k in self.sizes if k >= self.k]
        smaller = [k for k in reversed(self.sizes) if k < self.k]
        falling = [text for text in sorted(self.epsilons, key=exact, reverse=True) if exact(text) <= exact(self.epsilon)]
        return [(k, epsilon) for epsilon in falling for k in (*larger, *smaller)]

    def _reach(self, k: int, epsilon: str, in_sample: bool = False) -> Fraction | None:
        """The largest δ that every table of the first plan reached, or was seen to reach in a sample."""
        settings = [table.at(k, float(exact(epsilon))) for table in self.map]
        seen = [
            max(setting.reached, setting.in_sample or setting.reached) if in_sample else setting.reached
            for setting in settings
            if setting is not None and setting.reached is not None
        ]
        return min(seen) if len(seen) == len(self.map) else None

    def _worth(self, k: int, epsilon: str, delta: Fraction) -> bool:
        """Not where some table is known not to reach it, unless there are other plans."""
        reach = self._reach(k, epsilon)
        return (reach is not None and reach >= delta) or (len(self.plans) > 1 and (k, epsilon) == (self.k, self.epsilon))

    def _largest(self, k: int, epsilon: str, most_loss: Fraction) -> ReleaseTried | None:
        reach = self._reach(k, epsilon, in_sample=True)
        if reach is None and (k, epsilon) != (self.k, self.epsilon):
            return None
        top = Fraction(1) if reach is None else reach
        own = [exact(self.own.delta)] if self.own.delta is not None else []
        candidates = [delta for delta in rungs(k, own) if max(FEWEST, self.trials.floor) <= delta <= top]

        def passes(place: int) -> bool:
            self.on_trial()
            tried = self.trials.release(TrialSetting(k, epsilon, delta_text(candidates[place])), 0, self.plans)
            return tried is not None and not tried.refused and at_most(tried.loss, float(most_loss))

        first = first_that(len(candidates), passes, self._start(candidates, k, epsilon, reach)) if candidates else 0
        for delta in candidates[first:]:
            self.on_trial()
            suggested = self.trials.always(TrialSetting(k, epsilon, delta_text(delta)), self.plans)
            if suggested is not None and at_most(suggested.loss, float(most_loss)):
                return suggested
        return None

    def _start(self, candidates: Sequence[Fraction], k: int, epsilon: str, reach: Fraction | None) -> int | None:
        """The policy's own δ, where it has been tried; else the largest that all tables reached."""
        if (k, epsilon) == (self.own.k, self.own.epsilon) and self.own.delta is not None:
            delta = exact(self.own.delta)
            if delta in candidates and all((names, self.own, 0) in self.trials.known for names in self.plans[0]):
                return candidates.index(delta)
        known = self._reach(k, epsilon)
        return None if reach is None or known is None else next((i for i, delta in enumerate(candidates) if delta <= known), None)

    def _changed(self, tried: ReleaseTried) -> str:
        """What had to give besides δ."""
        setting = tried.setting
        other = [f"k {setting.k} instead of {self.k}"] if setting.k != self.k else []
        other += [f"ε {setting.epsilon} instead of {self.epsilon}"] if setting.epsilon != self.epsilon else []
        return f"No δ is enough at the policy's own k and ε: {', '.join(other)}." if other else ""

    def _nothing(self) -> str:
        refused = self._refusing()
        said = f" What refuses them: {', '.join(refused)}." if refused else ""
        return f"No setting that was tried satisfies all requirements of the policy within this loss.{said}"

    def _refusing(self) -> Sequence[str]:
        gates = [
            gate
            for table in self.map
            for setting in table.settings
            if setting.k == self.k
            for point in setting.points
            for gate in point.tried.refused
        ]
        bounds = [gate for tried in self._tried_whole() for gate in tried.refused]
        return tuple(dict.fromkeys([*gates, *bounds]))[:5]

    def _tried_whole(self) -> list[ReleaseTried]:
        known = {setting for _, setting, number in self.trials.known if number == 0}
        here = [setting for setting in known if (setting.epsilon, setting.k) == (self.epsilon, self.k)]
        releases = [
            self.trials.release(setting, 0, self.plans[:1])
            for setting in here
            if all((names, setting, 0) in self.trials.known for names in self.plans[0])
        ]
        return [release for release in releases if release is not None]

"""What is measured of a release together with the versions of its dataset that were published before it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from policies.words.frozen import Frozen

Count = Annotated[int, Field(ge=0)]
Certainty = Annotated[float, Field(ge=0, le=1)]


class ComparedFigures(Frozen):
    """Of the steady attributes of one table together, or of one of them alone. `changed`: people of whom the groups tell that their value
    is no longer the same. `candidates` is None where no group holds a sensitive value."""

    names: tuple[str, ...]
    values: Count  # that there are at all
    people: Count  # in more than one version
    linkability: Certainty
    linkability_any: Certainty
    candidates: Count | None = None
    risk: Certainty | None = None
    changed: Count = 0


class SeriesFigures(Frozen):
    """Of the people of this version. `earlier`: the candidates of the versions that were measured with it, oldest first. `not_measured`:
    how many more were published, and `unmeasured` why the policy accepts that. `came` and `left`: against the version published last."""

    earlier: tuple[str, ...] = ()
    not_measured: Count = 0
    unmeasured: str = ""
    by_default: bool = False  # the policy says nothing of series
    people: Count = 0
    several: Count = 0
    came: Count = 0
    left: Count = 0
    above: Count = 0  # people for whom series linkability is above what the policy allows
    needed: Count = 0  # people who would have to be left out at least, if those are more than the policy allows
    sticky: bool = False  # groups were kept together
    suppressible: Certainty = 0.0  # the share of rows that the policy lets be left out
    changing: tuple[str, ...] = ()  # what the policy says is a new fact in each version, so that it is not compared
    alone: Certainty = 0.0  # linkability of this version by itself: of what is not compared, each version stands for itself
    compared: tuple[ComparedFigures, ...] = ()

    @property
    def linkability(self) -> float:
        return max((self.alone, *(each.linkability for each in self.compared)))

    @property
    def linkability_any(self) -> float:
        return max((self.alone, *(each.linkability_any for each in self.compared)))

    @property
    def risk(self) -> float | None:
        """None where it was not measured of everything."""
        risks = [each.risk for each in self.compared]
        return None if None in risks else max((risk for risk in risks if risk is not None), default=0.0)

    def candidates(self, required: int) -> float:
        """The fewest, of attributes that have that many values at all; where one has fewer, all of them are enough (DEFINITIONS §11)."""
        short = (each.candidates for each in self.compared if each.candidates is not None and each.candidates < min(required, each.values))
        enough = (each.candidates for each in self.compared if each.candidates is not None and each.candidates >= required)
        return min((*short, *enough), default=float(required))

    @property
    def returning(self) -> float:
        """Of the people of the version published last, the share who are in this one too."""
        before = self.people - self.came + self.left
        return (self.people - self.came) / before if before else 1.0

    @property
    def changed(self) -> float:
        """The largest share of those in several versions of whom the groups tell that one of their values is no longer the same."""
        return max((each.changed / each.people for each in self.compared if each.people and len(each.names) == 1), default=0.0)

"""How many people are in both of two versions, and how many in one of them alone."""

from __future__ import annotations

from headgate.series.kept_version import KeptVersion
from policies.sealed.manifest import Manifest
from policies.words.frozen import Frozen


class PeopleChange(Frozen):
    """`exact`: counted by pseudonyms, which the home alone keeps. Otherwise as the later manifest tells it, which is published: `came` and
    `left` are at most that many, and `both` at least."""

    both: int
    came: int
    left: int
    exact: bool

    @property
    def sentence(self) -> str:
        least, most = ("", "") if self.exact else ("at least ", "at most ")
        return f"People: {least}{self.both:,} are in both, {most}{self.came:,} came, and {most}{self.left:,} left."


def people_told(before: str, after: Manifest) -> PeopleChange | None:
    """By a manifest, of the version that was published last before it. `before`: its candidate."""
    told = after.series
    if told is None or not told.earlier or told.earlier[-1] != before:
        return None
    return PeopleChange(both=told.people - told.came, came=told.came, left=told.left, exact=False)


def people_counted(before: KeptVersion, after: KeptVersion) -> PeopleChange:
    """This tells of single people, and is not for readers."""
    both = int((before.places_of(after.people) >= 0).sum())
    return PeopleChange(both=both, came=len(after.people) - both, left=len(before.people) - both, exact=True)

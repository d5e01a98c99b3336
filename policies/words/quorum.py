"""Who must agree: a number of people, and roles among them, each filled by a different person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

MOST_ROLES, MOST_OF_A_ROLE = 20, 20  # bounds of the search, since a stranger's manifest is searched too
RoleName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,62}$")]
RequiredRoles = Annotated[dict[RoleName, Annotated[int, Field(strict=True, ge=1, le=MOST_OF_A_ROLE)]], Field(max_length=MOST_ROLES)]


@dataclass(frozen=True)
class Quorum:
    """`approvals`: of how many people. `roles`: how many of them must fill each role."""

    approvals: int = 1
    roles: Mapping[str, int] = field(default_factory=dict)

    def raised_to(self, floor: Quorum) -> Quorum:
        """The stricter of both, in everything: at least as many people as there are places to fill."""
        roles = dict(Counter(self.roles) | Counter(floor.roles))
        return Quorum(max(self.approvals, floor.approvals, sum(roles.values())), roles)

    def missing(self, people: Mapping[str, Collection[str]]) -> Counter[str]:
        """What these people leave open: places by role, and under "" how many people besides those who will fill them. Empty if they are
        enough. `people`: the roles that each of them can fill."""
        places = Counter(self.roles) - Counter(fill_roles(self.roles, people).values())
        return places + Counter({"": self.approvals - len(people) - places.total()})


def fill_roles(roles: Mapping[str, int], people: Mapping[str, Collection[str]]) -> dict[str, str]:
    """Who fills which role, so that as many places as possible are filled and nobody fills two: a largest matching, by augmenting paths
    (Kuhn). The same question always has the same answer."""
    places = [role for role, number in sorted(roles.items()) for _ in range(number)]
    taken: dict[str, int] = {}

    def fill(place: int, asked: set[str]) -> bool:
        for person in sorted(people):
            if places[place] in people[person] and person not in asked:
                asked.add(person)
                if person not in taken or fill(taken[person], asked):
                    taken[person] = place
                    return True
        return False

    for place in range(len(places)):
        fill(place, set())
    return {person: places[place] for person, place in sorted(taken.items())}


def in_words(missing: Counter[str]) -> str:
    """What is still needed, as the end of a sentence about it."""
    people = missing[""]
    parts = [f"{number} more {_people(number)} with the role {role}" for role, number in sorted(missing.items()) if role]
    return " and ".join([*parts, f"{people} {'other' if parts else 'more'} {_people(people)}"] if people else parts)


def _people(number: int) -> str:
    return "person" if number == 1 else "people"

"""What every route must answer, to whom, about a candidate in which state. A route without a line here fails the tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.unit.console.conftest import PEOPLE, House

EVERYBODY = frozenset({*PEOPLE, ""})  # "" has not signed in
SIGNED_IN = frozenset(PEOPLE)
OPERATORS = frozenset({"operator"})
Answer = int | Callable[[str, str], int]


@dataclass(frozen=True)
class Rule:
    """`who`: others get 403, and whoever has not signed in is led to the form. `answer`: the status for those who may; of a person and a
    candidate's state where it depends on them. `path`: what stands in the place of its parameters; `form`: what is sent."""

    who: frozenset[str] = SIGNED_IN
    answer: Answer = 200
    path: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, str] = field(default_factory=dict)

    def status(self, person: str, state: str) -> int:
        if person not in self.who:
            return 403 if person else 303
        return self.answer if isinstance(self.answer, int) else self.answer(person, state)


PASSWORDS = {"password": "a wrong password", "new": "another long password", "again": "another long password"}
RULES: dict[str, Rule] = {
    "GET /sign-in": Rule(EVERYBODY),
    "POST /sign-in": Rule(EVERYBODY, 403, form={"name": "nobody", "password": "a wrong password"}),
    "POST /sign-out": Rule(answer=303),
    "GET /sign-in/provider": Rule(EVERYBODY, 404),
    "GET /sign-in/provider/back": Rule(EVERYBODY, 403),
    "GET /join/{token}": Rule(EVERYBODY, 404, {"token": "no-such-token"}),
    "POST /join/{token}": Rule(EVERYBODY, 404, {"token": "no-such-token"}, {"name": "anna", "password": "x" * 12, "again": "x" * 12}),
    "GET /": Rule(),
    "GET /datasets/{dataset}": Rule(path={"dataset": "people"}),
    "GET /candidates/{candidate}": Rule(),
    "GET /candidates/{candidate}/files/{sha256}": Rule(),
    "GET /account": Rule(),
    "POST /account/password": Rule(answer=400, form=PASSWORDS),
    "GET /people": Rule(OPERATORS),
    "POST /people": Rule(OPERATORS, form={"name": "somebody"}),
    "POST /people/close": Rule(OPERATORS, 303, form={"name": "somebody"}),
    "GET /openapi.json": Rule(),
    "GET /static/{version}/{name}": Rule(EVERYBODY, 404, {"version": "0", "name": "page.css"}),
}


def filled(house: House, rule: Rule, path: str, state: str) -> str:
    """The path with its parameters in place."""
    candidate = house.candidates[state]
    known = {"candidate": candidate.id, "sha256": candidate.manifest.files[0].sha256, **rule.path}
    for name, value in known.items():
        path = path.replace("{" + name + "}", value)
    assert "{" not in path, f"{path} has a parameter that its rule does not fill"
    return path

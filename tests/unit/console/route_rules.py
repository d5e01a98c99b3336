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


def of_part(person: str, state: str) -> int:
    """For those who may sign the dataset's candidates, or ran them."""
    return 200 if person in ("anna", "bert", "steward") else 404


def approving(person: str, state: str) -> int:
    """A statement is put to whoever was on the list, the runner excepted. Nothing is decided by it: whether its signature counts is looked
    at when that is handed in."""
    return 303 if person in ("anna", "bert") else 403


NONE = "0" * 64
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
    "GET /candidates/{candidate}/pictures/{name}": Rule(answer=404, path={"name": "none"}),
    "GET /candidates/{candidate}/decide": Rule(),
    "POST /candidates/{candidate}/decide": Rule(answer=approving, form={"action": "approve", "reason": "read the report"}),
    "GET /candidates/{candidate}/statements/{sha256}": Rule(answer=404, path={"sha256": NONE}),
    "GET /candidates/{candidate}/statements/{sha256}/bytes": Rule(answer=404, path={"sha256": NONE}),
    "POST /candidates/{candidate}/statements/{sha256}/passkey": Rule(
        answer=404, path={"sha256": NONE}, form={"client": "x", "authenticator": "x", "proof": "x"}
    ),
    "POST /candidates/{candidate}/statements/{sha256}/signature": Rule(answer=400, path={"sha256": NONE}),
    "GET /datasets/{dataset}/comments": Rule(answer=of_part, path={"dataset": "people"}),
    "POST /datasets/{dataset}/comments": Rule(
        answer=lambda person, state: 303 if of_part(person, state) == 200 else 404, path={"dataset": "people"}, form={"text": "a word"}
    ),
    "GET /passkeys": Rule(),
    "POST /passkeys": Rule(answer=400, form={"answer": "{}"}),
    "POST /passkeys/forget": Rule(answer=303, form={"fingerprint": "SHA256:none"}),
    "GET /runs": Rule(),
    "GET /runs/{release}": Rule(answer=404, path={"release": "none"}),
    "GET /runs/{release}/report": Rule(answer=404, path={"release": "none"}),
    "GET /live/runs": Rule(),
    "GET /live/runs/{release}": Rule(answer=404, path={"release": "none"}),
    "GET /audit": Rule(),
    "GET /audit/events/{seq}": Rule(path={"seq": "1"}),
    "GET /audit/export": Rule(),
    "GET /audit/evidence/{release}": Rule(answer=404, path={"release": "none"}),
    "GET /audit/chain": Rule(),
    "POST /audit/chain": Rule(answer=303),
    "GET /audit/chain/events": Rule(),
    "POST /audit/chain/heads": Rule(answer=400),
    "GET /account": Rule(),
    "POST /account/access": Rule(answer=303, form={"seq": "1"}),
    "POST /account/password": Rule(answer=400, form=PASSWORDS),
    "GET /people": Rule(OPERATORS),
    "POST /people": Rule(OPERATORS, form={"name": "somebody"}),
    "POST /people/reset": Rule(OPERATORS, 409, form={"name": "somebody"}),
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

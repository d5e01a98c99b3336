"""Every route, whoever asks, about a candidate in every state."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi import FastAPI

from console.guard.request_rules import HEADERS
from tests.unit.console.conftest import PEOPLE, STATES, Client, House
from tests.unit.console.route_rules import RULES, filled


def routes_of(app: FastAPI) -> Iterator[str]:
    """As the application has them, however they got there."""
    for included in app.routes:
        for route in included.original_router.routes if hasattr(included, "original_router") else [included]:
            yield from (f"{method} {route.path}" for method in getattr(route, "methods", ["MOUNT"]))


def test_every_route_has_its_rule(house: House) -> None:
    assert set(routes_of(house.app)) == set(RULES)


@pytest.mark.slow
@pytest.mark.parametrize("person", [*PEOPLE, ""])
def test_every_route_answers_as_its_rule_says(client: Client, house: House, person: str) -> None:
    answered, expected = {}, {}
    for route, rule in RULES.items():
        method, _, path = route.partition(" ")
        for state in STATES if "{candidate}" in path else ["awaiting"]:
            client.cookies.clear()
            if person:
                client.sign_in(person)
            data = rule.form if method == "POST" else None
            answer = client.request(method, filled(house, rule, path, state), data=data)
            answered[route, state] = answer.status_code
            expected[route, state] = rule.status(person, state)
            assert {name.lower() for name in HEADERS} <= set(answer.headers), route
            if not person and expected[route, state] == 303:
                assert answer.headers["location"].startswith("/sign-in")
    assert answered == expected


def test_what_nobody_may_see_without_signing_in_is_all_but_the_way_in(house: House) -> None:
    """A page that forgot to ask who is there asks all the same."""
    open_to_all = {route for route, rule in RULES.items() if "" in rule.who}
    assert open_to_all == {
        "GET /sign-in",
        "POST /sign-in",
        "GET /sign-in/provider",
        "GET /sign-in/provider/back",
        "GET /join/{token}",
        "POST /join/{token}",
        "GET /static/{version}/{name}",
    }


def test_the_candidates_are_in_the_states_that_they_are_asked_about_in(house: House) -> None:
    """Two that nobody decides on alone are still open."""
    open_still = {"half": "awaiting_approval", "awaiting": "awaiting_approval"}
    states = {name: house.console.history().find(candidate.id).state for name, candidate in house.candidates.items()}
    assert states == {name: open_still.get(name, name) for name in STATES}

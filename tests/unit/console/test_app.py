from __future__ import annotations

import pytest
from fastapi import FastAPI
from starlette.routing import Route

from console.app import PAGES, STATUS, create_app
from headgate.core.errors import HeadgateError
from tests.unit.console.conftest import Client, House


def test_every_page_is_part_of_the_application(house: House) -> None:
    assert [included.original_router for included in house.app.routes] == [each.router for each in PAGES]


@pytest.mark.parametrize("code", [1, 2, 3, 4, 5, 6, 130])
def test_a_refusal_is_told_in_words_with_its_cure(house: House, code: int) -> None:
    app: FastAPI = create_app(house.console.settings, house.ledger)

    def refuse(request: object) -> None:
        problem = HeadgateError("It cannot be done <here>.", "Do it there.")
        problem.code = code
        raise problem

    app.router.routes.append(Route("/refused", refuse))
    with Client(House(house.world, app, house.candidates)) as client:
        answer = client.get("/refused")
    assert answer.status_code == STATUS.get(code, 500)
    assert "It cannot be done &lt;here&gt;." in answer.text
    assert "Do it there." in answer.text


def test_a_form_that_lacks_a_field_is_answered_by_a_page_without_what_was_in_it(client: Client) -> None:
    answer = client.post("/sign-in", data={"name": "CANARY"})
    assert answer.status_code == 400
    assert "The form is not complete" in answer.text
    assert "CANARY" not in answer.text


def test_a_page_that_is_not_there_and_a_method_that_it_does_not_take_are_told_in_words(client: Client) -> None:
    assert "There is no such page" in client.get("/nothing").text
    answer = client.put("/sign-in")
    assert answer.status_code == 405
    assert "This is not possible here" in answer.text


def test_while_the_ledger_is_read_pages_say_how_far(client: Client, house: House) -> None:
    client.sign_in("anna")
    reading = house.console.reading
    reading.done, reading.read, reading.total = False, 250_000, 1_000_000
    try:
        answer = client.get("/")
        assert client.get("/account").status_code == 200
    finally:
        reading.done = True
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "3")
    assert "250,000 of 1,000,000 events" in answer.text

"""Requests that schemathesis makes up from the document that describes the console, fitting and unfitting ones: none may break a page, and
none may tell a stranger more than the way in."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from hypothesis.strategies import SearchStrategy
from schemathesis import Case, GenerationMode
from schemathesis.schemas import APIOperation

from tests.unit.console.conftest import ORIGIN, Client, House
from tests.unit.console.route_rules import RULES

SENT = {"Sec-Fetch-Site": "same-origin", "Origin": ORIGIN, "Host": "release.example"}
ENDS_IT = {"/sign-out", "/people/close", "/people/reset", "/sign-in"}  # after it, somebody else would be asking


def operations(house: House) -> list[APIOperation[Any, Any, Any, Any]]:
    schema = schemathesis.openapi.from_dict(house.app.openapi())
    return [found.ok() for found in schema.get_all_operations()]


def test_the_document_describes_every_route(house: House) -> None:
    described = {f"{method.upper()} {path}" for path, item in house.app.openapi()["paths"].items() for method in item}
    assert set(RULES) - described == {"GET /openapi.json", "GET /static/{version}/{name}"}


@pytest.mark.long
@pytest.mark.parametrize("person", ["operator", ""])
def test_no_made_up_request_breaks_a_page(house: House, client: Client, person: str) -> None:
    client.cookies.clear()
    if person:
        client.sign_in(person)
    session = dict(client.cookies)
    for operation in operations(house):
        if person and operation.path in ENDS_IT:
            continue
        real = {"candidate": house.candidates["half"].id} if "{candidate}" in operation.path else {}
        for mode in GenerationMode.POSITIVE, GenerationMode.NEGATIVE:
            with suppress(Unsatisfiable):  # what takes anything can be sent nothing unfitting
                _ask(operation.as_strategy(generation_mode=mode, path_parameters=real or None), client, session, house)


def _ask(cases: SearchStrategy[Case], client: Client, session: dict[str, str], house: House) -> None:
    @settings(max_examples=2, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(case=cases)
    def ask(case: Case) -> None:
        sent = case.as_transport_kwargs(base_url=ORIGIN, headers=SENT)
        client.cookies.clear()
        client.cookies.update(session)
        if isinstance(sent.get("data"), bytes):
            sent["content"] = sent.pop("data")
        allowed = ("method", "url", "params", "headers", "data", "content", "files", "json")
        answer = client.request(**{name: sent[name] for name in allowed if sent.get(name) is not None})
        assert answer.status_code < 500, (sent["method"], sent["url"], answer.status_code)
        assert str(house.home.root) not in answer.text
        assert "Traceback" not in answer.text
        if not session:
            assert "people" not in answer.text
            assert answer.status_code in (200, 303, 400, 403, 404, 405, 413)

    ask()

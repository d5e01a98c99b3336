from __future__ import annotations

import re

import pytest

from console.refusals_said import without_terminal
from policies.ledger.events import ReleaseRefused
from policies.ledger.run_problem import run_problem
from tasks.approval.open_acts import open_acts
from tasks.reporting.language import language
from tests.unit.console.conftest import PEOPLE, STATES, Client, House


def test_why_somebody_may_not_decide_is_said_in_german_too(house: House) -> None:
    said = language("de", "tasks.reporting", "console")
    history, shown = house.console.history(), set()
    for sealed in house.candidates.values():
        for person in PEOPLE:
            for act in open_acts(house.home, house.ledger, sealed, history.find(sealed.id), person):
                shown |= {act.cure, *(refusal.reason for refusal in act.refusals if refusal.rule != "state")}
    assert len(shown) > 4
    shown |= {
        f"this key {why}" for why in ("is revoked", "was not valid at 2026-03-01 12:00:00Z", "is not listed for the namespace headgate")
    }
    assert {text for text in shown if text and not said.knows(text)} == set()


@pytest.mark.parametrize("gates", [("linkability",), ("linkability", "closeness")])
def test_why_a_run_was_refused_is_said_in_one_language(gates: tuple[str, ...]) -> None:
    event = ReleaseRefused(release_id="r1", at="2026-03-01T00:00:00+00:00", failed=gates)
    problem = run_problem([event], "its report")
    assert problem is not None
    said = language("de", "tasks.reporting", "console").reword(f"It {problem.what}.")
    assert said.startswith("Er wurde verweigert: ")
    assert said.endswith(f" {'wurde' if len(gates) == 1 else 'wurden'} nicht eingehalten.")
    assert all(gate in said for gate in gates)
    assert language("de", "tasks.reporting", "console").knows(problem.cure)


def test_nobody_is_sent_to_a_terminal_to_decide(client: Client, house: House) -> None:
    for name in STATES:
        for person in ("anna", "auditor"):
            client.sign_in(person)
            assert "headgate show" not in client.see(f"/candidates/{house.candidates[name].id}/decide").text
    assert without_terminal("Sign it again. See `headgate show` for who may.") == "Sign it again."
    assert without_terminal("See `headgate releases`.") == ""


def test_whose_signatures_are_lacking_is_a_sentence_in_both_languages(client: Client, house: House) -> None:
    client.sign_in("bert")
    path = f"/candidates/{house.candidates['half'].id}/decide"
    assert "<p>One more person must sign." in client.see(path).text.replace("\n", "")
    assert "Noch eine Person muss unterzeichnen." in client.get(path, headers={"Accept-Language": "de"}).text
    assert "must sign" in client.see("/").text
    assert re.search(r"Awaited:\s+bert\.", client.see(path).text)
    assert re.search(r"Awaited:\s+bert\s*\.", client.see("/").text)

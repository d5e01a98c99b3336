"""`headgate abandon`: the operator's word, and what it is not for."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize("reason", ["", " "])
def test_a_key_and_a_reason_are_needed(run: Any, world: Any, key_file: Any, reason: str) -> None:
    candidate = world.seal()
    assert run("abandon", candidate.id, "--reason", "stuck", "--json").error["code"] == 2
    assert run("abandon", candidate.id, "--key", key_file("ann"), "--reason", reason, "--json").error["code"] == 2


def test_what_is_not_stuck_stays_as_it_is(run: Any, world: Any, key_file: Any) -> None:
    candidate = world.seal()
    refused = run("abandon", candidate.id, "--key", key_file("ann"), "--reason", "looks stuck", "--json")
    assert refused.error["code"] == 4
    assert "'abandon' is not possible" in refused.error["message"]
    assert run("show", candidate.id, "--json").json["state"] == "awaiting_approval"

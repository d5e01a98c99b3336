"""Attacking a sealed candidate: what is asked for is looked at before anything is read."""

from __future__ import annotations

from typing import Any

import pytest

from headgate.core.errors import InputRejected
from tasks.attacks.attack_candidate import attack_candidate


@pytest.mark.parametrize("people", [0, -1])
def test_nobody_to_attack_is_refused_before_the_candidate_is_viewed(people: int) -> None:
    untouched: Any = None
    with pytest.raises(InputRejected) as caught:
        attack_candidate(untouched, untouched, "0123456789ab", people=people)
    assert caught.value.cure

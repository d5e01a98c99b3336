"""Every gate speaks to approvers."""

from __future__ import annotations

import re

import pytest

from policies.gates.every_gate import GATES
from policies.gates.gate import Gate
from policies.gates.reader_words import Question, Unit

SAID = {"required", "known", "dictionary", "attributes"}


@pytest.mark.parametrize("gate", GATES, ids=lambda gate: gate.name)
def test_each_bound_has_a_question_a_unit_and_a_plain_sentence_with_what_is_required(gate: Gate) -> None:
    assert set(gate.plain) == set(gate.bounds)
    for bound in gate.bounds:
        assert isinstance(gate.asks(bound), Question)
        assert isinstance(gate.counts(bound), Unit)
        sentences = [gate.plain[bound], *filter(None, [gate.plain_of_one])]
        for sentence in sentences:
            assert sentence[0].isupper()
            assert sentence.endswith(".")
            assert "required" in set(re.findall(r"%\((\w+)\)s", sentence)) <= SAID


def test_every_question_is_answered_by_a_gate() -> None:
    assert {gate.asks(bound) for gate in GATES for bound in gate.bounds} == set(Question)

"""What holds of every gate in the tuple."""

from __future__ import annotations

import pytest

from policies.gates.every_gate import GATES, gate_named, keys_of
from policies.gates.gate import Gate


def test_names_keys_and_figures_are_each_there_once() -> None:
    assert len({gate.name for gate in GATES}) == len(GATES)
    keys = [(gate.section, name) for gate in GATES for name in gate.keys.model_fields]
    assert len(set(keys)) == len(keys)
    figures = [figure.name for gate in GATES for figure in gate.figures]
    assert len(set(figures)) == len(figures)


@pytest.mark.parametrize("gate", GATES, ids=lambda gate: gate.name)
def test_each_explains_itself(gate: Gate) -> None:
    assert gate_named(gate.name) is gate
    assert gate.keys in keys_of(gate.section)
    assert gate.meaning[0].isupper()
    assert gate.meaning.endswith(".")
    assert gate.cure
    assert all(field.description for field in gate.keys.model_fields.values())
    assert all(figure.meaning.endswith(".") for figure in gate.figures if figure.title)

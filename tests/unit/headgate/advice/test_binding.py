import json

import numpy as np
import pytest

from headgate.advice.binding import binding_sentence, smallest_bounds
from headgate.advice.rungs import delta_text
from tests.unit.headgate.advice.people import people
from tests.unit.headgate.advice.trials import advised


def test_advice_names_the_binding_values_and_what_epsilon_is_a_share_of():
    advice = advised(people(alike=0.6), ["illness", "pay"], sizes=(5,), epsilons=("0.1",))
    assert advice.epsilon_means == (("illness", 0.75), ("pay", 0.25))
    assert advice.binding[0].value == "flu"
    assert advice.binding[0].share == pytest.approx(advice.binding[0].rows / 400)
    assert json.loads(json.dumps(advice.to_json()))["binding"][0]["value"] == "flu"


def test_what_binds_is_said_in_words_with_its_value_only_where_values_may_be_shown():
    table = people(alike=0.6)
    (setting,) = smallest_bounds(advised(table, ["illness"], sizes=(5, 10), epsilons=("0",)).settings)
    rows = int(np.bincount(table["illness"].codes).max())
    shown, hidden = binding_sentence(setting, True), binding_sentence(setting, False)
    assert shown == (
        f"{rows} rows, {rows / 4:.1f} %, share one value (illness: flu): "
        f"no partition exists above δ = {delta_text(setting.possible)} at k = 5 or more and ε = 0."
    )
    assert "flu" not in hidden
    assert "of illness" in hidden

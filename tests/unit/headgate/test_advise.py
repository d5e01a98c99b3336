import json

import numpy as np
import pandas as pd
import pytest

from headgate.advise import advise
from headgate.columns import Kind, Role
from headgate.encode import ColumnSpec, encode_table
from headgate.errors import InputRejected
from headgate.xcolor.anonymize import anonymize
from headgate.xcolor.limits import dissimilarity
from headgate.xcolor.partition import XColorSettings


def _table(rows=400, alike=0.3, seed=1):
    draw = np.random.default_rng(seed)
    illness = np.where(draw.random(rows) < alike, "flu", draw.choice([f"v{i}" for i in range(20)], rows))
    frame = pd.DataFrame({"age": draw.integers(0, 90, rows), "illness": illness, "pay": draw.integers(0, 100, rows)})
    specs = {
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI),
        "illness": ColumnSpec("illness", Kind.CATEGORY, Role.SENSITIVE, weight=3.0),
        "pay": ColumnSpec("pay", Kind.INTEGER, Role.SENSITIVE),
    }
    return encode_table(frame, specs)


def test_what_is_guaranteed_is_reached_and_what_is_reached_is_possible():
    advice = advise(_table(), ["illness"], 0, sizes=(5, 10), epsilons=("0", "0.5"))
    assert len(advice.settings) == 4
    for setting in advice.settings:
        assert setting.reached is not None
        assert setting.reached <= setting.possible
        assert setting.guaranteed is None or setting.guaranteed <= setting.possible


def test_the_delta_advised_can_be_reached_and_the_first_refuted_one_cannot():
    table = _table(alike=0.5)
    (setting,) = advise(table, ["illness"], 0, sizes=(10,), epsilons=("0",)).settings
    limit = dissimilarity(table.select(["illness"]), "0", "0")
    again = anonymize(table, ["illness"], XColorSettings(10, (limit.with_delta(str(setting.reached)),)), 0)
    assert again.reached
    assert again.loss == pytest.approx(setting.loss)
    assert setting.possible < 1
    assert setting.certificate is not None
    assert not anonymize(table, ["illness"], XColorSettings(10, (limit.with_delta(str(setting.possible + 0.12)),)), 0).reached


def test_advice_names_the_binding_values_and_what_epsilon_is_a_share_of():
    advice = advise(_table(), ["illness", "pay"], 0, sizes=(5,), epsilons=("0.1",))
    assert advice.epsilon_means == (("illness", 0.75), ("pay", 0.25))
    assert advice.binding[0].value == "flu"
    assert advice.binding[0].share == pytest.approx(advice.binding[0].rows / 400)
    assert json.loads(json.dumps(advice.to_json()))["binding"][0]["value"] == "flu"


def test_theta_and_the_bottleneck_are_shown():
    table = _table()
    (setting,) = advise(table, ["illness"], 0, sizes=(5,), epsilons=("0",)).settings
    most = int(np.bincount(table["illness"].codes).max())
    assert setting.largest_degree == most - 1
    assert setting.bottleneck == pytest.approx(1 - 2 * (most - 1) / 400)


def test_an_epsilon_that_adds_no_pair_gives_the_same_advice():
    advice = advise(_table(), ["illness"], 0, sizes=(5,), epsilons=("0.5", "0"))
    first, second = advice.settings
    assert (first.epsilon, second.epsilon) == (0.0, 0.5)
    assert first.reached == second.reached
    assert first.loss == second.loss


def test_a_linkability_that_no_partition_keeps_leaves_no_delta():
    (setting,) = advise(_table(alike=0.9), ["illness"], 0, sizes=(5,), epsilons=("0",), linkable="0.5").settings
    assert setting.possible is None
    assert setting.reached is None
    assert setting.certificate is not None
    assert setting.certificate.limit == "linkability of illness"


def test_sizes_that_do_not_fit_are_left_out_or_refused():
    assert [setting.k for setting in advise(_table(12), ["pay"], 0, epsilons=("0",)).settings] == [5, 10]
    with pytest.raises(InputRejected):
        advise(_table(4), ["pay"], 0)

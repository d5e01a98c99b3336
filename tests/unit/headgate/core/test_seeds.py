"""A seed from which a draw can be repeated, or a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import headgate as hg
from headgate.core.errors import InputRejected
from headgate.core.seeds import LARGEST_SEED, checked_seed


@pytest.mark.parametrize("seed", [0, 7, np.int64(7), LARGEST_SEED])
def test_a_whole_number_is_a_seed(seed: Any) -> None:
    assert checked_seed(seed) == int(seed)


@pytest.mark.parametrize("seed", [None, -1, 1.5, "7", True, LARGEST_SEED + 1, float("nan")])
def test_anything_else_is_refused_in_one_sentence(seed: Any) -> None:
    """None was taken, and every call gave other groups; −1 ended in a traceback of numpy's."""
    frame = pd.DataFrame({"age": range(20), "illness": list("abcd") * 5})
    calls = [
        lambda: hg.xcolor(frame, ["age"], ["illness"], k=2, epsilon=0, delta=0.1, seed=seed),
        lambda: hg.mondrian(frame, ["age"], k=2, seed=seed),
        lambda: hg.count_query_error(hg.table(frame, ["age"], ["illness"]), None, 1, 1, 0.5, 10, seed),  # type: ignore[arg-type]
        lambda: hg.classifier_accuracy(hg.table(frame, ["age"]), None, np.zeros(20), "age", seed=seed),  # type: ignore[arg-type]
        lambda: checked_seed(seed),
    ]
    for call in calls:
        with pytest.raises(InputRejected, match="seed") as refused:
            call()
        assert "such as 0" in refused.value.cure

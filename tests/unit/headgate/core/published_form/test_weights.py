from __future__ import annotations

import numpy as np
import pytest

from headgate.core.columns import Column, Kind
from headgate.core.errors import InputRejected
from headgate.core.published_form.weights import positive_numbers


def weights(values, codes, kind=Kind.NUMBER):
    return Column("wgt", kind, np.array(codes, dtype=np.int32), np.array(values), np.ones(len(values) + 1, dtype=bool))


def test_weights_are_read_from_numbers_and_from_their_texts():
    assert positive_numbers(weights([0.5, 20.0], [1, 0, 1])).tolist() == [20.0, 0.5, 20.0]
    assert positive_numbers(weights(["0.5", "20"], [1, 0, 1], Kind.CATEGORY)).tolist() == [20.0, 0.5, 20.0]


@pytest.mark.parametrize(
    ("values", "codes"),
    [(["1"], [0, -1]), (["1", "0"], [0, 1]), (["-2"], [0]), (["nan"], [0]), (["inf"], [0]), (["a lot"], [0])],
)
def test_a_weight_that_is_no_positive_number_of_people_is_refused(values, codes) -> None:
    with pytest.raises(InputRejected, match="The weight 'wgt'"):
        positive_numbers(weights(values, codes, Kind.CATEGORY))

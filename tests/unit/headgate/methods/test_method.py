"""What holds of every method, whoever adds one."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, fields

import pytest

from headgate.methods.choice import METHODS, options_of
from headgate.methods.method import Method
from headgate.methods.xcolor.faithful_method import Faithful


@pytest.mark.parametrize("method", METHODS)
def test_a_method_is_a_frozen_record_of_its_options_that_another_process_can_have(method: type[Method]) -> None:
    chosen = method()
    assert pickle.loads(pickle.dumps(chosen)) == chosen
    assert options_of(method) == tuple(field.name for field in fields(chosen))
    for option in options_of(method):
        with pytest.raises(FrozenInstanceError):
            setattr(chosen, option, None)


def test_what_a_method_does_not_say_is_that_it_groups_rows_and_nothing_else() -> None:
    assert (Faithful.looks_at_conditions, Faithful.suppresses, Faithful.whole_levels, Faithful.keeps_groups) == (False, False, False, False)
    assert Faithful.progress == "rows grouped"

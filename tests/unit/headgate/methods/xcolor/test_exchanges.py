import pytest
from hypothesis import given, settings

from tests.unit.headgate.methods.xcolor.algorithm_2 import (
    agree,
    instances,
)


@settings(max_examples=60, deadline=None)
@given(instances(38))
def test_every_exchange_is_the_one_algorithm_2_chooses(drawn):
    """One limit or two at once, missing cells, sets of values, a hierarchy: group numbers and number of exchanges are the same."""
    agree(*drawn)


@pytest.mark.long
@settings(max_examples=1_500, deadline=None)
@given(instances(48))
def test_every_exchange_is_the_one_algorithm_2_chooses_in_many_tables(drawn):
    agree(*drawn)

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pytest

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.errors import InputRejected
from headgate.methods.full_domain.level_search import full_domain
from headgate.methods.full_domain.level_settings import LevelSettings
from tests.unit.headgate.methods.full_domain.mixed import encoded, mixed


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (LevelSettings(201), "cannot make a group"),
        (LevelSettings(0), "not a valid group size"),
        (LevelSettings(2, Fraction("1.01")), "not between 0 and 1"),
        (LevelSettings(2, Fraction(-1)), "not between 0 and 1"),
        (LevelSettings(2, objective="beauty"), "objective"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(settings, message):
    with pytest.raises(InputRejected, match=message):
        full_domain(encoded(mixed()), ("ill",), settings)


def test_a_table_without_quasi_identifiers_is_refused():
    table = encode_table(pd.DataFrame({"ill": ["flu", "cold"]}), {"ill": ColumnSpec("ill", Kind.CATEGORY, Role.SENSITIVE)})
    with pytest.raises(InputRejected, match="is a quasi-identifier"):
        full_domain(table, ("ill",), LevelSettings(2))

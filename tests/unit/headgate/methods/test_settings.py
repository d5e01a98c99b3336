import pandas as pd
import pytest

from headgate.core.errors import InputRejected
from headgate.methods.anonymize import anonymize
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.settings import Infeasible, Settings


def test_fewer_rows_than_k_and_no_quasi_identifier_are_refused(people, make_table):
    table = people(9)
    with pytest.raises(InputRejected, match="9 rows"):
        anonymize(Blocks(), table, table.sensitive, Settings(10), 0)
    with pytest.raises(InputRejected, match="quasi-identifier"):
        anonymize(Blocks(), make_table(pd.DataFrame({"illness": ["a", "b"]}), []), ["illness"], Settings(2), 0)


@pytest.mark.parametrize("setting", ["never", {"suppress": "2"}, {"forget": "0.1"}, {"suppress": "0.1", "relax": "0.1"}])
def test_settings_for_the_infeasible_case_that_mean_nothing_are_refused(setting):
    with pytest.raises(InputRejected):
        Infeasible.of(setting)

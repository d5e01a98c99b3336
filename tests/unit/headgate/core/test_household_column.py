import numpy as np

from headgate.core.household_column import household_column


def test_a_row_without_a_household_gets_a_number_of_its_own():
    column = household_column("home", np.array([1, -1, 0, 1, -1], dtype=np.int32))
    assert column.codes.tolist() == [1, 2, 0, 1, 3]
    assert column.values.tolist() == [0, 1, 2, 3]
    assert column.sensitive.all()


def test_the_numbers_given_are_left_as_they_were():
    codes = np.array([-1, 0], dtype=np.int32)
    household_column("home", codes)
    assert codes.tolist() == [-1, 0]


def test_all_may_be_missing():
    assert household_column("home", np.array([-1, -1], dtype=np.int32)).codes.tolist() == [0, 1]

"""How an attacker's success is told."""

from __future__ import annotations

import numpy as np
import pytest

from headgate.attacks.background_join import background_join, join_across
from headgate.attacks.homogeneity import homogeneity
from headgate.attacks.success import success, wilson
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import publish_form
from tests.unit.headgate.attacks.planted import small


def test_what_rows_of_different_people_seem_to_prove_is_told_apart_from_what_is_known() -> None:
    """Groups of six, all illnesses in each, a job for each illness. Side by side in another order every join is certain and wrong."""
    rows = [(20 + i // 6, "f", str(i % 6), f"j{i % 6}") for i in range(60)]
    case = small(rows, [i // 6 for i in range(60)])
    one = publish_form(case.table, np.array(case.groups[0]), "one", ["illness"])
    turned = case.table.take(np.array([i // 6 * 6 + (i + 1) % 6 for i in range(60)]))
    two = publish_form(turned, np.array(case.groups[0]), "other", ["job"])
    found = join_across(one, two, case.table.columns, "illness", "job")
    assert (found.success.right, found.certain, found.mistaken) == (0, 0, 60)


def test_the_interval_is_wilsons() -> None:
    """Golden: Wilson's interval for 8 of 10 is 0.4902 to 0.9433 (Newcombe, Stat. Med. 17, 1998, method 3)."""
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=5e-5)
    assert wilson(0, 10)[0] == 0
    assert wilson(10, 10)[1] == 1
    with pytest.raises(InputRejected, match="An attack needs somebody to attack"):
        success("a", "b", 0, 0, 0)


def test_sentences_hold_shares_and_no_values() -> None:
    case = small([(20, "f", "flu", "smith"), (21, "f", "flu", "baker"), (40, "m", "pox", "smith")], [0, 0, 0])
    text = homogeneity(case.published[0], case.table.columns, "illness").sentence()
    text += background_join(case.published[0], case.table.columns, "illness", "job").sentence()
    assert "66.7 %" in text
    assert not any(value in text for value in ("flu", "pox", "smith", "baker"))

from __future__ import annotations

import pytest
from pydantic import ValidationError

from policies.schema.about import TITLES, AboutKey
from policies.words.fields import WrittenInt


def test_what_is_said_is_given_in_the_order_in_which_approvers_read_it() -> None:
    about = AboutKey.model_validate({"contact": "data@hospital.example", "period": WrittenInt("2024"), "purpose": "Teaching"})
    assert list(about.said.items()) == [("purpose", "Teaching"), ("period", "2024"), ("contact", "data@hospital.example")]
    assert AboutKey().said == {}
    assert set(TITLES) == set(AboutKey.model_fields)


@pytest.mark.parametrize("about", [{"license": "CC0"}, {"purpose": ""}, {"purpose": "x" * 2001}])
def test_an_unknown_key_and_a_text_without_end_are_refused(about: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        AboutKey.model_validate(about)

from __future__ import annotations

import math

import pytest
from pydantic import ValidationError

from headgate.risk.disclosure.decision import RiskDistribution
from policies.judging.exposure import AttributeChange, Exposure
from tasks.reporting.candidate_page.page_content import CandidatePage, page_json, read_page


def test_what_is_sealed_is_read_again_as_it_was(hospital: CandidatePage) -> None:
    assert read_page(page_json(hospital)) == hospital
    assert page_json(read_page(page_json(hospital))) == page_json(hospital)


def test_an_infinite_loss_is_kept(hospital: CandidatePage) -> None:
    endless = AttributeChange("as it is", 0.5, math.inf, None, 3.0, False)
    exposure = Exposure("table-1", "register", ("age",), RiskDistribution({0.5: math.inf}, {0.01: 1.0}, 1), endless, ())
    page = read_page(page_json(hospital.model_copy(update={"exposures": (exposure,)})))
    assert page.exposures == (exposure,)


def test_what_this_version_does_not_write_is_refused() -> None:
    with pytest.raises(ValidationError):
        read_page(b'{"schema_version": 2}')


def test_pictures_of_tables_and_of_the_whole_have_names_of_their_own(hospital: CandidatePage) -> None:
    first = hospital.tables[0].model_copy(update={"pictures": {"loss": "<svg>1</svg>"}})
    page = hospital.model_copy(update={"tables": (first, *hospital.tables[1:]), "pictures": {"loss": "<svg>2</svg>"}})
    assert page.of_release == {"table-1-loss": "<svg>1</svg>", "loss": "<svg>2</svg>"}


def test_what_others_may_know_are_the_quasi_identifiers(hospital: CandidatePage) -> None:
    assert hospital.known == ("age", "sex", "region", "admitted")
    assert hospital.suppressed_share == 0
    assert hospital.refused_by == ()

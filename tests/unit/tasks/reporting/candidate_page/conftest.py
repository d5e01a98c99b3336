"""The page of the demo's release of the shipped hospital policy, as it was sealed, without its pictures and most of its sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from policies.gates.verdict import Verdict
from tasks.reporting.candidate_page.page_content import CandidatePage, read_page

REFUSING = Verdict(
    gate="linkability", table="table-2", comparison="at most", measured=0.9, required=0.4, passed=False, remedy="Raise k, or drop it."
)


@pytest.fixture(scope="session")
def hospital() -> CandidatePage:
    return read_page(Path(__file__).with_name("hospital_patients.json").read_bytes())


@pytest.fixture(scope="session")
def refused_page(hospital: CandidatePage) -> CandidatePage:
    """One of 30 verdicts refuses; the data say too little about why."""
    return hospital.model_copy(update={"passed": False, "verdicts": (*hospital.verdicts, REFUSING)})

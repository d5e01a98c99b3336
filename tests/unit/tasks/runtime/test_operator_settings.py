from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from headgate.core.errors import InputRejected, PolicyInvalid
from policies.schema.operator_file import Operator
from tasks.runtime.home import Home
from tasks.runtime.operator_settings import limits_in, longest_gap_days, operator_in, read_operator


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.open(tmp_path / "home")


def test_without_the_file_nothing_is_said_and_the_ledger_may_rest_for_400_days(home: Home) -> None:
    assert read_operator(home.root) is None
    assert operator_in(home.root) == Operator()
    assert longest_gap_days(home.root) == 400


def test_what_the_operator_wrote_is_read_with_its_digest(home: Home) -> None:
    content = b"clock: {max_gap_days: 40}\n"
    (home.root / "operator.yaml").write_bytes(content)
    assert read_operator(home.root) == (Operator.model_validate({"clock": {"max_gap_days": 40}}), hashlib.sha256(content).hexdigest())
    assert longest_gap_days(home.root) == 40


def test_limits_are_those_that_the_operator_wrote(home: Home) -> None:
    assert limits_in(home.root) == {}
    (home.root / "operator.yaml").write_text("limits: {cells: 1000, list_bytes: 20}\n")
    assert limits_in(home.root) == {"cells": 1000, "list_bytes": 20}


@pytest.mark.parametrize("content", [b"clock: {max_gap_days: 0}\n", b"clock: {max_gap_days: 1.5}\n", b"clock: {gap: 3}\n", b"\xff\xfe"])
def test_what_is_not_understood_is_refused(home: Home, content: bytes) -> None:
    (home.root / "operator.yaml").write_bytes(content)
    with pytest.raises((InputRejected, PolicyInvalid)) as refused:
        longest_gap_days(home.root)
    assert refused.value.code == 2

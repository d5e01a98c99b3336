from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tasks.runtime import acting_account as acting


def test_a_process_acts_for_its_own_account_until_it_answers_somebody_elses_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acting, "_caller", None)
    monkeypatch.setenv("USER", "somebody-else")
    assert acting.acting_account() == subprocess.check_output(["id", "-un"], text=True).strip()
    acting.act_for(1)
    assert acting.acting_account() == "daemon"


def test_an_account_without_a_name_is_its_number() -> None:
    named = {int(line.split(":")[2]) for line in Path("/etc/passwd").read_text().splitlines() if line.count(":") == 6}
    nobody = next(number for number in range(70_000, 80_000) if number not in named)
    assert acting.account_of(nobody) == str(nobody)
    assert acting.account_of(0) == "root"
    assert os.geteuid() >= 0

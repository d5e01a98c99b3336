"""deployments/prefect.yaml is what the shipped policies say, and a file that cannot be read or written is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.schedules.deployment_file import file_text, is_current, write_file
from flows.schedules.scheduled_policies import scheduled_policies
from flows.schedules.wanted_deployments import wanted_deployments
from headgate.core.errors import StoreUnavailable
from policies.shipped import SHIPPED, shipped_policy
from tasks.reading.references import load_policy

ROOT = Path(__file__).resolve().parents[4]


def shipped_with_a_schedule() -> list[Path]:
    return [Path(f"shipped:{name}") for name in sorted(SHIPPED) if load_policy(Path(str(shipped_policy(name)))).policy.schedule is not None]


def test_the_file_in_the_repository_is_what_the_shipped_policies_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else: `headgate deploy shipped:hospital-patients --file deployments/prefect.yaml`."""
    monkeypatch.delenv("HEADGATE_PUBLISH_SECONDS", raising=False)
    text = file_text(wanted_deployments(scheduled_policies(shipped_with_a_schedule())))
    assert (ROOT / "deployments" / "prefect.yaml").read_text(encoding="utf-8") == text


def test_a_file_is_current_if_every_byte_is(tmp_path: Path) -> None:
    file = tmp_path / "prefect.yaml"
    assert not is_current(file, "a: 1\n")
    write_file(file, "a: 1\n")
    assert is_current(file, "a: 1\n")
    assert not is_current(file, "a: 2\n")


def test_a_place_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="Is a directory"):
        is_current(tmp_path, "")
    with pytest.raises(StoreUnavailable, match="No such file"):
        write_file(tmp_path / "nowhere" / "prefect.yaml", "")
    (tmp_path / "latin").write_bytes(b"\xe9")
    with pytest.raises(StoreUnavailable, match="it is not UTF-8"):
        is_current(tmp_path / "latin", "")

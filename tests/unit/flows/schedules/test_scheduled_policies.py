"""Which policies are found that have a schedule."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.schedules.scheduled_policies import scheduled_policies
from headgate.core.errors import InputRejected

POLICY = """
schema: 1
dataset: {dataset}
source: {{kind: csv, path: people.csv}}
attributes:
  id: {{role: identifier}}
  age: {{role: quasi, kind: integer, domain: [0, 99]}}
  job: {{role: sensitive, kind: category}}
anonymize: {{k: 5}}
gates: {{linkability: 0.8}}
publish: {{to: people}}
"""
SCHEDULE = 'schedule: {cron: "0 3 1 * *", timezone: Europe/Rome}\n'


def written(folder: Path, name: str, dataset: str, more: str = "") -> Path:
    path = folder / name
    path.write_text(POLICY.format(dataset=dataset) + more, encoding="utf-8")
    return path


def test_a_folder_gives_its_policies_with_a_schedule_in_the_order_of_their_names(tmp_path: Path) -> None:
    written(tmp_path, "b.yaml", "second", SCHEDULE)
    written(tmp_path, "a.yaml", "first", SCHEDULE)
    written(tmp_path, "c.yaml", "by-hand")
    assert [policy.dataset for policy in scheduled_policies([tmp_path])] == ["first", "second"]


def test_a_policy_that_is_named_must_have_a_schedule(tmp_path: Path) -> None:
    with pytest.raises(InputRejected, match=r"c\.yaml has no schedule"):
        scheduled_policies([written(tmp_path, "c.yaml", "by-hand")])


def test_a_folder_without_a_schedule_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputRejected, match="No policy with a schedule"):
        scheduled_policies([tmp_path])


def test_two_policies_of_one_dataset_are_refused(tmp_path: Path) -> None:
    policies = [written(tmp_path, name, "same", SCHEDULE) for name in ("a.yaml", "b.yaml")]
    with pytest.raises(InputRejected, match="same"):
        scheduled_policies(policies)

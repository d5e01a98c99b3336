"""A registered policy runs where it lay, with the databases that it named."""

from __future__ import annotations

from pathlib import Path

import pytest

from headgate.core.errors import InputRejected
from tasks.reading.references import load_policy
from tasks.reading.whereabouts import whereabouts

POLICY = """
schema: 1
dataset: people
source: {kind: sql, url_env: PEOPLE_URL, query: SELECT * FROM people}
attributes:
  age: {role: quasi, kind: integer, domain: [0, 110]}
  illness: {role: sensitive, kind: category}
anonymize: {method: xcolor, k: 2, epsilon: 0.1, delta: 0.5}
gates: {linkability: 0.9}
approval: {required: 1}
publish: {to: people, formats: [csv]}
"""


def at(path: Path) -> str:
    path.parent.mkdir(exist_ok=True)
    path.write_text(POLICY)
    return whereabouts(load_policy(path))


def test_a_copy_lies_elsewhere_and_a_link_where_it_leads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PEOPLE_URL", "sqlite:////data/people.db")
    here = at(tmp_path / "here" / "people.yaml")
    assert here != at(tmp_path / "there" / "people.yaml")
    (tmp_path / "link").symlink_to(tmp_path / "here")
    assert whereabouts(load_policy(tmp_path / "link" / "people.yaml")) == here


def test_another_database_is_another_place_and_a_new_password_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def with_url(url: str) -> str:
        monkeypatch.setenv("PEOPLE_URL", url)
        return at(tmp_path / "people.yaml")

    first = with_url("postgresql+psycopg://reader:old@db/people")
    assert "old" not in first
    assert with_url("postgresql+psycopg://reader:new@db/people") == first
    assert with_url("postgresql+psycopg://reader:new@db/others") != first
    assert with_url("sqlite:////tmp/mine.db") != first
    for url in ("", "no address"):
        with pytest.raises(InputRejected):
            with_url(url)

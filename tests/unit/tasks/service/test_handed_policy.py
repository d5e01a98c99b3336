"""What a policy over the socket may name: what came with it, and nothing of the service's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import InputRejected
from policies.schema.loading import parse_policy
from tasks.reading.references import load_policy
from tasks.service.handed_policy import named_files, require_handed

TOWNS = b"a;north;*\nb;south;*\n"
POLICY = """
schema: 1
dataset: people
source: {kind: csv, path: SOURCE}
attributes:
  age: {role: quasi, kind: integer, domain: [0, 99]}
  town: {role: quasi, kind: category, hierarchy: HIERARCHY}
  job: {role: sensitive, kind: category}
anonymize: {k: 5}
gates: {linkability: 0.8}
publish: {to: people}
"""


def policy(hierarchy: str = "lists/towns.csv", source: str = "people.csv") -> bytes:
    return POLICY.replace("HIERARCHY", hierarchy).replace("SOURCE", source).encode()


def test_a_policy_is_read_with_everything_it_names_from_what_was_sent(handed: Any, tmp_path: Path) -> None:
    found = handed(
        ("policy", "policy.yaml", policy()),
        ("policy", "lists/towns.csv", TOWNS),
        ("policy", "people.csv", b"age,job\n"),
        ("source", "p.csv", b"x"),
    )
    require_handed(found["policy"][0], own_source=True)
    loaded = load_policy(found["policy"][0])
    assert loaded.references.hierarchies["town"] == (("a", "north", "*"), ("b", "south", "*"))
    assert found["source"][0].read_bytes() == b"x"
    assert [path for path in (tmp_path / "files").rglob("*") if path.is_file() and not path.is_symlink()] == []  # nothing is on the disk


@pytest.mark.parametrize("secret", ["/etc/hostname", "../../secret.csv", "lists/../../../secret.csv"])
def test_a_policy_that_names_a_file_of_the_service_is_refused(handed: Any, tmp_path: Path, secret: str) -> None:
    (tmp_path / "secret.csv").write_bytes(TOWNS)
    for text, own in ((policy(hierarchy=secret), False), (policy(source=secret), True)):
        found = handed(("policy", "policy.yaml", text), ("policy", "lists/towns.csv", TOWNS), folder=f"files-{own}")
        with pytest.raises(InputRejected, match="does not lie below the folder of the policy"):
            require_handed(found["policy"][0], own)


def test_what_a_policy_names_and_nobody_sent_is_refused_though_the_service_has_it(handed: Any, tmp_path: Path) -> None:
    found = handed(("policy", "policy.yaml", policy()), ("policy", "people.csv", b"age,job\n"))
    (tmp_path / "files/policy/lists").mkdir()
    (tmp_path / "files/policy/lists/towns.csv").write_bytes(TOWNS)
    with pytest.raises(InputRejected, match=r"names lists/towns\.csv, which was not sent"):
        require_handed(found["policy"][0], own_source=True)


def test_a_query_would_be_asked_with_the_rights_of_the_service_and_is_not_taken(tmp_path: Path) -> None:
    text = policy().decode().replace("{kind: csv, path: people.csv}", "{kind: sql, url_env: HEADGATE_DATABASE_URL, query: SELECT 1}")
    asked = parse_policy(text, "policy.yaml")
    with pytest.raises(InputRejected, match="A policy with a query cannot be sent"):
        named_files(asked, own_source=True)
    assert named_files(asked, own_source=False) == ("lists/towns.csv",)
    register = "{linkability: 0.8, disclosure: {dictionaries: [{sql: {url_env: X, query: SELECT 1}, on: [age]}], max: 0.5}}"
    with pytest.raises(InputRejected, match="A policy with a query cannot be sent"):
        named_files(parse_policy(text.replace("{linkability: 0.8}", register), "policy.yaml"), own_source=False)

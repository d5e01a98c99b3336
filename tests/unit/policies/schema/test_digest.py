"""The policy digest: what approvals are bound to."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest

from headgate.core.errors import InputRejected
from policies.schema.digest import policy_digest
from policies.schema.loading import parse_policy
from policies.schema.policy import Policy, files_of

FILES = ("data/region.csv", "data/codes.csv", "data/register.csv", "signers")


def digests(**changed: str) -> dict[str, str]:
    return {path: hashlib.sha256(changed.get(path.split("/")[-1].split(".")[0], path).encode()).hexdigest() for path in FILES}


def test_every_file_the_policy_refers_to_is_named_and_the_source_is_not(example: str) -> None:
    assert tuple(files_of(parse_policy(example, "p.yaml")).values()) == FILES


def test_spelling_comments_and_key_order_do_not_change_the_digest(example: str) -> None:
    head, tail = example.split("source:", 1)
    schema, dataset, title = head.splitlines()
    respelt = "\n".join(["# another comment", title, dataset, schema]) + "\nsource:" + tail
    respelt = respelt.replace("delta: 0.6", "delta: 6.0e-1").replace("{role: identifier}", '{"role": "identifier"}')
    assert policy_digest(parse_policy(respelt, "q.yaml"), digests()) == policy_digest(parse_policy(example, "p.yaml"), digests())


def test_a_default_written_out_means_the_same(edited: Callable[..., Policy]) -> None:
    assert policy_digest(edited(), {}) == policy_digest(edited(("k: 3,", "k: 3, infeasible: fail,")), {})


@pytest.mark.parametrize("changed", ["region", "codes", "register", "signers"])
def test_another_content_of_any_file_is_another_policy(example: str, changed: str) -> None:
    policy = parse_policy(example, "p.yaml")
    assert policy_digest(policy, digests(**{changed: "other"})) != policy_digest(policy, digests())


def test_a_moved_file_is_the_same_policy(example: str) -> None:
    moved = example.replace("data/region.csv", "elsewhere/region.csv")
    known = {**digests(), "elsewhere/region.csv": digests()["data/region.csv"]}
    assert policy_digest(parse_policy(moved, "p.yaml"), known) == policy_digest(parse_policy(example, "p.yaml"), known)


@pytest.mark.parametrize(
    ("old", "new"), [("k: 3", "k: 4"), ("0.8", "0.80001"), ("nonsensitive: [flu]", "nonsensitive: [gout]"), ("to: clinic", "to: ward")]
)
def test_another_meaning_is_another_digest(edited: Callable[..., Policy], old: str, new: str) -> None:
    assert policy_digest(edited((old, new)), {}) != policy_digest(edited(), {})


def test_a_file_without_a_digest_is_refused(example: str) -> None:
    for known in ({}, {**digests(), "signers": "unknown"}):
        with pytest.raises(InputRejected):
            policy_digest(parse_policy(example, "p.yaml"), known)

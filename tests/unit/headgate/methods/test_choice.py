"""One tuple of methods, from which the library and the policy file choose; a method from outside the tree joins it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

import headgate as hg
from headgate.core.columns import Table
from headgate.core.encode import encode_table
from headgate.core.errors import InputRejected, PolicyInvalid
from headgate.grouping.items import items_of
from headgate.grouping.limits import linkability
from headgate.grouping.watch import Watch
from headgate.methods import choice
from headgate.methods.anonymize import anonymize
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.full_domain.full_domain_method import FullDomain
from headgate.methods.method import Method
from headgate.methods.mondrian.mondrian_method import Mondrian
from headgate.methods.partition import Partition, counted_partition
from headgate.methods.settings import Settings
from headgate.methods.xcolor.faithful_method import Faithful
from policies.jobs.spool import MemorySpool
from policies.jobs.table_job import TableJob, Workplace, try_table
from policies.schema.loading import parse_policy
from policies.sealed.specs import column_specs, promise_of

POLICY = """
schema: 1
dataset: toys
title: Toys
source: {kind: csv, path: toys.csv}
attributes:
  age: {role: quasi, kind: integer, domain: [0, 110]}
  illness: {role: sensitive, kind: category}
anonymize: {method: everybody, k: 3}
gates: {linkability: 0.8}
approval: {required: 1}
publish: {to: toys}
"""


@dataclass(frozen=True)
class Everybody(Method):
    """All rows in one group, or in as many equal ones as `parts` says."""

    parts: int = 1

    key: ClassVar[str] = "everybody"

    def group(self, table: Table, sensitive: Sequence[str], settings: Settings, seed: int, watch: Watch) -> Partition:
        return counted_partition(items_of(table, settings.limits), settings, (np.arange(table.rows) % self.parts).astype(np.int32))


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> type[Method]:
    monkeypatch.setattr(choice, "METHODS", (*choice.METHODS, Everybody))
    return Everybody


def people(rows: int = 12) -> pd.DataFrame:
    return pd.DataFrame({"age": range(rows), "illness": np.resize(["flu", "gout", "cold"], rows)})


def test_a_method_is_chosen_by_its_key_and_variant_with_its_options() -> None:
    assert choice.choose("xcolor") == choice.choose("xcolor", "blocks") == Blocks()
    assert choice.choose("xcolor", "faithful") == Faithful()
    assert choice.choose("mondrian", strict=False) == Mondrian(strict=False)
    assert choice.choose("full-domain", objective="arx") == FullDomain("arx")
    assert choice.method_keys() == ("xcolor", "mondrian", "full-domain")
    assert choice.method_keys("strict") == ("mondrian",)
    assert choice.variants() == choice.variants("xcolor") == ("blocks", "faithful")
    assert choice.variants("mondrian") == ()


@pytest.mark.parametrize(("key", "variant", "cure"), [("colour", None, "xcolor or mondrian"), ("xcolor", "quick", "blocks or faithful")])
def test_what_is_not_in_the_tuple_is_unknown(key: str, variant: str | None, cure: str) -> None:
    with pytest.raises(InputRejected, match=cure):
        choice.choose(key, variant)


def test_no_two_methods_answer_to_the_same_name() -> None:
    names = [(method.key, method.variant) for method in choice.METHODS]
    assert len(set(names)) == len(names)
    for key in choice.method_keys():
        alike = [method for method in choice.METHODS if method.key == key]
        assert len(alike) == 1 or all(method.variant for method in alike)


def test_a_method_from_outside_the_tree_is_chosen_like_the_others(toy: type[Method]) -> None:
    frame = people()
    table = hg.mondrian(frame, ["age"], 3, ["illness"]).table
    method = choice.choose("everybody", parts=2)
    assert method == Everybody(2)
    limit = linkability(table["illness"], "0.4")
    kept = anonymize(method, table, ["illness"], Settings(3, (limit,)), 0)
    assert (kept.reached, kept.count, kept.smallest) == (True, 2, 6)
    assert not anonymize(Everybody(4), table, ["illness"], Settings(4), 0).reached


def test_a_policy_that_names_a_method_from_outside_the_tree_is_checked_by_it(toy: type[Method]) -> None:
    policy = parse_policy(POLICY, "toys.yaml")
    assert policy.anonymize.chosen == Everybody()
    table = encode_table(people(), column_specs(policy))
    spool = MemorySpool()
    checked = try_table(
        TableJob(("illness",), spool.put(table), promise_of(policy, table), policy.anonymize, seed=b"seed"), Workplace(spool)
    )
    assert checked.passed
    assert checked.partition.groups.tolist() == [0] * 12
    with pytest.raises(PolicyInvalid, match="'strict' only with method mondrian"):
        parse_policy(POLICY.replace("everybody,", "everybody, strict: true,"), "toys.yaml")


def test_without_the_method_the_policy_names_those_there_are() -> None:
    with pytest.raises(PolicyInvalid, match="xcolor, mondrian or full-domain"):
        parse_policy(POLICY, "toys.yaml")


def test_choosing_a_method_compiles_nothing() -> None:
    """A policy file names one; whoever only reads it groups nothing."""
    code = "import sys, headgate.methods.choice; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

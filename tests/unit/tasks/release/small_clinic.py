"""Six people with every kind of attribute, and a policy about them that may have a gate on disclosure."""

from __future__ import annotations

from typing import Any

import pandas as pd

from headgate.core.columns import Table
from headgate.core.encode import encode_table
from headgate.projection.bitmap import bitmap_table
from policies.gates.disclosure_key import DisclosureKey
from policies.schema.loading import parse_policy
from policies.schema.policy import Policy
from policies.sealed.specs import column_specs

TEXT = """\
schema: 1
dataset: clinic
source: {kind: csv, path: clinic.csv}
attributes:
  person: {role: identifier}
  age: {role: quasi, kind: integer, domain: [0, 100]}
  zip: {role: quasi, kind: category}
  eye: {role: quasi, kind: category}
  illness: {role: sensitive, kind: set, values: [flu, gout]}
  income: {role: sensitive, kind: number, domain: [0, 1000]}
  school: {role: sensitive, kind: ordinal, levels: [low, middle, high]}
  born: {role: sensitive, kind: date}
  profile: {role: sensitive, kind: vector, columns: [p1, p2]}
anonymize: {k: 2}
gates: {linkability: 1}
publish: {to: clinic}
"""
GROUPS = [0, 0, 1, 1, 2, 2]


def table_of(rows: list[tuple[Any, ...]], eyes: list[str | None] | None = None) -> Table:
    frame = pd.DataFrame(rows, columns=["age", "zip", "illness", "income", "school", "born", "p1"], dtype=object)
    frame["p2"] = [None if share is None else 1 - share for share in frame["p1"]]
    frame["eye"] = pd.Series(eyes or [None] * len(rows), dtype=object)
    specs = column_specs(parse_policy(TEXT, "p"))
    return bitmap_table(encode_table(frame, specs), specs)


def six_people() -> Table:
    return table_of(
        [(20, "a", "flu", 1.0, "low", "2025-01-01", 0.5), (25, "a", "flu", 2.0, "low", "2025-01-01", 0.5)]
        + [(age, "b", "gout", income, "high", "2025-01-02", 0.25) for age, income in ((40, 3.0), (45, 3.0), (60, 5.0), (61, 3.0))]
    )


def policy_of(gate: dict[str, Any]) -> Policy:
    policy = parse_policy(TEXT, "p")
    return policy.model_copy(update={"gates": policy.gates.model_copy(update={"disclosure": DisclosureKey.model_validate(gate)})})

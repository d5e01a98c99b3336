"""What advice says of ε itself."""

from __future__ import annotations

import pandas as pd

from headgate.core.encode import encode_table
from policies.schema.loading import parse_policy
from policies.sealed.specs import column_specs
from tasks.advice.epsilon_remarks import epsilon_remarks

POLICY = """\
schema: 1
dataset: clinic
source: {{kind: csv, path: clinic.csv}}
attributes:
  age: {{role: quasi, kind: integer}}
  income: {{role: sensitive, kind: integer, domain: [0, 9600000]}}
anonymize: {{k: 3, epsilon: {epsilon}, delta: 0.5}}
gates: {{linkability: 0.8}}
publish: {{to: clinic}}
"""


def remarks(epsilon: str) -> tuple[str, ...]:
    policy = parse_policy(POLICY.format(epsilon=epsilon), "p.yaml")
    frame = pd.DataFrame({"age": range(100), "income": [*range(1000, 240_001, 2415), 9_000_000]})
    return epsilon_remarks(policy, encode_table(frame, column_specs(policy)), "0.1")


def test_a_tail_is_said_with_what_epsilon_means_in_units_and_what_helps() -> None:
    """99 incomes up to 237,670; the domain is 40 times that."""
    (said,) = remarks("0.1")
    assert said.startswith("The domain of income is 40 times as wide as 99 % of its values need. So values of it alone are alike within")
    assert "within 960,000 of each other (ε 0.1), and somebody is alike to 99 % of all others." in said
    assert "declare a narrower domain, publish_as: {top: 0.99}, compare by ratios (scale: log)" in said


def test_an_epsilon_in_units_is_kept_in_every_trial_and_no_tail_matters_to_it() -> None:
    (said,) = remarks("{income: 5000}")
    assert said.startswith("The policy gives ε in units of its own (income).")

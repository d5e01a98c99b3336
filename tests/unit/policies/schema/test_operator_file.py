from __future__ import annotations

import pytest

from headgate.core.errors import PolicyInvalid
from policies.schema.loading import parse_file
from policies.schema.operator_file import Floor, Operator


def test_what_is_not_said_is_the_strictest() -> None:
    assert Operator() == Operator(runners=None, floor=Floor(approvals=1), policy_signers=False)
    whole = parse_file(Operator, "runners: [eve@x.example, bob]\nfloor: {approvals: 3}\npolicy_signers: true\n", "operator.yaml")
    assert (whole.runners, whole.floor.approvals, whole.policy_signers) == (("eve@x.example", "bob"), 3, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("runners: []\n", "runners"),
        ("runners: [bob, Bob]\n", "somebody listed twice"),
        ("runners: ['*']\n", "runners"),
        ("runners: bob\n", "runners"),
        ("floor: {approvals: 0}\n", "floor.approvals"),
        ("floor: 2\n", "floor"),
        ("floor: {approval: 2}\n", "did you mean approvals"),
        ("policy_signers: 1\n", "policy_signers"),
        ("policy_signer: true\n", "did you mean policy_signers"),
        ("policy_signers: true\npolicy_signers: false\n", "a second time"),
        ("", "empty"),
    ],
)
def test_what_is_not_understood_refuses_the_file_and_names_line_and_key(text: str, said: str) -> None:
    with pytest.raises(PolicyInvalid, match=r"^operator\.yaml") as refused:
        parse_file(Operator, text, "operator.yaml")
    assert said in refused.value.message
    assert refused.value.code == 2

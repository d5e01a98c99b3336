from __future__ import annotations

import pytest

from headgate.core.errors import PolicyInvalid
from policies.schema.loading import parse_file
from policies.schema.operator_file import OPERATORS_PAGE, Floor, Operator
from policies.words.quorum import Quorum


def test_what_is_not_said_is_the_strictest() -> None:
    assert Operator() == Operator(runners=None, floor=Floor(approvals=1), policy_signers=False)
    whole = parse_file(
        Operator, "runners: [eve@x.example, bob]\nfloor: {approvals: 3}\npolicy_signers: true\n", "operator.yaml", OPERATORS_PAGE
    )
    assert (whole.runners, whole.floor.approvals, whole.policy_signers) == (("eve@x.example", "bob"), 3, True)


def test_roles_are_held_by_people_and_a_floor_may_ask_for_them() -> None:
    text = "floor: {approvals: 2, roles: {law: 1}}\nroles: {law: [anna@x.example], methods: [bert, anna@x.example]}\n"
    operator = parse_file(Operator, text, "operator.yaml", OPERATORS_PAGE)
    assert operator.floor.quorum == Quorum(2, {"law": 1})
    assert operator.held == {"anna@x.example": ("law", "methods"), "bert": ("methods",)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("runners: []\n", "runners"),
        ("runners: [bob, Bob]\n", "somebody listed twice"),
        ("runners: ['*']\n", "runners"),
        ("runners: bob\n", "runners"),
        ("floor: {approvals: 0}\n", "floor.approvals"),
        ("targets: {hospital: releases}\n", "a folder from the root"),
        ("targets: {hospital: 's3://key:SECRET@bucket'}\n", "without a password"),
        ("targets: {hospital: 's3://SECRET@bucket'}\n", "without a password"),
        ("targets: {hospital: 'postgresql://ann:SECRET@host/db/open'}\n", "targets.hospital: found a password"),
        ("targets: {hospital: 'postgresql://host/db/open?password=SECRET'}\n", "without a password"),
        ("targets: {hospital: '://'}\n", "targets.hospital"),
        ("targets: {../hospital: /srv}\n", "one plain name"),
        ("floor: 2\n", "floor"),
        ("floor: {approval: 2}\n", "did you mean approvals"),
        ("roles: {law: []}\n", "roles.law"),
        ("roles: {law: [ann, Ann]}\n", "roles.law"),
        ("roles: {Law: [ann]}\n", "roles.Law"),
        ("roles: {law: ['a b']}\n", "roles.law"),
        ("floor: {roles: {law: 1}}\n", "floor.roles.law: found a role that nobody holds"),
        ("floor: {roles: {law: 0}}\nroles: {law: [ann]}\n", "floor.roles.law"),
        ("floor: {roles: {law: 2}}\nroles: {law: [ann]}\n", "cannot fill: 1 more person with the role law needed"),
        ("floor: {roles: {law: 1, methods: 1}}\nroles: {law: [ann], methods: [ann]}\n", "cannot fill"),
        ("floor: {roles: {law: 21}}\nroles: {law: [ann]}\n", "floor.roles.law"),
        ("passkeys: {rp: a.example}\n", "the key 'origins', which is required"),
        ("passkeys: {rp: a.example, origins: ['https://a.example/path']}\n", "without a path"),
        ("passkeys: {rp: a.example, origins: ['http://a.example']}\n", "passkeys.origins"),
        ("passkeys: {rp: 'https://a.example', origins: ['https://a.example']}\n", "passkeys.rp"),
        ("limits: {cells: 0}\n", "limits.cells"),
        ("limits: {bytes: 1e9}\n", "limits.bytes"),
        ("limits: {cell: 10}\n", "did you mean cells"),
        ("policy_signers: 1\n", "policy_signers"),
        ("policy_signer: true\n", "did you mean policy_signers"),
        ("policy_signers: true\npolicy_signers: false\n", "a second time"),
        ("", "empty"),
    ],
)
def test_what_is_not_understood_refuses_the_file_and_names_line_and_key(text: str, said: str) -> None:
    with pytest.raises(PolicyInvalid, match=r"^operator\.yaml") as refused:
        parse_file(Operator, text, "operator.yaml", OPERATORS_PAGE)
    assert said in refused.value.message
    assert "SECRET" not in str(refused.value)
    assert refused.value.code == 2
    assert "docs/guide-operator.md" in refused.value.cure
    assert "policy" not in refused.value.cure


def test_a_file_that_is_no_yaml_is_refused_with_the_operators_page() -> None:
    for text in ("a: [", "- 1", "a: &b 1", "runners: [\u202e]", "# " + "x" * 300_000):
        with pytest.raises(PolicyInvalid) as refused:
            parse_file(Operator, text, "operator.yaml", OPERATORS_PAGE)
        assert "docs/guide-operator.md" in refused.value.cure or len(text) > 250_000
        assert "table" not in refused.value.cure


def test_a_target_may_say_who_connects_and_never_with_which_password() -> None:
    whole = parse_file(Operator, "targets: {hospital: 'postgresql://ann@host/db/open?sslmode=require'}\n", "operator.yaml", OPERATORS_PAGE)
    assert whole.targets == {"hospital": "postgresql://ann@host/db/open?sslmode=require"}

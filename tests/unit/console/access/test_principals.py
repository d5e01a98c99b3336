from __future__ import annotations

import pytest

from console.access.principals import Person, people_now
from headgate.core.errors import HeadgateError
from policies.ledger.states import ActorRole
from tests.unit.console.conftest import House


def person(house: House, name: str) -> Person:
    return people_now(house.home, house.ledger.now()).person(name)


@pytest.mark.parametrize(
    ("name", "roles", "held"),
    [
        ("anna", {ActorRole.APPROVER, ActorRole.CUSTODIAN}, ("data-protection",)),
        ("bert", {ActorRole.APPROVER, ActorRole.CUSTODIAN}, ("methods",)),
        ("steward", {ActorRole.APPROVER, ActorRole.CUSTODIAN, ActorRole.RUNNER}, ()),
        ("operator", {ActorRole.OPERATOR}, ()),
        ("auditor", set(), ()),
        ("nobody", set(), ()),
    ],
)
def test_what_somebody_is_follows_from_the_operators_files(house: House, name: str, roles: set[ActorRole], held: tuple[str, ...]) -> None:
    assert person(house, name) == Person(name, frozenset({ActorRole.READER, *roles}), held)


def test_everybody_whom_the_files_name_is_known(house: House) -> None:
    assert people_now(house.home, house.ledger.now()).everybody == ("anna", "bert", "operator", "steward")


def test_a_list_of_signers_that_others_can_write_makes_nobody_anything(house: House) -> None:
    house.home.signers.chmod(0o666)
    try:
        assert not person(house, "anna").approves
    finally:
        house.home.signers.chmod(0o600)


def test_an_operators_file_that_others_can_write_lets_nobody_in(house: House) -> None:
    file = house.home.root / "operator.yaml"
    file.chmod(0o666)
    try:
        with pytest.raises(HeadgateError):
            person(house, "operator")
    finally:
        file.chmod(0o600)

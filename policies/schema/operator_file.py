"""operator.yaml: what no policy can lower. It lies in the home, beside the list of signers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from policies.schema.notify_key import NotifyKey
from policies.words.fields import KeyPath, Positive, Problem, Problems, Section, StorePath
from policies.words.quorum import Quorum, RequiredRoles, RoleName, in_words

OPERATORS_PAGE = "docs/guide-operator.md describes every key."
PRINCIPAL = r"^[A-Za-z0-9][A-Za-z0-9._@+-]{0,126}$"
Principal = Annotated[str, Field(pattern=PRINCIPAL)]
People = Annotated[tuple[Principal, ...], Field(min_length=1)]


def _address(text: str) -> str:
    """Not where one stands, and no password: whoever reads the file could publish. One that is there is not repeated."""
    scheme, separator, rest = text.partition("://")
    user = rest.partition("/")[0].rpartition("@")[0]
    if ":" in user or "password" in rest.partition("?")[2].casefold() or (user and scheme != "postgresql"):
        raise Problems([Problem((), "a password or a key in an address", "an address without a password: that comes from the environment")])
    if not (text.startswith("/") or (separator and scheme and rest)):
        accepted = "Input should be a folder from the root (/…), s3://bucket/prefix or postgresql://USER@HOST/DATABASE/SCHEMA"
        raise PydanticCustomError("address", accepted)
    return text


class Floor(Section):
    """`approvals`: how many every release needs at least, whatever its policy says. `roles`: how many of them must hold a role."""

    approvals: Positive = 1
    roles: RequiredRoles = {}

    @property
    def quorum(self) -> Quorum:
        return Quorum(self.approvals, self.roles)


class ClockRules(Section):
    """`max_gap_days`: after so many days without an event the operator confirms the clock before anything is written."""

    max_gap_days: Positive = 400


class Limits(Section):
    """How much is read at most: of a policy (`attributes`, and `set_values` of its sets), a table (`bytes`, unpacked, `cells`, and
    `dictionary_bytes` of a column's different texts), a list or a published JSON file (`list_bytes`). What is not said here is as usual."""

    attributes: Positive | None = None
    bytes: Positive | None = None
    cells: Positive | None = None
    dictionary_bytes: Positive | None = None
    list_bytes: Positive | None = None
    set_values: Positive | None = None

    @property
    def said(self) -> dict[str, int]:
        return {name: most for name, most in self if most is not None}


def _recipient(text: str) -> str:
    """Whether it is a key is asked where the backup is made."""
    if not re.fullmatch(r"(ssh-ed25519|ssh-rsa) [A-Za-z0-9+/]+=*( [^\x00-\x1f]*)?|age1[a-z0-9]{58}", text):
        accepted = "Input should be a public key (ssh-ed25519 … or ssh-rsa …) or an age recipient (age1…)"
        raise PydanticCustomError("recipient", accepted)
    return text


HOURS = {"h": 1, "d": 24, "w": 168}


class BackupRules(Section):
    """`every`: how old the newest backup may be, in hours, days or weeks. `recipients`: whose keys open the home's keys in it."""

    every: Annotated[str, Field(pattern=r"^[1-9][0-9]{0,3}[hdw]$")] = "1d"
    recipients: tuple[Annotated[str, AfterValidator(_recipient)], ...] = ()

    @property
    def hours(self) -> int:
        return int(self.every[:-1]) * HOURS[self.every[-1]]


def _origin(text: str) -> str:
    """As a browser writes it: nothing after host and port."""
    if not re.fullmatch(r"https://[a-z0-9.-]+(:[0-9]+)?|http://localhost(:[0-9]+)?", text):
        accepted = "Input should be an origin such as https://release.hospital.example, without a path"
        raise PydanticCustomError("origin", accepted)
    return text


class Passkeys(Section):
    """`rp`: the site that passkeys are made for. `origins`: where people may use them: there, or at sites below it."""

    rp: Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$")]
    origins: Annotated[tuple[Annotated[str, AfterValidator(_origin)], ...], Field(min_length=1)]


class Operator(Section):
    """`runners`: who may run releases; without this key everybody on the list of signers. `operators`: who may resume and abandon what is
    stuck; without this key those who may run. `roles`: who holds each role.
    `targets`: what a policy's publish.to may name, and where each lies; without this key any plain name, in the home's own store.
    `passkeys`: the site whose passkeys count; without this key none do. `limits`: how much is read at most.
    `notify`: who is told of what.
    `policy_signers`: whether a policy may name a signers' file of its own, which lets whoever writes it invent people who agree.
    `backup`: how old the newest backup may be, and whose keys open the home's keys in it."""

    runners: People | None = None
    operators: People | None = None
    floor: Floor = Floor()
    clock: ClockRules = ClockRules()
    limits: Limits = Limits()
    roles: dict[RoleName, People] = {}
    targets: dict[StorePath, Annotated[str, AfterValidator(_address)]] = {}
    passkeys: Passkeys | None = None
    notify: tuple[NotifyKey, ...] = ()
    backup: BackupRules | None = None
    policy_signers: Annotated[bool, Field(strict=True)] = False

    @property
    def held(self) -> dict[str, tuple[str, ...]]:
        """The roles of everybody who holds one."""
        people = sorted({person for holders in self.roles.values() for person in holders})
        return {person: tuple(role for role, holders in sorted(self.roles.items()) if person in holders) for person in people}

    @model_validator(mode="after")
    def _each_once(self) -> Operator:
        lists: dict[KeyPath, People | None] = {
            ("runners",): self.runners,
            ("operators",): self.operators,
            **{("roles", role): held for role, held in self.roles.items()},
        }
        problems = [
            Problem(place, "somebody listed twice", "each person once")
            for place, people in lists.items()
            if people is not None and len({person.casefold() for person in people}) != len(people)
        ]
        problems += self._floor_out_of_reach()
        references = [entry.to for entry in self.notify]
        problems += [
            Problem(("notify", place, "to"), "an address that is listed twice", "each address once, with all its kinds")
            for place, reference in enumerate(references)
            if reference in references[:place]
        ]
        if problems:
            raise Problems(problems)
        return self

    def _floor_out_of_reach(self) -> Iterator[Problem]:
        unheld = [role for role in self.floor.roles if role not in self.roles]
        for role in unheld:
            yield Problem(("floor", "roles", role), "a role that nobody holds", f"a role of `roles`: {role}: [NAME, …]")
        missing = Quorum(0, self.floor.roles).missing(self.held)
        if missing and not unheld:
            found = f"roles that these people cannot fill: {in_words(missing)} needed"
            yield Problem(("floor", "roles"), found, "roles with enough people in `roles`; nobody fills two")

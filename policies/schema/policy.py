"""The policy file, whole: what is released, how, what must hold of it, and who must agree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from headgate.core.columns import Kind, Role
from headgate.core.errors import PolicyInvalid
from policies.schema.about import AboutKey
from policies.schema.anonymization import Anonymize, ProjectionKey, SuppressCells
from policies.schema.attribute import Attribute, ValuesFrom
from policies.schema.coherence import problems_of, set_of
from policies.schema.keep_key import KeepKey
from policies.schema.requirements import ApprovalKey, Gates, PublishKey, ScheduleKey, UtilityKey
from policies.schema.rows_key import RowsKey, Rule
from policies.schema.source_key import Expectations, Source
from policies.words.fields import Problems, Section, Text

Dataset = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")]


class Policy(Section):
    """Immutable and coherent: every name in a policy exists, and has the right role and kind."""

    schema_version: Literal[1] = Field(alias="schema")
    dataset: Dataset
    title: Annotated[str, Field(max_length=200)] = ""
    about: AboutKey = AboutKey()
    draft: Annotated[bool, Field(strict=True)] = False
    source: Source
    expect: Expectations = Expectations()
    rows: RowsKey | None = None
    person: Text | None = None
    attributes: Annotated[dict[str, Attribute], Field(min_length=1)]
    suppress_cells: SuppressCells | None = None
    projection: ProjectionKey = ProjectionKey()
    anonymize: Anonymize
    gates: Gates
    utility: UtilityKey = UtilityKey()
    approval: ApprovalKey = ApprovalKey()
    publish: PublishKey
    schedule: ScheduleKey | None = None
    keep: KeepKey | None = None

    @model_validator(mode="after")
    def _coherent(self) -> Policy:
        problems = problems_of(self)
        if problems:
            raise Problems(problems)
        return self

    def named(self, role: Role) -> tuple[str, ...]:
        """Attributes of one role, in the order of the file."""
        return tuple(name for name, attribute in self.attributes.items() if attribute.role is role)

    @property
    def person_column(self) -> str | None:
        """The identifier by which people are known from version to version; None where the policy names none, or several without saying
        which."""
        identifiers = self.named(Role.IDENTIFIER)
        named = self.person or (None if self.rows is None else self.rows.per)
        return named or (identifiers[0] if len(identifiers) == 1 else None)

    def is_steady(self, name: str) -> bool:
        """Whether people keep the value of a published sensitive column from version to version."""
        attribute = self.attributes.get(set_of(self, name) or name)
        return attribute is not None and attribute.role is Role.SENSITIVE and not attribute.changes

    @property
    def unprotected(self) -> tuple[str, ...]:
        """Attributes that are published in exactly one table, with nothing promised of them."""
        return tuple(name for name, attribute in self.attributes.items() if attribute.role in (Role.INSENSITIVE, Role.WEIGHT))

    @property
    def sets(self) -> tuple[str, ...]:
        return tuple(name for name in self.named(Role.SENSITIVE) if self.attributes[name].kind is Kind.SET)

    @property
    def source_columns(self) -> tuple[str, ...]:
        """Every column the source must have, and may have. An attribute that is made from another one is none of them."""
        return tuple(column for name, attribute in self.attributes.items() for column in attribute.source_columns(name))

    @property
    def counted(self) -> tuple[str, ...]:
        """Attributes that a source need not have: `rows` counts the rows of a person."""
        return () if self.rows is None else tuple(name for name, rule in self.rows.rules.items() if rule is Rule.COUNT)


def files_of(policy: Policy) -> Mapping[tuple[str | int, ...], str]:
    """Key path → path of every file the policy refers to. The source is data, not policy, and is not among them."""
    paths: dict[tuple[str | int, ...], str] = {}
    if policy.expect.suite is not None:
        paths["expect", "suite"] = policy.expect.suite
    for name, attribute in policy.attributes.items():
        if isinstance(attribute.hierarchy, str):
            paths["attributes", name, "hierarchy"] = attribute.hierarchy
        if isinstance(attribute.values, str):
            paths["attributes", name, "values"] = attribute.values
        if isinstance(attribute.values_from, ValuesFrom):
            paths["attributes", name, "values_from", "path"] = attribute.values_from.path
        if attribute.region is not None:
            paths["attributes", name, "region", "path"] = attribute.region.path
    attackers = policy.gates.attackers
    if attackers is not None:
        here = policy.gates.attackers_path
        for place, dictionary in enumerate(attackers.dictionaries):
            if dictionary.file is not None:
                form, path = dictionary.file
                paths[(*here, "dictionaries", place, form)] = path
        if attackers.sensitivity is not None and attackers.sensitivity.people is not None:
            paths[(*here, "sensitivity", "people", "path")] = attackers.sensitivity.people.path
    if policy.approval.signers is not None:
        paths["approval", "signers"] = policy.approval.signers
    return paths


def require_ready(policy: Policy) -> None:
    """A draft can be read, shown and advised on; only a confirmed policy can be released."""
    guessed = [name for name, attribute in policy.attributes.items() if attribute.guess]
    if policy.draft or guessed:
        named = f": {', '.join(guessed[:5])}{' …' if len(guessed) > 5 else ''}" if guessed else ""
        raise PolicyInvalid(
            f"The policy of '{policy.dataset}' is a draft; {len(guessed)} of its attributes are unconfirmed guesses{named}.",
            "Read every attribute's role and kind, correct what is wrong, delete its 'guess: true'; then delete the line 'draft: true'.",
        )

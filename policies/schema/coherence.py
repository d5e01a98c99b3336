"""Rules that hold between the parts of a policy: names exist, roles and kinds fit, tables are complete and disjoint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import TYPE_CHECKING

from headgate.core.columns import BIT, GROUP, Kind, Role
from policies.attackers.dictionary_key import SOURCE, DictionaryKey
from policies.attackers.sensitivity_key import SensitivityKey
from policies.gates.every_gate import GATES
from policies.schema.attribute import Attribute
from policies.words.fields import KeyPath, Problem, choices

if TYPE_CHECKING:
    from policies.schema.policy import Policy


def problems_of(policy: Policy) -> list[Problem]:
    """Every incoherence of a policy whose parts are each well formed."""
    checks = (_roles, _source_columns, _names, _weights, _promises, _given_tables, _attackers, _suppress_cells, _expectations)
    return [problem for check in checks for problem in check(policy)]


def bits_of(name: str, attribute: Attribute) -> tuple[str, ...] | None:
    """The bitmap columns of a set, where the policy lists its values itself."""
    return None if attribute.listed_values is None else tuple(f"{name}{BIT}{value}" for value in attribute.listed_values)


def set_of(policy: Policy, name: str) -> str | None:
    """The sensitive set that a bitmap column's name belongs to; None if it belongs to none."""
    for origin in policy.sets:
        bits = bits_of(origin, policy.attributes[origin])
        if name.startswith(origin + BIT) and (bits is None or name in bits):
            return origin
    return None


def _roles(policy: Policy) -> Iterator[Problem]:
    here: KeyPath = ("attributes",)
    if not policy.named(Role.QUASI):
        yield Problem(here, "no quasi-identifier", "at least one attribute with role: quasi; without one there is nothing to generalize")
    if not policy.named(Role.SENSITIVE):
        yield Problem(
            here, "no sensitive attribute", "at least one attribute with role: sensitive; without one there is nothing to protect"
        )


def _source_columns(policy: Policy) -> Iterator[Problem]:
    """One source column under two roles would publish what another role protects."""
    owner: dict[str, str] = {}
    for name, attribute in policy.attributes.items():
        for column in attribute.source_columns(name):
            if column in owner:
                other = policy.attributes[owner[column]]
                yield Problem(
                    ("attributes", name),
                    f"source column '{column}' as {attribute.role} here and as {other.role} in '{owner[column]}'",
                    "each source column in one attribute",
                )
            owner.setdefault(column, name)


def _names(policy: Policy) -> Iterator[Problem]:
    for name in policy.attributes:
        if not name.strip():
            yield Problem(("attributes", name), "a blank name", "the column's name")
        if GROUP in policy.attributes[name].source_columns(name) and policy.attributes[name].published:
            yield Problem(
                ("attributes", name), "a column named 'group'", "another name: published tables have a column 'group' of their own"
            )
        origin = set_of(policy, name)
        if origin is not None:
            yield Problem(("attributes", name), f"the name of a bitmap column of '{origin}'", "another name")


def _weights(policy: Policy) -> Iterator[Problem]:
    weights = [policy.attributes[name].weight for name in policy.named(Role.SENSITIVE)]
    if weights and all(weight == 0 for weight in weights):
        yield Problem(("attributes",), "weight 0 for every sensitive attribute", "at least one weight above 0")


def _sensitive_name(policy: Policy, path: KeyPath, name: str, kinds: Iterable[Kind] = tuple(Kind)) -> Iterator[Problem]:
    """A name in a promise must be a sensitive attribute (or a bitmap column of one) of a kind that the promise is defined for."""
    sensitive = policy.named(Role.SENSITIVE)
    attribute = policy.attributes.get(name)
    accepted = tuple(kinds)
    fitting = [other for other in sensitive if policy.attributes[other].kind in accepted]
    if attribute is None and set_of(policy, name) is not None and Kind.SET in accepted:
        return
    if attribute is None:
        yield Problem(path, f"'{name}', which is not an attribute", f"a sensitive attribute: {choices(fitting, name) or 'none is fit'}")
    elif attribute.role is not Role.SENSITIVE:
        yield Problem(path, f"'{name}', which is {attribute.role}", f"a sensitive attribute: {choices(fitting) or 'none is fit'}")
    elif attribute.kind not in accepted:
        yield Problem(path, f"'{name}', which is of kind {attribute.kind}", f"a sensitive attribute of kind {choices(accepted)}")


def _promises(policy: Policy) -> Iterator[Problem]:
    for gate in GATES:
        for path, name in gate.attributes(getattr(policy, gate.section)):
            yield from _sensitive_name(policy, path, name, gate.kinds)


def _given_tables(policy: Policy) -> Iterator[Problem]:
    tables = policy.projection.tables
    largest = len(tables) if tables is not None else len(policy.named(Role.SENSITIVE)) if not policy.sets else None
    for name in policy.named(Role.INSENSITIVE):
        number = policy.attributes[name].table
        if number is not None and largest is not None and number > largest:
            yield Problem(("attributes", name, "table"), str(number), f"a table from 1 to {largest}")
    if tables is None:
        return
    placed: set[str] = set()
    for place, table in enumerate(tables):
        for name in table:
            yield from _placed(policy, place, name, placed)
    whole = {name for table in tables for name in table}
    for name in policy.named(Role.SENSITIVE):
        yield from _missing_in_tables(policy, name, placed, whole)


def _placed(policy: Policy, place: int, name: str, placed: set[str]) -> Iterator[Problem]:
    """One name of one given table; it joins those that are `placed`, with all its values where it is a set."""
    here: KeyPath = ("projection", "tables", place)
    yield from _sensitive_name(policy, here, name)
    bits = bits_of(name, policy.attributes[name]) if name in policy.sets else None
    for part in (name, *(bits or ())):
        if part in placed:
            yield Problem(here, f"'{part}' a second time", "each sensitive attribute in one table")
        placed.add(part)


def _missing_in_tables(policy: Policy, name: str, placed: set[str], whole: set[str]) -> Iterator[Problem]:
    """`whole`: the names as they are written."""
    here: KeyPath = ("projection", "tables")
    by_value = name in policy.sets and any(set_of(policy, other) == name for other in whole)
    if name in placed:
        if by_value:
            yield Problem(here, f"'{name}' both whole and by its values", "the set, or all its values")
    elif not by_value:
        yield Problem(here, f"no table for '{name}'", "every sensitive attribute in one table")
    else:
        bits = set(bits_of(name, policy.attributes[name]) or ())
        if bits - placed:
            left_out = f"no table for {len(bits - placed)} of the {len(bits)} values of '{name}'"
            yield Problem(here, left_out, "every value in one table")


def _attackers(policy: Policy) -> Iterator[Problem]:
    attackers = policy.gates.attackers
    if attackers is None:
        return
    here = policy.gates.attackers_path
    for place, dictionary in enumerate(attackers.dictionaries):
        yield from _dictionary(policy, (*here, "dictionaries", place), dictionary)
    if attackers.sensitivity is not None:
        yield from _sensitivity(policy, (*here, "sensitivity"), attackers.sensitivity)


def _dictionary(policy: Policy, here: KeyPath, dictionary: DictionaryKey) -> Iterator[Problem]:
    quasi = policy.named(Role.QUASI)
    for name in dictionary.fields:
        if name not in quasi:
            yield Problem((*here, "on"), f"'{name}', which is not a quasi-identifier", choices(quasi, name))
    for name in dictionary.similar:
        attribute = policy.attributes.get(name)
        if attribute is not None and (attribute.kind is not Kind.CATEGORY or attribute.hierarchy is not None):
            what = "has a hierarchy" if attribute.kind is Kind.CATEGORY else f"is of kind {attribute.kind}"
            yield Problem((*here, "similar", name), f"'{name}', which {what}", "a category without a hierarchy")


def _sensitivity(policy: Policy, here: KeyPath, cost: SensitivityKey) -> Iterator[Problem]:
    published = [name for name, attribute in policy.attributes.items() if attribute.published]
    for name in cost.weighed:
        if name not in published:
            key = "weights" if name in cost.weights else "pairs"
            yield Problem((*here, key), f"'{name}', which is not published", choices(published, name))
    dropped = policy.named(Role.DROPPED)
    if cost.preference is not None and cost.preference not in dropped:
        accepted = f"an attribute with role: dropped{': ' + choices(dropped, cost.preference) if dropped else ''}; it is never published"
        yield Problem((*here, "preference"), f"'{cost.preference}'", accepted)
    identifiers = policy.named(Role.IDENTIFIER)
    if cost.people is not None and cost.people.key not in identifiers:
        accepted = choices(identifiers, cost.people.key) or "an identifier, of which the policy has none"
        yield Problem((*here, "people", "key"), f"'{cost.people.key}', which is not an identifier", accepted)


def _suppress_cells(policy: Policy) -> Iterator[Problem]:
    wanted = policy.suppress_cells
    if wanted is None:
        return
    able = [*policy.named(Role.QUASI), *policy.named(Role.SENSITIVE)]
    among = able if wanted.among is None else wanted.among
    for name in among:
        if name not in able:
            yield Problem(("suppress_cells", "among"), f"'{name}'", f"a quasi-identifier or sensitive attribute: {choices(able, name)}")
    if wanted.keep > len(among):
        yield Problem(("suppress_cells", "keep"), f"{wanted.keep} of {len(among)} attributes", f"at most {len(among)}")
    attackers = policy.gates.attackers
    tables = [dictionary for dictionary in (attackers.dictionaries if attackers is not None else ()) if dictionary.marginals is None]
    names = [SOURCE, *(dictionary.called for dictionary in tables if dictionary.source is None)]
    if wanted.dictionary not in names:
        yield Problem(("suppress_cells", "dictionary"), f"'{wanted.dictionary}'", choices(names, wanted.dictionary))


def _expectations(policy: Policy) -> Iterator[Problem]:
    for name, share in policy.expect.missing.items():
        attribute = policy.attributes.get(name)
        if attribute is None:
            yield Problem(("expect", "missing", name), f"'{name}', which is not an attribute", choices(policy.attributes, name))
        elif attribute.role is Role.IDENTIFIER and share > Decimal(0):
            yield Problem(("expect", "missing", name), f"a share above 0 for the identifier '{name}'", "0: every person has an identifier")

"""Rules that hold between the parts of a policy: names exist, roles and kinds fit, tables are complete and disjoint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import TYPE_CHECKING

from headgate.core.columns import BIT, GROUP, Kind, Role
from policies.attackers.dictionary_key import SOURCE, DictionaryKey
from policies.attackers.sensitivity_key import SensitivityKey
from policies.gates.dissimilarity import NONE
from policies.gates.every_gate import GATES, gate_named
from policies.gates.uniqueness import UNIQUENESS
from policies.schema.attribute import KEYS_OF_ORIGINS, Attribute
from policies.schema.rows_key import problems_of_rows
from policies.words.fields import KeyPath, Problem, choices, decimal_text

if TYPE_CHECKING:
    from policies.schema.policy import Policy


HAD_OR_NOT = "0, as a person has a value of it or has it not: nothing lies between; or none, which promises nothing of it"
NONE_FITS = "no attribute of this policy fits"


def problems_of(policy: Policy) -> list[Problem]:
    """Every incoherence of a policy whose parts are each well formed."""
    checks = (
        _roles,
        _only_one,
        _person,
        _source_columns,
        _origins,
        _names,
        _weights,
        _promises,
        _windows,
        _given_tables,
        _attackers,
        _suppress_cells,
        _expectations,
        problems_of_rows,
    )
    return [problem for check in checks for problem in check(policy)]


def bits_of(name: str, attribute: Attribute) -> tuple[str, ...] | None:
    """The bitmap columns of a set, where the policy lists its values itself."""
    return None if attribute.listed_values is None else tuple(f"{name}{BIT}{value}" for value in attribute.listed_values)


def set_of(policy: Policy, name: str) -> str | None:
    """The sensitive set that a bitmap column's name belongs to; None if it belongs to none. This is asked of every name, and there may be
    thousands of them: sets are looked through only where one can be meant."""
    if BIT not in name:
        return None
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


def _only_one(policy: Policy) -> Iterator[Problem]:
    """A row stands for one number of people and belongs to one household."""
    for role in (Role.WEIGHT, Role.HOUSEHOLD):
        for name in policy.named(role)[1:]:
            accepted = f"one attribute with role: {role}; give this one role: dropped"
            yield Problem(("attributes", name, "role"), f"a second attribute with role: {role}", accepted)
    if policy.gates.individual_risk is not None and not policy.named(Role.WEIGHT):
        accepted = "an attribute with role: weight, which says how many people each row stands for"
        yield Problem(("gates", "individual_risk"), "individual_risk without weights", accepted)


def _person(policy: Policy) -> Iterator[Problem]:
    """Versions are compared person by person."""
    identifiers, series = policy.named(Role.IDENTIFIER), policy.gates.series
    if policy.person is not None and policy.person not in identifiers:
        accepted = choices(identifiers, policy.person) or "an identifier, of which the policy has none"
        yield Problem(("person",), f"'{policy.person}', which is not an identifier", accepted)
    wanted = _why_compared(policy)
    if policy.anonymize.series is not None and policy.person_column is None:
        found = "groups that are kept, and nobody known by an identifier"
        yield Problem(("anonymize", "series"), found, "an identifier, named under person if there are several")
    if wanted and policy.person_column is None:
        here: KeyPath = ("person",) if identifiers else ("gates", "series")
        by = "nothing that says which of the identifiers is a person" if identifiers else "no identifier"
        named = f"person: {choices(identifiers)}" if identifiers else "an attribute with role: identifier"
        yield Problem(here, f"{wanted}, and {by}", f"{named}; or gates.series: {{unmeasured: REASON}}, which approvers read")
    if series is not None and not series.measured and policy.gates.attacks_versions:
        yield Problem(("gates", "attack", "series"), "attack.series, and series.unmeasured without a bound", "one of the two, or a bound")
    if policy.keep is not None and policy.keep.groups is not None and (series is None or series.unmeasured is None):
        found = "groups that are dropped, while later versions are measured with them"
        yield Problem(("keep", "groups"), found, "gates.series: {unmeasured: REASON} as well, which approvers read; or no keep.groups")
    if series is not None and series.risk is not None and policy.anonymize.epsilon is None:
        yield Problem(("gates", "series", "risk"), "series.risk without anonymize.epsilon", "linkability or candidates, or an epsilon")


def _why_compared(policy: Policy) -> str:
    """What asks for versions to be compared; empty where nothing does."""
    series = policy.gates.series
    if policy.gates.attacks_versions:
        return "attack.series"
    if series is not None:
        return "a series gate" if series.measured else ""
    return "a schedule" if policy.schedule else ""


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


def _origins(policy: Policy) -> Iterator[Problem]:
    """What is made from an attribute tells of it, so it is protected like it, or in its place."""
    used = set(policy.rows.order or ()) if policy.rows is not None else set()
    for name, attribute in policy.attributes.items():
        if attribute.origin is None:
            continue
        used.add(attribute.origin)
        path: KeyPath = ("attributes", name, "age" if attribute.age is not None else "region", "from")
        origin = policy.attributes.get(attribute.origin)
        able = [other for other, given in policy.attributes.items() if other != name and _may_be_origin(given, attribute)]
        accepted = choices(able, attribute.origin) or NONE_FITS
        if origin is None:
            yield Problem(path, f"'{attribute.origin}', which is not an attribute", f"an attribute with a role of its own: {accepted}")
        elif not _may_be_origin(origin, attribute) or attribute.origin == name:
            what = "is made from another one" if origin.origin is not None else f"is {origin.role}"
            what = "is of several columns" if origin.columns is not None else what
            yield Problem(
                path, f"'{attribute.origin}', which {what}", f"an attribute that is dropped, or {attribute.role} like this one: {accepted}"
            )
    for name in policy.named(Role.DROPPED):
        for key in KEYS_OF_ORIGINS:
            if name not in used and getattr(policy.attributes[name], key) is not None:
                found = f"'{key}' on an attribute that is never published, nor read for another or for `rows`"
                yield Problem(("attributes", name, key), found, "only role: dropped")


def _may_be_origin(origin: Attribute, made: Attribute) -> bool:
    return origin.role in (Role.DROPPED, made.role) and origin.origin is None and origin.columns is None


def _is_set(attribute: Attribute) -> bool:
    return attribute.role is Role.SENSITIVE and attribute.kind is Kind.SET


def _names(policy: Policy) -> Iterator[Problem]:
    for name in policy.attributes:
        if not name.strip():
            yield Problem(("attributes", name), "a blank name", "the column's name")
        if GROUP in policy.attributes[name].read_columns(name) and policy.attributes[name].published:
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
    attribute = policy.attributes.get(name)
    accepted = tuple(kinds)
    if attribute is not None and attribute.role is Role.SENSITIVE and attribute.kind in accepted:
        return
    fitting = [other for other in policy.named(Role.SENSITIVE) if policy.attributes[other].kind in accepted]
    if attribute is None and set_of(policy, name) is not None and Kind.SET in accepted:
        return
    if attribute is None:
        yield Problem(path, f"'{name}', which is not an attribute", f"a sensitive attribute: {choices(fitting, name) or NONE_FITS}")
    elif attribute.role is not Role.SENSITIVE:
        yield Problem(path, f"'{name}', which is {attribute.role}", f"a sensitive attribute: {choices(fitting) or NONE_FITS}")
    else:
        yield Problem(path, f"'{name}', which is of kind {attribute.kind}", f"a sensitive attribute of kind {choices(accepted)}")


def _promises(policy: Policy) -> Iterator[Problem]:
    for gate in GATES:
        for path, name in gate.attributes(getattr(policy, gate.section)):
            yield from _sensitive_name(policy, path, name, gate.kinds)
    yield from _own_units(policy)


def _own_units(policy: Policy) -> Iterator[Problem]:
    """Where ε is given attribute by attribute, none is left out by mistake."""
    alone, here = policy.anonymize.alone, ("anonymize", "epsilon")
    named = {set_of(policy, name) or name for name in (*alone, *policy.anonymize.each)}
    left = [name for name in policy.named(Role.SENSITIVE) if name not in named] if alone else []
    if left:
        yield Problem(here, f"no ε for {choices(left)}", "every sensitive attribute here or in anonymize.each; none promises nothing of it")
    for name, width in alone.items():
        attribute = policy.attributes.get(name)
        if attribute is not None and attribute.kind is Kind.VECTOR and width != NONE:
            yield Problem((*here, name), f"'{name}', a vector, which has no unit", "anonymize.each, with a share")
        is_set = (attribute is not None and _is_set(attribute)) or set_of(policy, name) is not None
        if is_set and width not in (NONE, 0):
            yield Problem((*here, name), f"{decimal_text(width)} for '{name}', a set", HAD_OR_NOT)
    if alone and all(width == NONE for width in alone.values()):
        yield Problem(here, "none for every attribute", "a width for at least one, or neither epsilon nor delta")
    for path, name in gate_named(UNIQUENESS).attributes(policy.gates):
        if name in policy.attributes and policy.attributes[name].unique is not None:
            yield Problem(path, f"a bound on '{name}', whose attribute says unique: accepted", "one of the two")


def _windows(policy: Policy) -> Iterator[Problem]:
    """Only whole levels can be searched for groups that keep the window reading of (δ, l)."""
    if policy.anonymize.chosen.whole_levels:
        return
    for name, bound in policy.gates.delta_l.items():
        if bound.reading != "definition":
            found, accepted = f"reading: {bound.reading} with method {policy.anonymize.method}", "only with method full-domain"
            yield Problem(("gates", "delta_l", name, "reading"), found, accepted)


def _given_tables(policy: Policy) -> Iterator[Problem]:
    tables = policy.projection.tables
    largest = len(tables) if tables is not None else len(policy.named(Role.SENSITIVE)) if not policy.sets else None
    for name in policy.unprotected:
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
    attribute = policy.attributes.get(name)
    bits = bits_of(name, attribute) if attribute is not None and _is_set(attribute) else None
    for part in (name, *(bits or ())):
        if part in placed:
            yield Problem(here, f"'{part}' a second time", "each sensitive attribute in one table")
        placed.add(part)


def _missing_in_tables(policy: Policy, name: str, placed: set[str], whole: set[str]) -> Iterator[Problem]:
    """`whole`: the names as they are written."""
    here: KeyPath = ("projection", "tables")
    by_value = _is_set(policy.attributes[name]) and any(set_of(policy, other) == name for other in whole)
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

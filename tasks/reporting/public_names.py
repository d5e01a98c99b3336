"""The names that columns and dictionaries have in MLflow: their own, or a number where the name would tell a value or cannot be taken."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from headgate.core.errors import Defect
from policies.gates.every_gate import GATES
from policies.gates.gate import Per
from policies.sealed.promise import Promise
from tasks.reporting.measured_tables import MeasuredRelease

PLAIN_NAME = re.compile(r"(?!(column|quasi-identifier|insensitive column|dictionary) \d)[\w.\- /]{1,200}")
PER_DICTIONARY = frozenset(figure.name for gate in GATES for figure in gate.figures if figure.per is Per.DICTIONARY)


def plain_name(name: str) -> bool:
    """Whether MLflow may receive this name unchanged. It accepts letters, digits and a few signs, and nothing that looks like a path: a
    register at ../registers/people.csv is called by its number."""
    return PLAIN_NAME.fullmatch(name) is not None and posixpath.normpath(f"figure/{name}") == f"figure/{name}"


class PublicNames:
    """A bitmap column is called after a value, so it goes by its number in the plan."""

    def __init__(
        self,
        columns: Iterable[str],
        quasi: Iterable[str],
        dictionaries: Iterable[str],
        bits: Iterable[str],
        insensitive: Iterable[str] = (),
    ) -> None:
        self._numbers = {name: number for number, name in enumerate(columns)}
        self._others = {name: f"insensitive column {number}" for number, name in enumerate(insensitive)}
        self._others |= {name: f"quasi-identifier {number}" for number, name in enumerate(quasi)}
        self._dictionaries = {name: number for number, name in enumerate(dict.fromkeys(dictionaries))}
        longest_first = sorted(bits, key=len, reverse=True)
        self._bits = frozenset(longest_first)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    @classmethod
    def of_release(cls, release: MeasuredRelease) -> PublicNames:
        promise, plan = release.promise, release.plan
        if promise is None:
            if plan is not None or release.tables:
                cure = "Pass the promise, which says which columns are bits of a set."
                raise Defect("A release with tables is tracked without its promise.", cure)
            return cls((), (), (), ())
        columns = (attribute.name for attribute in promise.sensitive) if plan is None else plan.columns
        bits = (attribute.name for attribute in promise.sensitive if attribute.origin is not None)
        quasi = (identifier.name for identifier in promise.quasi)
        return cls(columns, quasi, _dictionaries(release, promise), bits, promise.insensitive)

    def of(self, name: str) -> str:
        if not name:
            return ""
        if name not in self._bits and plain_name(name):
            return name
        if name in self._numbers:
            return f"column {self._numbers[name]}"
        return self._others.get(name, "a column")

    def below(self, attribute: str | None, dictionary: str | None) -> str:
        """What follows the name of a figure that is about an attribute or a dictionary."""
        if attribute:
            return f"/{self.of(attribute)}"
        if not dictionary:
            return ""
        return f"/{dictionary if plain_name(dictionary) else f'dictionary {self._dictionaries[dictionary]}'}"

    def in_text(self, text: str) -> str:
        """The same for a sentence that may name columns."""
        return text if self._pattern is None else self._pattern.sub(lambda name: self.of(name.group()), text)

    def number(self, name: str) -> int:
        return self._numbers[name]


def _dictionaries(release: MeasuredRelease, promise: Promise) -> Iterator[str]:
    """As they were measured, then as they were promised: those that could not be measured are numbered too."""
    for table in release.tables:
        yield from (measured.of for measured in table.figures.measured if measured.figure in PER_DICTIONARY)
    yield from (requirement.dictionary for requirement in promise.requirements if requirement.dictionary is not None)

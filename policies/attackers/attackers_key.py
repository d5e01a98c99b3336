"""Who may hold what, and what it costs if they find somebody: what the policy says of attackers, for every gate that reckons with them."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from policies.attackers.dictionary_key import SOURCE, DictionaryKey
from policies.attackers.sensitivity_key import SensitivityKey
from policies.words.fields import Section

PRIOR = "prior"  # the name of all dictionaries together, weighed by how likely the attacker holds each


class AttackersKey(Section):
    """Without dictionaries the attacker knows every input row's quasi-identifiers (θ = T). Without a sensitivity every record costs 1, so
    that ℓ is 1/|ρ|."""

    dictionaries: tuple[DictionaryKey, ...] = ()
    sensitivity: SensitivityKey | None = None

    def unfit_names(self) -> Iterator[tuple[str, str]]:
        names = [dictionary.called for dictionary in self.dictionaries]
        if len(set(names)) != len(names):
            yield "two dictionaries with the same name", "each file once, or a 'name' for each"
        if PRIOR in names:
            yield f"a dictionary called '{PRIOR}'", "another name"
        if any(dictionary.called == SOURCE and not dictionary.source for dictionary in self.dictionaries):
            yield f"a dictionary called '{SOURCE}' that is not the source", "another name"

    @property
    def all_dictionaries(self) -> tuple[DictionaryKey, ...]:
        """Without any the attacker holds the source itself (θ = T)."""
        return self.dictionaries or (DictionaryKey(source=True),)

    @property
    def above(self) -> Decimal | None:
        """The loss above which records are counted, where the gate counts them."""
        return None

    @property
    def by_prior(self) -> bool:
        return any(dictionary.prior is not None for dictionary in self.dictionaries)

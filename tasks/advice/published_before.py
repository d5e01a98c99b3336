"""The versions of a dataset that advice compares with: those that the home knows, if whoever asks may read it. Nothing is made or changed
there, and without them advice simulates."""

from __future__ import annotations

import os
from dataclasses import dataclass

from headgate.core.errors import HeadgateError
from headgate.series.kept_version import KeptVersion, Pseudonyms
from policies.schema.policy import Policy
from tasks.ledger.history import read_history
from tasks.ledger.open_ledger import found_ledger
from tasks.reading.ingest import Ingested
from tasks.runtime.home import Home
from tasks.series.known_versions import known_versions
from tasks.series.pseudonyms import pseudonyms_of


@dataclass(frozen=True, eq=False)
class PublishedBefore:
    """`people`: the pseudonym of each row of the source; `versions`, oldest first, have some of them."""

    people: Pseudonyms
    versions: tuple[KeptVersion, ...]


def published_before(policy: Policy, ingested: Ingested) -> PublishedBefore | None:
    """None where there are none, or where they cannot be read: a release says what is wrong with its home."""
    try:
        home = Home.read()
        if not os.access(home.series / policy.dataset, os.R_OK | os.X_OK):
            return None
        came_out = read_history(found_ledger(home)).came_out(policy.dataset)
        known = known_versions(home, policy.dataset, came_out, accepted=True)
        people = pseudonyms_of(home, policy, ingested.identifiers) if known else None
    except (HeadgateError, OSError):
        return None
    versions = tuple(each.version for each in known if people is not None and (each.version.places_of(people) >= 0).any())
    return PublishedBefore(people, versions) if people is not None and versions else None

"""Compiles the hot loops once, so that no first release has to wait for it: `python -m tasks.warm`, part of `make setup`.

The compiled code is kept beside its source. It is made by anonymizing and measuring a little of the shipped data, so that no loop that a
release needs is forgotten.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from headgate.check import check_classes
from headgate.projection.bitmap import bitmap_table
from headgate.published import publish_form
from headgate.utility.queries import count_query_error
from policies.anonymization import Anonymize
from policies.checkplan import TableCheck
from policies.measure import attackers_of
from policies.shipped import shipped_policy
from policies.specs import promise_of
from tasks.dictionaries import encode_dictionaries
from tasks.ingest import ingest
from tasks.references import load_policy

ROWS = 600


def warm() -> None:
    loaded = load_policy(Path(str(shipped_policy("hospital-patients"))))
    ingested = ingest(loaded)
    table = bitmap_table(ingested.table, ingested.specs).take(np.arange(ROWS))
    promise = promise_of(loaded.policy, table)
    attackers = attackers_of(loaded.policy, table, encode_dictionaries(loaded.references.dictionaries, table))
    names = ("family_history", "job", "income", "education")
    for variant in ("blocks", "faithful"):
        settings = Anonymize.model_validate({**loaded.policy.anonymize.model_dump(), "variant": variant})
        check = TableCheck(table, promise, settings, loaded.policy.gates.disclosure, attackers, b"warm")
        found = check.checked(names).partition
    published = publish_form(table, found.groups, "warm", names)
    count_query_error(table, published, 3, 2, 0.1, 20, 1)
    quasi = {column.name: column.codes for column in table.select(table.quasi)}
    for measured in (names, ("income",)):
        check_classes(table.select(measured), published.classes(), quasi, "0.1", "0.5", 1000)


if __name__ == "__main__":
    warm()

"""Where a policy lies and what it reads: two people's copies of one file may read different data."""

from __future__ import annotations

import os

from policies.attackers.dictionary_key import SqlKey
from policies.schema.source_key import SqlSource
from tasks.reading.references import LoadedPolicy
from tasks.reading.source_sql import without_password


def whereabouts(loaded: LoadedPolicy) -> str:
    """The policy's real path, to which all paths in it are relative, and the databases that it names, as this process would find them."""
    attackers = loaded.policy.gates.attackers
    queries = [loaded.policy.source, *(key.sql for key in (attackers.dictionaries if attackers else ()))]
    databases = sorted({without_password(query.url_env) for query in queries if isinstance(query, SqlSource | SqlKey)})
    return "\n".join([os.path.realpath(loaded.path), *databases])

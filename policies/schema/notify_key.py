"""The `notify` key of operator.yaml: who is told of what. It names where an address is kept, never the address: that holds a password."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from policies.words.fields import Problem, Problems, Section
from policies.words.notice_kind import NoticeKind

REFERENCE = re.compile(r"env:[A-Za-z_][A-Za-z0-9_]{0,126}|file:/[^\x00-\x1f]{1,1000}")
Dataset = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")]


def _reference(text: str) -> str:
    """What is there instead may be a password: it is not repeated."""
    if not REFERENCE.fullmatch(text):
        accepted = "env:NAME or file:/PATH: the environment variable or the file that holds the Apprise URL"
        raise Problems([Problem((), "something that is not a reference", accepted)])
    return text


Reference = Annotated[str, AfterValidator(_reference)]


class NotifyKey(Section):
    """`to`: where the Apprise URL is kept. Without `kinds` it gets every kind, without `datasets` all of them."""

    to: Reference
    kinds: Annotated[frozenset[NoticeKind], Field(min_length=1)] = frozenset(NoticeKind)
    datasets: Annotated[frozenset[Dataset], Field(min_length=1)] | None = None

    def wants(self, kind: NoticeKind, dataset: str) -> bool:
        """What is about no dataset, such as a broken ledger, is about all."""
        return kind in self.kinds and (self.datasets is None or not dataset or dataset in self.datasets)

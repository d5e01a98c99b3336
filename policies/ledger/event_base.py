"""What all events share: of which release, and when."""

from __future__ import annotations

import datetime
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field

from policies.words.frozen import Frozen

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0)]


def _utc(text: str) -> str:
    if moment(text).utcoffset() != datetime.timedelta(0):
        raise ValueError("a moment in UTC is needed")
    return text


def moment(text: str) -> datetime.datetime:
    """A moment as events write it: ISO 8601 with its offset."""
    read = datetime.datetime.fromisoformat(text)
    if read.tzinfo is None:
        raise ValueError("a moment with its offset is needed")
    return read


Moment = Annotated[str, AfterValidator(_utc)]


class EventBase(Frozen):
    """`after`: the events that must have happened before in the same release. `repeats`: may happen more than once."""

    after: ClassVar[frozenset[str]] = frozenset({"run_started"})
    repeats: ClassVar[bool] = False

    release_id: Annotated[str, Field(min_length=1)]
    at: Moment

    @property
    def subject(self) -> str:
        """What else than its release an event of this type is looked up by."""
        return ""

"""What happens in a home and to no release: who was let in to its console, who took its events along, and who
had them checked. No data values."""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field

from policies.ledger.event_base import Count, EventBase

HOME: Final = "home"  # under what they are chained


class HomeEvent(EventBase):
    """Of the home as a whole, and of no release: it changes no state, and any may follow any other."""

    after: ClassVar[frozenset[str]] = frozenset()
    repeats: ClassVar[bool] = True
    release_id: Literal["home"] = HOME


class AccessEvent(HomeEvent):
    """About somebody's account in the console."""

    person: Annotated[str, Field(min_length=1)]

    @property
    def subject(self) -> str:
        return self.person


class PersonInvited(AccessEvent):
    """A link was made that lets this person in, who had no account."""

    event: Literal["invited"] = "invited"
    invited_by: str


class PersonJoined(AccessEvent):
    """Somebody opened the link, and is this person here from now on."""

    event: Literal["joined"] = "joined"
    invited_by: str


class AccessReset(AccessEvent):
    """The account's password, sessions and `passkeys` (fingerprints) ended, and a link was made that lets this person in anew."""

    event: Literal["access_reset"] = "access_reset"
    invited_by: str
    passkeys: tuple[str, ...] = ()


class AccessClosed(AccessEvent):
    event: Literal["access_closed"] = "access_closed"
    closed_by: str
    passkeys: tuple[str, ...] = ()


class EventsExported(HomeEvent):
    """Somebody took events along, up to number `up_to`. `filtered`: some of them."""

    event: Literal["exported"] = "exported"
    reader: str
    up_to: Count
    filtered: bool = False


class LedgerChecked(HomeEvent):
    """In the console, somebody had every event up to `up_to`, whose hash is `head`, and all that was kept and published compared with
    them. `faults`: how many were found."""

    event: Literal["checked"] = "checked"
    checked_by: str
    up_to: Count
    head: Annotated[str, Field(pattern=r"^([0-9a-f]{64})?$")]
    releases: Count
    versions: Count
    faults: Count


OfHome = PersonInvited | PersonJoined | AccessReset | AccessClosed | EventsExported | LedgerChecked

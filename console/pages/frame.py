"""What all pages share: who asks, what they ask about, and the frame in which it is shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any

from fastapi import Depends, Request
from jinja2 import Environment
from starlette.responses import HTMLResponse, RedirectResponse

from console.access.accounts import Accounts
from console.access.admission import Admission, Ended, ended_access
from console.access.allowance import Allowance
from console.access.challenges import Challenges
from console.access.followers import Followers
from console.access.looks import Looks
from console.access.principals import People, Person, people_now
from console.access.provider import Provider
from console.access.round_trip import RoundTrips
from console.access.sessions import Sessions
from console.access.sign_in_attempts import Attempts
from console.console_settings import Settings
from console.refusals_said import without_terminal
from console.sealed_pages import SealedPages
from console.static_content import static_path
from headgate.core.errors import HeadgateError
from tasks.ledger.event_log import Ledger
from tasks.ledger.followed_ledger import FollowedHistory, FollowedLedger
from tasks.reporting.candidate_page.may_it_go_out import must_sign
from tasks.reporting.language import PACKAGE, language, message, preferred
from tasks.reporting.page import page_environment
from tasks.runtime.home import Home
from tasks.stores.checked_before import CheckedBefore
from tasks.verification.audit_trail import AuditTrail
from tasks.verification.chain_check import ChainCheck

COOKIE = "__Host-headgate"
# Everything else asks who is there before a page is asked.
PUBLIC = frozenset({"/sign-in", "/sign-in/provider", "/sign-in/provider/back", "/join/{token}", "/static/{version}/{name}"})


OWN = re.compile(r"/(candidates/[0-9a-f]{64}|datasets/[a-z0-9][a-z0-9-]{0,62}|account)?")


@dataclass(frozen=True)
class NavigationEntry:
    title: str
    path: str
    for_whom: Callable[[Person], bool] = lambda person: True


NAVIGATION = [
    NavigationEntry(message("Releases"), "/"),
    NavigationEntry(message("Runs"), "/runs"),
    NavigationEntry(message("Audit trail"), "/audit"),
    NavigationEntry(message("People"), "/people", lambda person: person.operates),
    NavigationEntry(message("Your account"), "/account"),
]


@dataclass
class Reading:
    """How far the ledger was read when the console started. `total` is 0 until it is known."""

    total: int = 0
    read: int = 0
    done: bool = True

    def require_done(self) -> None:
        if not self.done:
            raise StillReading


class StillReading(Exception):
    """The console has just started, and is not through with the ledger."""


@dataclass(frozen=True)
class Console:
    """All that pages may use."""

    settings: Settings
    home: Home
    ledger: Ledger
    followed: FollowedLedger
    accounts: Accounts
    sessions: Sessions
    attempts: Attempts
    looks: Looks
    pages: SealedPages
    provider: Provider | None
    trips: RoundTrips
    reading: Reading
    trail: AuditTrail
    check: ChainCheck
    challenges: Challenges = field(default_factory=Challenges)
    followers: Followers = field(default_factory=Followers)
    allowance: Allowance = field(default_factory=Allowance)
    checked: CheckedBefore = field(default_factory=CheckedBefore)

    def history(self) -> FollowedHistory:
        """The ledger at this moment, read as far as it goes."""
        self.reading.require_done()
        return self.followed.history()

    @property
    def admission(self) -> Admission:
        return Admission(self.home, self.ledger, self.accounts)

    def to_tell(self, principal: str) -> tuple[tuple[int, Ended], ...]:
        """That others ended this person's access, by number of the event, until they say that they know. A page that says that the ledger
        cannot be read does not need it."""
        if not self.reading.done:
            return ()
        try:
            ended = ended_access(self.history(), principal)
        except HeadgateError:
            return ()
        told = self.accounts.told(principal) if ended else 0
        return tuple((seq, event) for seq, event in ended if seq > told)

    def people(self) -> People:
        return people_now(self.home, self.accounts.store.clock())


class NotSignedIn(Exception):
    """Nobody is known by the cookie that was sent, or none was."""


class NotAllowed(Exception):
    """The page is for others."""


class NotFound(Exception):
    """There is no such thing, or it is not to be seen."""


def here(request: Request) -> Console:
    console: Console = request.app.state.console
    return console


Here = Annotated[Console, Depends(here)]


def known_person(request: Request) -> None:
    """Asked before every route."""
    request.state.person = None
    console, token = here(request), request.cookies.get(COOKIE, "")
    principal = console.sessions.principal(token) if token else None
    if principal is not None:
        request.state.person = console.people().person(principal)
    elif request.scope["route"].path not in PUBLIC:
        raise NotSignedIn


def signed_in(request: Request) -> Person:
    person: Person | None = request.state.person
    if person is None:
        raise NotSignedIn
    return person


SignedIn = Annotated[Person, Depends(signed_in)]


def page(request: Request, template: str, status: int = 200, **content: Any) -> HTMLResponse:
    """In the reader's language."""
    person = getattr(request.state, "person", None)
    shown = (
        spoken(request)
        .get_template(template)
        .render(
            person=person,
            path=request.url.path,
            access_ended=here(request).to_tell(person.principal) if person else (),
            navigation=[entry for entry in NAVIGATION if entry.for_whom(person)] if person else (),
            static=static_path,
            inside=lambda text: inside_home(here(request), text),
            **content,
        )
    )
    return HTMLResponse(shown, status)


def inside_home(console: Console, text: str) -> str:
    """What commands say of files, without where the home lies: that is nobody's business in a browser."""
    root = str(console.home.root)
    return text.replace(f"{root}/", "").replace(root, "the home")


def spoken(request: Request) -> Environment:
    return _environment(code_of(request))


def code_of(request: Request) -> str:
    """The reader's language."""
    return preferred(request.headers.get("accept-language", ""))


@cache
def _environment(code: str) -> Environment:
    environment = page_environment(code, "console")
    said = language(code, PACKAGE, "console")

    def moment_text(moment: datetime | str) -> str:
        moment = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
        shown = moment if moment.tzinfo is not None and str(moment.tzinfo) != "UTC" else moment.astimezone(UTC)
        return f"{said.day(f'{shown:%Y-%m-%d}')} {shown:%H:%M} {'UTC' if str(shown.tzinfo) == 'UTC' else shown.tzinfo}"

    environment.filters["moment"] = moment_text
    environment.filters["without_terminal"] = without_terminal
    environment.filters["must_sign"] = lambda missing, in_all=False: must_sign(missing, said, in_all)
    return environment


def see(path: str) -> RedirectResponse:
    """The answer to a form: look there. The path is a page's own, never what somebody sent."""
    return RedirectResponse(path, 303)


def own_path(wanted: str) -> str:
    """A page that somebody wanted to see before they signed in; the first one where it is not a page of the console."""
    return wanted if len(wanted) < 200 and OWN.fullmatch(wanted) else "/"

"""What all pages share: who asks, what they ask about, and the frame in which it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Annotated, Any

from fastapi import Depends, Request
from jinja2 import ChoiceLoader, Environment, FunctionLoader, StrictUndefined
from starlette.responses import HTMLResponse, RedirectResponse

from console.access.accounts import Accounts
from console.access.attempts import Attempts
from console.access.people import People, Person, people_now
from console.access.sessions import Sessions
from console.settings import Settings
from tasks.ledger.event_log import Ledger
from tasks.runtime.home import Home

COOKIE = "__Host-headgate"
# Everything else asks who is there before a page is asked.
PUBLIC = frozenset({"/sign-in", "/join/{token}", "/static/{version}/{name}"})


@dataclass(frozen=True)
class NavigationEntry:
    title: str
    path: str


NAVIGATION = [NavigationEntry("Releases", "/"), NavigationEntry("Your account", "/account")]


@dataclass(frozen=True)
class Console:
    """All that pages may use."""

    settings: Settings
    home: Home
    ledger: Ledger
    accounts: Accounts
    sessions: Sessions
    attempts: Attempts

    def people(self) -> People:
        return people_now(self.home, self.accounts.store.clock())


class NotSignedIn(Exception):
    """Nobody is known by the cookie that was sent, or none was."""


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
    person = getattr(request.state, "person", None)
    shown = (
        _environment()
        .get_template(template)
        .render(person=person, path=request.url.path, navigation=NAVIGATION if person else (), static=static_path, **content)
    )
    return HTMLResponse(shown, status)


def see(path: str) -> RedirectResponse:
    """The answer to a form: look there. The path is a page's own, never what somebody sent."""
    return RedirectResponse(path, 303)


def static_path(name: str) -> str:
    from console.pages.static_files import version_of

    return f"/static/{version_of(name)}/{name}"


@cache
def _environment() -> Environment:
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        loader=ChoiceLoader([FunctionLoader(_text_in("console")), FunctionLoader(_text_in("tasks.reporting"))]),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["_"] = lambda text: text
    return environment


def _text_in(package: str) -> Any:
    def source(name: str) -> str | None:
        text = resources.files(package).joinpath("templates", name)
        return text.read_text(encoding="utf-8") if text.is_file() else None

    return source

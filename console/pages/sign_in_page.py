"""Signing in and out, and joining by a one-time link."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from console.access.accounts import COMMAND, FIRST, Invitation
from console.access.passwords import why_unfit
from console.pages.frame import COOKIE, Console, Here, NotFound, NotSignedIn, SignedIn, own_path, page, see
from tasks.reporting.language import message

WRONG = message("Name or password is wrong, or there were too many attempts. After several, wait 15 minutes.")
router = APIRouter()
Text = Annotated[str, Form(max_length=300)]


@router.get("/sign-in")
def ask_to_sign_in(request: Request, console: Here, then: str = "/") -> Response:
    return page(request, "sign_in.html.j2", problem="", name="", then=own_path(then), provider=_provider(console))


@router.post("/sign-in")
def sign_in(request: Request, console: Here, name: Text, password: Text, then: Text = "/") -> Response:
    address = request.client.host if request.client else ""
    kept = console.accounts.check(name, password) if console.attempts.allowed(name, address) else ""
    if not kept:
        return page(request, "sign_in.html.j2", status=403, problem=WRONG, name=name, then=own_path(then), provider=_provider(console))
    console.attempts.forget(name)
    return enter(request, console, name, own_path(then), kept)


@router.post("/sign-out")
def sign_out(request: Request, console: Here, person: SignedIn, everywhere: Annotated[bool, Form()] = False) -> Response:
    if everywhere:
        console.sessions.end_all(person.principal)
    else:
        console.sessions.end(request.cookies[COOKIE])
    answer = see("/sign-in")
    answer.delete_cookie(COOKIE, path="/", secure=True, httponly=True, samesite="strict")
    return answer


@router.get("/join/{token}")
def ask_to_join(request: Request, console: Here, token: str) -> Response:
    return _ask_to_join(request, console, token, _invitation(console, token))


@router.post("/join/{token}")
def join(request: Request, console: Here, token: str, name: Text, password: Text, again: Text) -> Response:
    invitation = _invitation(console, token)
    problem = message("The two passwords differ.") if password != again else why_unfit(password, name)
    if name not in choices_of(console, invitation.principal):
        problem = message("Choose a name from the list.")
    if problem:
        return _ask_to_join(request, console, token, invitation, problem, 400)
    if not console.admission.join(token, name, password):
        raise NotFound
    return enter(request, console, name)


def _ask_to_join(request: Request, console: Console, token: str, invitation: Invitation, problem: str = "", status: int = 200) -> Response:
    choices = choices_of(console, invitation.principal)
    return page(request, "join.html.j2", status=status, problem=problem, token=token, choices=choices, provider=_provider(console))


def _invitation(console: Console, token: str) -> Invitation:
    invitation = invitation_now(console, token)
    if invitation is None:
        raise NotFound
    return invitation


def invitation_now(console: Console, token: str) -> Invitation | None:
    """While whoever made it may still let people in."""
    invitation = console.accounts.invitation(token)
    return invitation if invitation is not None and invitation.invited_by in (FIRST, COMMAND, *console.people().operators) else None


def _provider(console: Console) -> str:
    return "" if console.provider is None else console.provider.settings.title


def choices_of(console: Console, principal: str) -> tuple[str, ...]:
    """The first of all names themselves: an operator."""
    return (principal,) if principal else console.people().operators


def enter(request: Request, console: Console, principal: str, path: str = "/", password: str | None = None) -> Response:
    answer = see(path)
    known_in(request, console, principal, answer, password)
    return answer


def known_in(request: Request, console: Console, principal: str, answer: Response, password: str | None = None) -> None:
    """A new session, whatever the browser had before. NotSignedIn where the account was closed meanwhile, or got another password."""
    before, token = request.cookies.get(COOKIE), console.sessions.begin(principal, password)
    if not token:
        raise NotSignedIn
    if before:
        console.sessions.end(before)
    answer.set_cookie(COOKIE, token, path="/", secure=True, httponly=True, samesite="strict")

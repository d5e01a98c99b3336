"""Signing in and out, and joining by a one-time link."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from console.access.passwords import why_unfit
from console.pages.frame import COOKIE, Console, Here, NotFound, SignedIn, own_path, page, see
from tasks.reporting.language import message

WRONG = message("Name or password is wrong, or there were too many attempts. After several, wait 15 minutes.")
router = APIRouter()
Text = Annotated[str, Form(max_length=300)]


@router.get("/sign-in")
def ask_to_sign_in(request: Request, then: str = "/") -> Response:
    return page(request, "sign_in.html.j2", problem="", name="", then=own_path(then))


@router.post("/sign-in")
def sign_in(request: Request, console: Here, name: Text, password: Text, then: Text = "/") -> Response:
    address = request.client.host if request.client else ""
    if not console.attempts.allowed(name, address) or not console.accounts.check(name, password):
        return page(request, "sign_in.html.j2", status=403, problem=WRONG, name=name, then=own_path(then))
    console.attempts.forget(name)
    return enter(request, console, name, own_path(then))


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
    invitation = console.accounts.invitation(token)
    if invitation is None:
        raise NotFound
    return page(request, "join.html.j2", problem="", token=token, invitation=invitation, choices=_choices(console, invitation.principal))


@router.post("/join/{token}")
def join(request: Request, console: Here, token: str, name: Text, password: Text, again: Text) -> Response:
    invitation = console.accounts.invitation(token)
    if invitation is None:
        raise NotFound
    choices = _choices(console, invitation.principal)
    problem = message("The two passwords differ.") if password != again else why_unfit(password, name)
    if name not in choices:
        problem = message("Choose a name from the list.")
    if problem:
        return page(request, "join.html.j2", status=400, problem=problem, token=token, invitation=invitation, choices=choices)
    if not console.accounts.join(token, name, password):
        raise NotFound
    return enter(request, console, name)


def _choices(console: Console, principal: str) -> tuple[str, ...]:
    """The first of all names themselves: an operator."""
    return (principal,) if principal else console.people().operators


def enter(request: Request, console: Console, principal: str, path: str = "/") -> Response:
    """A new session, whatever the browser had before."""
    before = request.cookies.get(COOKIE)
    if before:
        console.sessions.end(before)
    answer = see(path)
    answer.set_cookie(COOKIE, console.sessions.begin(principal), path="/", secure=True, httponly=True, samesite="strict")
    return answer

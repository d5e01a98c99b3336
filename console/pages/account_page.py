"""Who somebody is here, and what they may do."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from console.access.admission import access_of
from console.access.passwords import why_unfit
from console.pages.frame import Console, Here, SignedIn, page, see
from console.pages.sign_in_page import Text, enter
from tasks.reporting.language import message

router = APIRouter()


@router.get("/account")
def account(request: Request, console: Here, person: SignedIn) -> Response:
    return _shown(request, console, person.principal, "")


@router.post("/account/access")
def know(console: Here, person: SignedIn, seq: Annotated[int, Form(ge=1, le=2**62)]) -> Response:
    """They know that their access was ended by others, up to that event."""
    console.accounts.tell(person.principal, seq)
    return see("/account")


@router.post("/account/password")
def change_password(request: Request, console: Here, person: SignedIn, password: Text, new: Text, again: Text) -> Response:
    """All other sessions end with it."""
    address = request.client.host if request.client else ""
    problem = message("The two passwords differ.") if new != again else why_unfit(new, person.principal)
    if not problem and not (console.attempts.allowed(person.principal, address) and console.accounts.check(person.principal, password)):
        problem = message("The present password is wrong, or there were too many attempts. After several, wait 15 minutes.")
    if problem:
        return _shown(request, console, person.principal, problem, 400)
    console.accounts.set_password(person.principal, new)
    console.sessions.end_all(person.principal)
    return enter(request, console, person.principal, "/account")


def _shown(request: Request, console: Console, principal: str, problem: str, status: int = 200) -> Response:
    """Sessions can be ended and passwords changed at once, while the ledger is still read."""
    return page(
        request,
        "account.html.j2",
        status=status,
        sessions=console.sessions.open(principal),
        problem=problem,
        ways_in=console.accounts.ways_in(principal),
        access=access_of(console.history(), principal) if console.reading.done else (),
    )

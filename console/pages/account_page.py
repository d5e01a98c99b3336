"""Who somebody is here, and what they may do."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from console.pages.frame import Here, SignedIn, page

router = APIRouter()


@router.get("/account")
def account(request: Request, console: Here, person: SignedIn) -> Response:
    return page(request, "account.html.j2", sessions=console.sessions.open(person.principal))

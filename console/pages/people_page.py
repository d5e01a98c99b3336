"""Who has an account, and letting somebody in: for those whom operator.yaml names as operators."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from console.access.principals import Person
from console.pages.frame import Console, Here, NotAllowed, SignedIn, page, see
from policies.schema.operator_file import PRINCIPAL
from tasks.reporting.language import message

router = APIRouter()
Name = Annotated[str, Form(max_length=127)]


@router.get("/people")
def people(request: Request, console: Here, person: SignedIn) -> Response:
    _require_operator(person)
    return _shown(request, console)


@router.post("/people")
def invite(request: Request, console: Here, person: SignedIn, name: Name) -> Response:
    """The link is shown once, and to nobody else: whoever has it becomes that person here."""
    _require_operator(person)
    if not re.fullmatch(PRINCIPAL, name):
        return _shown(request, console, problem=message("A name has letters, digits and . _ @ + -, as in the list of signers."), status=400)
    if console.accounts.has(name):
        return _shown(
            request, console, problem=message("This person has an account already. Reset their access, if they lost it."), status=409
        )
    console.allowance.take(person.principal, "access")
    return _with_link(request, console, name, console.admission.invite(name, person.principal))


@router.post("/people/reset")
def reset(request: Request, console: Here, person: SignedIn, name: Name) -> Response:
    """All that let this person in ends now, and they are told who did it."""
    _require_operator(person)
    if not console.accounts.has(name):
        return _shown(request, console, problem=message("This person has no account. Invite them."), status=409)
    console.allowance.take(person.principal, "access")
    return _with_link(request, console, name, console.admission.reset(name, person.principal))


@router.post("/people/close")
def close(request: Request, console: Here, person: SignedIn, name: Name) -> Response:
    _require_operator(person)
    console.allowance.take(person.principal, "access")
    console.admission.close(name, person.principal)
    return see("/people")


def _require_operator(person: Person) -> None:
    if not person.operates:
        raise NotAllowed


def _with_link(request: Request, console: Console, name: str, token: str) -> Response:
    return _shown(request, console, invited=name, link=f"{console.settings.origin}/join/{token}")


def _shown(request: Request, console: Console, status: int = 200, **content: str) -> Response:
    listed, names = console.people(), console.accounts.names()
    everybody = [(listed.person(name), name in names) for name in sorted({*listed.everybody, *names})]
    return page(request, "people.html.j2", status=status, **{"everybody": everybody, "problem": "", "invited": "", "link": "", **content})

"""Leaving for the provider, and coming back."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from console.access.round_trip import Trip
from console.pages.frame import Console, Here, NotFound, own_path, page, see
from console.pages.sign_in_page import choices_of, invitation_now, known_in

TRIP_COOKIE = "__Secure-headgate-provider"
BACK = "/sign-in/provider/back"
Word = Annotated[str, Query(max_length=2000)]
router = APIRouter()


@router.get("/sign-in/provider")
def leave(request: Request, console: Here, join: Word = "", name: Word = "", then: Word = "/") -> Response:
    """A link and no form, whose policy would not let it lead elsewhere. No browser sends the first cookie with the way back, so that there
    is a second."""
    if console.provider is None:
        raise NotFound
    if request.headers.get("sec-fetch-site") in ("cross-site", "same-site"):
        return see("/sign-in")  # no other site begins it for somebody, least of all with a link that lets them in as another
    address, begun = console.provider.begin()
    answer = RedirectResponse(address, 303)
    kept = console.trips.cookie(Trip(begun, join, name, own_path(then)))
    seconds = int(console.trips.longest.total_seconds())
    answer.set_cookie(TRIP_COOKIE, kept, max_age=seconds, path=BACK, secure=True, httponly=True, samesite="lax")
    return answer


@router.get(BACK)
def come_back(request: Request, console: Here, state: Word = "", code: Word = "", iss: Word = "") -> Response:
    """Nothing that the provider or the address says is shown. The page leads on, since this one was asked for from elsewhere."""
    trip = console.trips.back(request.cookies.get(TRIP_COOKIE, ""))
    if console.provider is None or trip is None or not code:
        return _forget(page(request, "not_known.html.j2", status=403))
    subject = console.provider.finish(trip.begun, state, code, iss)
    principal = _principal(console, trip, subject)
    if principal is None:
        return _forget(page(request, "not_known.html.j2", status=403))
    answer = page(request, "lead_on.html.j2", to=own_path(trip.then))
    known_in(request, console, principal, answer)
    return _forget(answer)


def _principal(console: Console, trip: Trip, subject: str) -> str | None:
    """Whose account it is; of somebody who was invited, from now on."""
    assert console.provider is not None
    issuer = console.provider.settings.issuer
    if not trip.join:
        return console.accounts.of_subject(issuer, subject)
    invitation = invitation_now(console, trip.join)
    if invitation is None or trip.name not in choices_of(console, invitation.principal):
        return None
    return trip.name if console.admission.join(trip.join, trip.name, issuer=issuer, subject=subject) else None


def _forget(answer: Response) -> Response:
    answer.delete_cookie(TRIP_COOKIE, path=BACK, secure=True, httponly=True, samesite="lax")
    return answer

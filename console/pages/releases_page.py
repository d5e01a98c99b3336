"""Every dataset's series of releases, and what waits for whom."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from console.pages.frame import Here, SignedIn, page
from tasks.approval.release_calendar import release_calendar
from tasks.ledger.history import read_whole

router = APIRouter()


@router.get("/")
def releases(request: Request, console: Here, person: SignedIn) -> Response:
    history = read_whole(console.ledger)
    calendar = release_calendar(console.home, history, history.releases())
    return page(request, "releases.html.j2", calendar=calendar, releases=history.releases())

"""The application, put together."""

from __future__ import annotations

import logging

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from console.access.account_store import AccountStore
from console.access.accounts import Accounts
from console.access.allowance import TooOften
from console.access.looks import Looks
from console.access.passwords import Passwords
from console.access.provider import Provider
from console.access.round_trip import RoundTrips
from console.access.sessions import Sessions
from console.access.sign_in_attempts import Attempts
from console.console_settings import Settings
from console.guard.request_rules import RequestRules
from console.pages import (
    account_page,
    audit_page,
    candidate_page,
    chain_page,
    decide_page,
    passkeys_page,
    people_page,
    provider_page,
    releases_page,
    runs_page,
    schema_page,
    sign_in_page,
    static_files,
    thread_page,
)
from console.pages.frame import (
    COOKIE,
    Console,
    NotAllowed,
    NotFound,
    NotSignedIn,
    Reading,
    StillReading,
    inside_home,
    known_person,
    own_path,
    page,
    see,
)
from console.pages.provider_page import BACK
from console.refusals_said import without_terminal
from console.sealed_pages import SealedPages
from headgate.core.errors import HeadgateError
from tasks.ledger.event_log import Ledger
from tasks.ledger.followed_ledger import FollowedLedger
from tasks.reporting.language import message
from tasks.runtime.boundary import outward_form
from tasks.verification.audit_trail import AuditTrail
from tasks.verification.chain_check import ChainCheck

STATUS = {2: 400, 3: 409, 4: 403, 5: 500, 6: 503}  # by the exit code that a command would have
PAGES = (
    sign_in_page,
    provider_page,
    releases_page,
    candidate_page,
    decide_page,
    thread_page,
    passkeys_page,
    runs_page,
    chain_page,
    audit_page,
    account_page,
    people_page,
    schema_page,
    static_files,
)


def create_app(settings: Settings, ledger: Ledger) -> FastAPI:
    """`ledger`: that of the home, as one appends to it without a private key."""
    app = FastAPI(
        title="headgate console",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        dependencies=[Depends(known_person)],
    )
    store = AccountStore.open(settings.home.root)
    app.state.console = Console(
        settings,
        settings.home,
        ledger,
        FollowedLedger(ledger),
        Accounts(store, Passwords(settings.password_cost), settings.invited),
        Sessions(store, settings.idle, settings.longest),
        Attempts(),
        Looks(),
        SealedPages(),
        None if settings.provider is None else Provider(settings.provider, settings.origin + BACK),
        RoundTrips(),
        Reading(),
        AuditTrail(settings.home, ledger),
        ChainCheck(settings.home, ledger),
    )
    for each in PAGES:
        app.include_router(each.router)
    app.add_middleware(
        RequestRules,
        origin=settings.origin,
        hosts=settings.hosts,
        largest_body=settings.largest_body,
        told=_defect,
        proxies=settings.proxies,
    )
    _answer_errors(app)
    return app


def _answer_errors(app: FastAPI) -> None:
    app.add_exception_handler(NotFound, _missing)
    app.add_exception_handler(NotAllowed, _not_allowed)
    app.add_exception_handler(HTTPException, _impossible)
    app.add_exception_handler(HeadgateError, _refused)
    app.add_exception_handler(RequestValidationError, _incomplete)
    app.add_exception_handler(NotSignedIn, _to_sign_in)
    app.add_exception_handler(StillReading, _still_reading)
    app.add_exception_handler(TooOften, _too_often)


def _problem(request: Request, status: int, title: str, said: str, cure: str = "") -> Response:
    return page(request, "problem.html.j2", status=status, title=title, said=said, cure=cure)


def _missing(request: Request, problem: Exception) -> Response:
    said = message("It may have been moved, or the link counted once and was used already.")
    return _problem(request, 404, message("There is no such page"), said, message("Look for it in the list of releases."))


def _not_allowed(request: Request, problem: Exception) -> Response:
    said = message("operator.yaml in the home says whose it is.")
    return _problem(request, 403, message("This page is for others"), said, message("Ask the operator, who writes that file."))


def _impossible(request: Request, problem: Exception) -> Response:
    status = problem.status_code if isinstance(problem, HTTPException) else 400
    if status == 404:
        return _missing(request, problem)
    return _problem(request, status, message("This is not possible here"), message("The page does not take such a request."))


def _refused(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HeadgateError)
    cure = without_terminal(problem.cure) if problem.code in (2, 4) else problem.cure  # what is broken is the operator's to mend
    told, cure = (inside_home(request.app.state.console, text) for text in (problem.message, cure))
    return _problem(request, STATUS.get(problem.code, 500), message("This was not done"), told, cure)


def _incomplete(request: Request, problem: Exception) -> Response:
    said = message("A field is missing, or what is in it is too long.")
    return _problem(request, 400, message("The form is not complete"), said, message("Go back and fill it in."))


def _still_reading(request: Request, problem: Exception) -> Response:
    answer = page(request, "still_reading.html.j2", status=503, reading=request.app.state.console.reading)
    answer.headers["Retry-After"] = "3"
    return answer


def _too_often(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, TooOften)
    store = request.app.state.console.accounts.store
    answer = page(request, "too_often.html.j2", status=429, most=problem.most, until=problem.until)
    answer.headers["Retry-After"] = str(max(1, int((problem.until - store.clock()).total_seconds())))
    return answer


def _defect(request: Request, problem: Exception) -> Response:
    """Its class and place are told to the operator; the page tells nothing of it."""
    told = outward_form(problem, "console")
    logging.getLogger("headgate.console").error("%s", told)
    said = message("This is a defect of headgate. Nothing was changed by it that the audit trail does not show.")
    return _problem(request, 500, message("Something went wrong"), said, message("Tell the operator when it happened."))


def _to_sign_in(request: Request, problem: Exception) -> Response:
    """Whoever follows a link from elsewhere is not known at first, since no browser sends the cookie with that: a page of this console
    leads them on."""
    wanted = own_path(request.url.path)
    if request.method == "GET" and request.headers.get("sec-fetch-site") == "cross-site" and COOKIE not in request.cookies:
        return page(request, "lead_on.html.j2", to=wanted)
    return see("/sign-in" if wanted == "/" or request.method != "GET" else f"/sign-in?then={wanted}")

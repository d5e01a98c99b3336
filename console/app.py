"""The application, put together."""

from __future__ import annotations

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from console.access.account_store import AccountStore
from console.access.accounts import Accounts
from console.access.attempts import Attempts
from console.access.passwords import Passwords
from console.access.sessions import Sessions
from console.guard.request_rules import RequestRules, TooLarge
from console.pages import account_page, releases_page, sign_in_page, static_files
from console.pages.frame import Console, NotFound, NotSignedIn, known_person, page, see
from console.settings import Settings
from headgate.core.errors import HeadgateError
from tasks.ledger.event_log import Ledger
from tasks.ledger.open_ledger import read_ledger

ROUTERS = (sign_in_page.router, releases_page.router, account_page.router, static_files.router)


def create_app(settings: Settings, ledger: Ledger | None = None) -> FastAPI:
    """`ledger`: that of the home, unless another is given."""
    app = FastAPI(title="headgate console", docs_url=None, redoc_url=None, openapi_url=None, dependencies=[Depends(known_person)])
    store = AccountStore.open(settings.home.root)
    app.state.console = Console(
        settings,
        settings.home,
        ledger or read_ledger(settings.home),
        Accounts(store, Passwords(settings.password_cost), settings.invited),
        Sessions(store, settings.idle, settings.longest),
        Attempts(),
    )
    for router in ROUTERS:
        app.include_router(router)
    app.add_middleware(RequestRules, origin=settings.origin, hosts=settings.hosts, largest_body=settings.largest_body)
    _answer_errors(app)
    return app


def _answer_errors(app: FastAPI) -> None:
    def told(status: int, title: str, said: str, cure: str = "") -> object:
        def answer(request: Request, problem: Exception) -> Response:
            return page(request, "problem.html.j2", status=status, title=title, said=said, cure=cure)

        return answer

    def refused(request: Request, problem: Exception) -> Response:
        assert isinstance(problem, HeadgateError)
        status = {2: 400, 3: 409, 4: 403, 5: 500, 6: 503}.get(problem.code, 500)
        return page(request, "problem.html.j2", status=status, title="This was not done", said=problem.message, cure=problem.cure)

    def http(request: Request, problem: Exception) -> Response:
        assert isinstance(problem, HTTPException)
        if problem.status_code == 404:
            return missing(request, problem)  # type: ignore[operator, no-any-return]
        return page(request, "problem.html.j2", status=problem.status_code, title="This is not possible", said=str(problem.detail), cure="")

    missing = told(404, "There is no such page", "It may have been moved, or the link was used already.", "Go to the list of releases.")
    app.add_exception_handler(NotFound, missing)  # type: ignore[arg-type]
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(HeadgateError, refused)
    app.add_exception_handler(
        RequestValidationError,
        told(400, "The form is not complete", "A field is missing, or what is in it is too long.", "Go back and fill it in."),  # type: ignore[arg-type]
    )
    app.add_exception_handler(TooLarge, told(413, "Too much was sent", "", "Send less."))  # type: ignore[arg-type]
    app.add_exception_handler(NotSignedIn, lambda request, problem: see("/sign-in"))

"""`headgate doctor`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from flows.terminal.options import Json

if TYPE_CHECKING:
    from tasks.checks.finding import Finding
    from tasks.runtime.home import Home
    from tasks.service.socket_place import Place

STYLES = {"ok": "", "warning": "yellow", "failure": "bold red"}

ConfirmClock = Annotated[
    bool, typer.Option("--confirm-clock", help="Confirm that the clock is right, after a jump or a long gap.", show_default=False)
]
AcceptLedger = Annotated[
    bool,
    typer.Option(
        "--accept-ledger", help="After a loss: accept the ledger as it is now, unless something else contradicts it.", show_default=False
    ),
]


def doctor(confirm_clock: ConfirmClock = False, accept_ledger: AcceptLedger = False, json: Json = False) -> None:
    """Check everything that a home needs, say how to cure what is wrong, and confirm what only the operator can.

    Exit code: 0 if all is well, 3 with warnings, 6 if a check failed, 5 if something was changed that must not change."""
    from flows.terminal.output import print_json
    from flows.views.shapes import place_document
    from tasks.checks.every_check import findings
    from tasks.checks.finding import Situation, summary
    from tasks.ledger.open_ledger import read_ledger
    from tasks.runtime.home import Home
    from tasks.service.socket_place import look_at, socket_path
    from tasks.verification import check_up

    home, path = Home.open(), socket_path()
    place = None if path is None else look_at(path)
    ledger = read_ledger(home)
    if accept_ledger:
        check_up.accept_ledger(home, ledger)
    if confirm_clock:
        check_up.confirm_clock(ledger)
    found = check_up.check_up(home, ledger)
    checks = findings(Situation(home, ledger))
    document = {
        "home": str(home.root),
        "events": found.events,
        "last_event": found.last_event or None,
        "now": found.present.isoformat(timespec="seconds"),
        "clock": found.clock or None,
        "ledger": found.ledger or None,
        "signers": found.signers or None,
        "series": found.series or None,
        "socket": None if place is None else place_document(place),
        "checks": [{"name": each.name, "status": str(each.status), "message": each.message, "cure": each.cure or None} for each in checks],
    }
    problem = None if confirm_clock or accept_ledger else summary(checks)
    if problem is not None:
        problem.document = document
    if json and problem is None:
        print_json(document)
    elif not json:
        _show(place, checks, home)
    if problem is not None:
        raise problem


def _show(place: Place | None, checks: Sequence[Finding], home: Home) -> None:
    from flows.terminal.output import plain, results, tell
    from tasks.signing.home_keys import home_fingerprint

    out = results()
    tell(out, plain(f"home    {home.root}"))
    if place is not None:
        tell(out, plain(f"socket  {place.path}. {_said(place)} Those who ask there know this home as {home_fingerprint(home.keys)}."))
    out.print()
    for each in checks:
        tell(out, plain(f"{each.status:<8} {each.name:<9} {each.message}"), style=STYLES[each.status])
        if each.cure:
            tell(out, plain(f"{'':<8} {'':<9} Cure: {each.cure}"))


def _said(place: Place) -> str:
    from tasks.service.socket_place import MODE

    if place.mode is None:
        return "Nothing is there: `headgate serve` makes it."
    mode = f"mode {place.mode:04o}{'' if place.mode == MODE else f', which should be {MODE:04o}'}"
    served = "`headgate serve` answers there." if place.listened else "Nobody answers there: start `headgate serve`."
    return f"Group {place.group}, {mode}. {served}"

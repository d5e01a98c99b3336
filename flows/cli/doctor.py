"""`headgate doctor`."""

from __future__ import annotations

from typing import Annotated

import typer

from flows.terminal.options import Json

ConfirmClock = Annotated[
    bool, typer.Option("--confirm-clock", help="Confirm that the clock is right, after a jump or a long gap.", show_default=False)
]
AcceptLedger = Annotated[
    bool,
    typer.Option(
        "--accept-ledger", help="After a loss: let the ledger count as it is, if nothing else contradicts it.", show_default=False
    ),
]


def doctor(confirm_clock: ConfirmClock = False, accept_ledger: AcceptLedger = False, json: Json = False) -> None:
    """Say how the ledger and the clock stand, and confirm what only the operator can."""
    from flows.terminal.output import plain, print_json, results, tell
    from tasks.ledger.open_ledger import read_ledger
    from tasks.runtime.home import Home
    from tasks.runtime.wording import counted
    from tasks.verification import check_up

    home = Home.open()
    ledger = read_ledger(home)
    if accept_ledger:
        check_up.accept_ledger(home, ledger)
    if confirm_clock:
        check_up.confirm_clock(ledger)
    found = check_up.check_up(ledger)
    if json:
        print_json(
            {
                "home": str(home.root),
                "events": found.events,
                "last_event": found.last_event or None,
                "now": found.present.isoformat(timespec="seconds"),
                "clock": found.clock or None,
                "ledger": found.ledger or None,
            }
        )
        return
    out = results()
    last = f", the last at {found.last_event}" if found.last_event else ""
    tell(out, plain(f"home    {home.root}"))
    tell(out, plain(f"ledger  {counted(found.events, 'event')}{last}. {found.ledger or 'It is the one this home has seen.'}"))
    tell(out, plain(f"clock   {found.present.isoformat(timespec='seconds')}. {found.clock or 'It is believed.'}"))

"""`headgate notify`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.terminal.options import Json

if TYPE_CHECKING:
    from policies.schema.operator_file import Operator
    from tasks.ledger.event_log import Ledger
    from tasks.notification.outbox import Waiting
    from tasks.runtime.home import Home

DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be sent, and send nothing.", show_default=False)]
Verify = Annotated[bool, typer.Option("--verify", help="Audit the whole ledger and every version first, as `headgate audit verify` does.")]


def notify(dry_run: DryRun = False, verify: Verify = False, json: Json = False) -> None:
    """Tell the people whom operator.yaml names (`notify`) what has happened since the last time; `headgate serve` does so by itself."""
    from headgate.core.errors import InputRejected, IntegrityBroken
    from tasks.ledger.open_ledger import found_ledger
    from tasks.runtime.home import Home
    from tasks.runtime.operator_settings import operator_in

    home = Home.open()
    operator = operator_in(home.root)
    if not operator.notify:
        raise InputRejected("operator.yaml names nobody to notify.", "Add `notify: [{to: env:NAME}]` to it: docs/guide-operator.md.")
    ledger = found_ledger(home)
    if dry_run:
        _show(home, ledger, operator, json)
        return
    if _told(home, ledger, operator, verify, json):
        raise IntegrityBroken("The ledger or a published version does not verify.", "Run `headgate audit verify`.")


def _told(home: Home, ledger: Ledger, operator: Operator, verify: bool, json: bool) -> bool:
    """Whether something is broken."""
    from flows.terminal.output import plain, print_json, results, tell
    from headgate.core.errors import StoreUnavailable
    from headgate.core.units import counted
    from tasks.approval.console_address import console_address
    from tasks.notification.apprise_delivery import AppriseDelivery
    from tasks.notification.derive_notices import derive_notices, note_integrity
    from tasks.notification.outbox import Outbox
    from tasks.notification.send_notices import send_due
    from tasks.notification.waiting_notices import waiting_notices

    outbox = Outbox.of(home)
    derived = derive_notices(ledger, operator.notify, outbox)
    broken = derived.broken
    away: StoreUnavailable | None = None
    if verify:
        try:
            broken = _fails_audit(home, ledger)
            note_integrity(operator.notify, outbox, broken, audit=True)
        except StoreUnavailable as problem:  # people are told of the rest first
            away = problem
    done = send_due(home, operator, outbox, AppriseDelivery(), console_address(home))
    if away is not None:
        raise away
    waiting = waiting_notices(home)
    if json:
        document = {"sent": done.sent, "busy": done.busy, "clock": derived.clock or None, "waiting": [vars(each) for each in waiting]}
        if not broken:
            print_json(document)
        return broken
    out = results()
    tell(out, "Another process is sending." if done.busy else f"{counted(done.sent, 'message')} sent.")
    if derived.clock:
        tell(out, plain(f"Deadlines were not checked. {derived.clock}"))
    for each in waiting:
        if each.waiting or each.given_up:
            tell(out, plain(_sentence(each)))
    return broken


def _sentence(waiting: Waiting) -> str:
    from headgate.core.units import counted

    why = f" {waiting.why}" if waiting.why else ""
    since = f", the oldest since {waiting.since}" if waiting.since else ""
    later = f" It is tried again after {waiting.after[:19].replace('T', ' ')} UTC." if waiting.waiting and waiting.why else ""
    gone = f" {counted(waiting.given_up, 'message')} given up." if waiting.given_up else ""
    return f"{waiting.address}: {counted(waiting.waiting, 'message')} waiting{since}.{why}{later}{gone}"


def _fails_audit(home: Home, ledger: Ledger) -> bool:
    from headgate.core.errors import IntegrityBroken
    from tasks.verification.audit import verify_audit

    try:
        verify_audit(home, ledger)
    except IntegrityBroken:
        return True
    return False


def _show(home: Home, ledger: Ledger, operator: Operator, json: bool) -> None:
    """As it would be, on a copy of the outbox."""
    import tempfile
    from pathlib import Path

    from flows.terminal.output import plain_lines, print_json, results, tell
    from tasks.approval.console_address import console_address
    from tasks.notification.derive_notices import derive_notices
    from tasks.notification.notice_words import message_of
    from tasks.notification.outbox import Outbox

    outbox = Outbox.of(home)
    shown: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="headgate-notify-") as folder:
        copy = outbox.copied_to(Path(folder)) if outbox.begun else Outbox(Path(folder) / "outbox.db")
        derive_notices(ledger, operator.notify, copy)
        with copy.reading() as stored:
            for delivery in stored.all_waiting():
                message, notice = message_of(delivery.notice, console_address(home)), delivery.notice
                about = {
                    "notice": notice.id,
                    "kind": str(notice.kind),
                    "dataset": notice.dataset or None,
                    "release": notice.release or None,
                }
                shown.append({"to": delivery.address, **about, "title": message.title, "text": message.text})
    if json:
        print_json({"would_send": shown})
        return
    out = results()
    if not shown:
        tell(out, "Nothing would be sent.")
    for each in shown:
        tell(out, f"To {each['to']}: {each['title']}", style="bold")
        tell(out, plain_lines(each["text"]))

"""The command `attack`: what came of each attack on a finished candidate, beside guessing from the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.policy_files import resolve_policy
from flows.terminal import console, in_words, plain, print_json, results, tell
from headgate.attacks.success import percent
from tasks.runtime.home import Home

if TYPE_CHECKING:
    from tasks.attacks.attempts import Attempt
    from tasks.release.attack_tables import Attacked

WIDTH = 160  # columns, where nobody says how wide the page is


def run_attacks(name: str, policy: Path | None, source: Path | None, people: int | None, as_json: bool) -> None:
    from flows.shapes import attacks_document
    from tasks.ledger.open_ledger import open_ledger
    from tasks.release.attack_tables import attack_candidate

    home = Home.open()
    console().print("The source is read again, and the tables are attacked.", style="dim", soft_wrap=True)
    found = attack_candidate(home, open_ledger(home), name, None if policy is None else resolve_policy(policy), source, people)
    if as_json:
        print_json(attacks_document(found))
        return
    _show(found)


def _show(found: Attacked) -> None:
    from rich.text import Text

    out, manifest = results(), found.candidate.manifest
    head = f": {found.people:,} of the {manifest.rows:,} people in the source are attacked; {in_words(found.release.state)}."
    tell(out, Text.assemble((plain(manifest.dataset), "bold"), head))
    if manifest.suppressed:
        tell(out, f"{manifest.suppressed:,} of them are in no table. Nobody knows who they are: they are attacked like the others.")
    out.print()
    if not out.is_terminal:
        out.width = WIDTH
    out.print(_table(found))
    out.print()
    for attempt in found.attempts:
        name = f"{attempt.where}: " if attempt.success is None else f"{attempt.where}, {attempt.attack.lower()}: "
        tell(out, plain(name + attempt.remark))
    out.print()
    tell(out, _meaning(found.attempts))


def _table(found: Attacked) -> Any:
    from rich.table import Table

    shown = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("attack", "table", "guess", "right", "share", "overall", "gain", "sensitive"):
        words = heading in ("attack", "table", "guess")
        shown.add_column(heading, justify="left" if words else "right", no_wrap=not words, overflow="fold")
    for attempt in found.attempts:
        done = attempt.success
        if done is not None:
            shares = (_share(done.share, done.interval), _share(done.share_overall, done.interval_overall))
            gains = (_signed(done.gain), "" if done.sensitive is None else _signed(done.harm))
            shown.add_row(attempt.attack, attempt.where, plain(done.guess), f"{done.right:,.0f} of {done.people:,}", *shares, *gains)
    return shown


def _share(share: float, interval: tuple[float, float]) -> str:
    return f"{percent(share)} % ({percent(interval[0])}–{percent(interval[1])})"


def _signed(gain: float) -> str:
    return f"{'−' if gain < 0 else '+'}{percent(abs(gain))} %"


def _meaning(attempts: Sequence[Attempt]) -> str:
    """What an approver should take from it."""
    done = [(attempt, attempt.success) for attempt in attempts if attempt.success is not None]
    if not done:
        return "Nothing could be guessed of a single person."
    said = (
        "Overall is what anybody can guess from the whole table (of who somebody is: naming anybody); the gain is what the groups add, "
        "and beside it what they add in sensitive values alone. "
    )
    best, success = max(done, key=lambda one: one[1].harm)
    if success.harm <= 0:
        return f"{said}No attack gains anything of the latter."
    chance = "" if success.harm_shown else ", no more than chance explains"
    what = "people" if success.sensitive is None else "people's sensitive values"
    return f"{said}Most is gained by {best.attack.lower()} on {best.where}: {percent(success.harm)} % of the {what}{chance}."

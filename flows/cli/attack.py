"""`headgate attack CANDIDATE`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.terminal.options import Json, SealedId

if TYPE_CHECKING:
    from tasks.attacks.attack_candidate import AttackedCandidate
    from tasks.attacks.attempts import Attempt

MEANING = (
    "'overall' is the success rate without the groups: what anybody can guess from the whole table (when guessing who somebody is: naming "
    "anybody). 'gain' is what the groups add; 'sensitive' is what they add for sensitive values only. "
)


def attack(
    candidate: SealedId,
    policy: Annotated[Path | None, typer.Option("--policy", help="The candidate's policy, if the file has moved.")] = None,
    source: Annotated[Path | None, typer.Option("--source", help="The candidate's source, if the file has moved.")] = None,
    people: Annotated[
        int | None, typer.Option("--people", help="How many people to attack in each table (default: all, at most 100,000).")
    ] = None,
    json: Json = False,
) -> None:
    """Simulate attacks on a finished candidate and report how often they succeed."""
    from flows.policy_files import resolve_policy
    from flows.terminal.output import console, print_json, tell_unrecorded
    from flows.views.shapes import attacks_document
    from tasks.attacks.attack_candidate import attack_candidate
    from tasks.ledger.open_ledger import home_to_look_at

    there = home_to_look_at()
    tell_unrecorded(there.unrecorded)
    console().print("Reading the source again and attacking the tables.", style="dim", soft_wrap=True)
    path = None if policy is None else resolve_policy(policy)
    attacked = attack_candidate(there.home, there.ledger, candidate, path, source, people, there.unrecorded)
    if json:
        print_json(attacks_document(attacked))
        return
    _show(attacked)


def _show(attacked: AttackedCandidate) -> None:
    from rich.text import Text

    from flows.terminal.fitted_table import print_table
    from flows.terminal.output import plain, results, tell
    from flows.views.shown_figures import in_words

    out, manifest = results(), attacked.candidate.manifest
    head = f": {attacked.people:,} of the {manifest.rows:,} people in the source are attacked; {in_words(attacked.release.state)}."
    tell(out, Text.assemble((plain(manifest.dataset), "bold"), head))
    if manifest.suppressed:
        tell(out, f"{manifest.suppressed:,} of them were suppressed; since nobody can tell which, they are attacked too.")
    out.print()
    print_table(out, _table(attacked))
    out.print()
    for attempt in attacked.attempts:
        name = f"{attempt.where}: " if attempt.success is None else f"{attempt.where}, {attempt.attack.lower()}: "
        tell(out, plain(name + attempt.remark))
    out.print()
    tell(out, _meaning(attacked.attempts))


def _table(attacked: AttackedCandidate) -> Any:
    from flows.terminal.output import plain
    from flows.views.shown_figures import plain_table

    words, figures = ("attack", "table", "guess"), ("right", "share", "overall", "gain", "sensitive")
    shown = plain_table((*words, *figures), words, unbroken=figures)
    for attempt in attacked.attempts:
        done = attempt.success
        if done is not None:
            shares = (_share(done.share, done.interval), _share(done.share_overall, done.interval_overall))
            gains = (_signed(done.gain), "" if done.sensitive is None else _signed(done.harm))
            shown.add_row(attempt.attack, attempt.where, plain(done.guess), f"{done.right:,.0f} of {done.people:,}", *shares, *gains)
    return shown


def _share(share: float, interval: tuple[float, float]) -> str:
    from headgate.attacks.success import percent

    return f"{percent(share)} % ({percent(interval[0])}–{percent(interval[1])})"


def _signed(gain: float) -> str:
    from headgate.attacks.success import percent

    return f"{'−' if gain < 0 else '+'}{percent(abs(gain))} %"


def _meaning(attempts: Sequence[Attempt]) -> str:
    """What an approver should take from it."""
    from policies.gates.figures import worst_attack
    from tasks.attacks.attempts import gains_of

    worst = worst_attack(gains_of(attempts))
    return f"{MEANING}\n{worst}" if worst else "These tables give an attacker nothing to guess."

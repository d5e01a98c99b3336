"""The commands that look for settings: `advise`, and `explore`, which logs what it tries to MLflow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.policy_files import resolve_policy
from flows.progress import settings_progress
from flows.terminal import figure, figures_table, named_attributes, plain, print_json, results, tell
from headgate.core.errors import InputRejected

if TYPE_CHECKING:
    from headgate.advice.result import Setting, TableAdvice
    from tasks.advice.advice_suggestions import Suggestion
    from tasks.advice.explore import Explored
    from tasks.advice.policy_advice import Advice

MOST_VALUES = 5  # shown of a table
MOST_LOWER = 2  # δ below the largest, shown of a setting: the rest is in `--json`
WIDTH = 100  # columns, where nobody says how wide the page is


def advise_policy(policy: Path, max_loss: str | None, min_delta: str | None, report: Path | None, as_json: bool) -> None:
    from tasks.advice.policy_advice import advise_on
    from tasks.reporting.check_report import require_place, write_page

    if report is not None:
        require_place(report)  # before the work, not after it
    with settings_progress() as told:
        advice = advise_on(resolve_policy(policy), max_loss, min_delta, told)
    if report is not None:
        from tasks.advice.advice_report import render_advice

        write_page(report, render_advice(advice))
    if as_json:
        print_json(advice.to_json())
        return
    _show_advice(advice)
    if report is not None:
        results().print(f"\nreport {report}", soft_wrap=True)


def _show_advice(advice: Advice) -> None:
    from rich.text import Text

    out = results()
    asked = "" if advice.epsilon is None else f", ε {advice.epsilon}, δ {advice.delta}"
    verdict = "these tables keep the policy" if advice.passes else "the policy is refused as it stands"
    tell(out, Text.assemble((plain(advice.dataset), "bold"), f": k {advice.k}{asked}: {verdict}."))
    if advice.reason:
        tell(out, plain(advice.reason))
    for number, table in enumerate(advice.tables, 1):
        tell(out, Text.assemble((f"\ntable-{number}", "bold"), f": {named_attributes(table.sensitive)}"))
        _show_map(table)
        _show_binding(table)
    for suggestion in advice.suggestions:
        _show_suggestion(suggestion)


def _show_map(table: TableAdvice) -> None:
    out = results()
    shown = figures_table("k", "ε", "guaranteed", "reached", "possible", "linked", "loss", "queries", "loss at a smaller δ")
    for epsilons, settings in _alike(table.settings):
        for one in settings:
            best = one.best
            figures = [_delta(value) for value in (one.guaranteed, one.reached, one.possible)]
            tried = None if best is None else best.tried
            figures += ["–"] * 3 if tried is None else [_short(tried.linkability), _short(tried.loss), _percent(tried.query_error)]
            mark = "*" if tried is not None and tried.refused else ""
            sampled = f" ({_delta(one.in_sample)})" if one.in_sample is not None else ""
            lower = [f"{_short(point.tried.loss)} at {_delta(point.delta)}" for point in one.frontier[1 : 1 + MOST_LOWER]]
            shown.add_row(str(one.k), epsilons, figures[0], figures[1] + mark + sampled, *figures[2:], ", ".join(lower))
    _print_table(shown)
    if any(one.in_sample is not None for one in table.settings):
        tell(out, "(δ) reached in a sample of the rows only, at much more loss; not tried on all of them.", "dim")
    refused = list(dict.fromkeys(gate for one in table.settings if one.best is not None for gate in one.best.tried.refused))
    if refused:
        tell(out, plain(f"* refused all the same by {', '.join(refused[:MOST_VALUES])}"), "dim")
    if not any(one.best for one in table.settings):
        why = next((one.why_not for one in table.settings if one.why_not), "")
        tell(out, plain(f"Nothing was reached at any k and ε. {why}"))


def _show_binding(table: TableAdvice) -> None:
    from headgate.advice.binding import binding_sentence, smallest_bounds

    out = results()
    for value in table.binding[:MOST_VALUES]:
        attribute, bit, held = value.attribute.partition("=")
        if not bit or str(value.value) != "1":
            attribute, held = value.attribute, str(value.value)
        held = f"no {value.attribute}" if value.value is None else f"{attribute}: {held}"
        tell(out, plain(f"{value.rows:,} rows ({100 * value.share:.1f} %) have {held}"))
    said = dict.fromkeys(binding_sentence(one, with_values=True) for one in smallest_bounds(table.settings))
    for sentence in said:
        tell(out, plain(sentence))


def _show_suggestion(suggestion: Suggestion) -> None:
    from rich.text import Text

    from tasks.advice.advice_suggestions import PROTECT

    out = results()
    bound = "" if suggestion.bound is None else figure(suggestion.bound)
    title = f"To protect as much as loss ≤ {bound} allows" if suggestion.purpose == PROTECT else f"To lose as little as δ ≥ {bound} allows"
    found = suggestion.found
    if found is None:
        tell(out, Text.assemble((f"\n{title}", "bold"), f": nothing to suggest. {plain(suggestion.reason)}"))
        return
    tell(out, Text.assemble((f"\n{title}", "bold"), ", write in the policy:"))
    out.print(suggestion.snippet.rstrip("\n"), soft_wrap=True)
    reached = "" if found.delta_reached is None else f", δ reached {figure(found.delta_reached)}"
    figures = f"loss {_short(found.loss)}, query error {_percent(found.query_error)}, linkability {_short(found.linkability)}{reached}"
    tell(out, f"A release then has {figures}. {plain(suggestion.reason)}".rstrip())


def explore_policy(policy: Path, k: Sequence[str], epsilon: Sequence[str], delta: Sequence[str], as_json: bool) -> None:
    from tasks.advice.explore import Grid, explore
    from tasks.runtime.home import Home
    from tasks.runtime.quiet import quieten

    grid = Grid.of(_listed(k), _listed(epsilon), _listed(delta))
    home = Home.open()
    quieten(home)
    with settings_progress() as told:
        found = explore(resolve_policy(policy), grid, home, told)
    if as_json:
        print_json(found.to_json())
        return
    _show_explored(found)


def _listed(given: Sequence[str]) -> list[str]:
    """Between commas, or in options of their own."""
    found = [part.strip() for text in given for part in text.split(",")]
    if any(not part for part in found):
        raise InputRejected("A list of settings has an empty place.", "Write numbers with commas between them, such as 5,10.")
    return found


def _show_explored(found: Explored) -> None:
    from rich.text import Text

    out = results()
    tell(out, Text.assemble((plain(found.dataset), "bold"), f": {len(found.settings)} settings of {len(found.tables)} tables"))
    for number, names in enumerate(found.tables, 1):
        tell(out, f"table-{number}: {named_attributes(names)}")
    shown = figures_table("k", "ε", "δ", "δ reached", "loss", "queries", "linkability", "frontier", "refused by")
    for place, one in enumerate(found.settings):
        figures = (_short(one.delta_reached), _short(one.loss), _percent(one.query_error), _short(one.linkability))
        mark = "◆" if place in found.frontier else ""
        shown.add_row(str(one.k), one.epsilon, one.delta, *figures, mark, plain(", ".join(one.refused[:2])))
    _print_table(shown)
    tell(out, "◆ no other setting at this ε has both less risk and less loss.", "dim")
    out.print(f"mlflow run {found.run_id}", soft_wrap=True)


def _alike(settings: Sequence[Setting]) -> list[tuple[str, list[Setting]]]:
    """By ε; those next to each other whose figures are the same for every k are one: ε means little to a category."""
    by_epsilon: dict[float, list[Setting]] = {}
    for one in settings:
        by_epsilon.setdefault(one.epsilon, []).append(one)
    found: list[tuple[list[float], list[Setting]]] = []
    for epsilon, same in by_epsilon.items():
        if found and [(one.k, one.points) for one in found[-1][1]] == [(one.k, one.points) for one in same]:
            found[-1][0].append(epsilon)
        else:
            found.append(([epsilon], same))
    return [(figure(ends[0]) if len(ends) == 1 else f"{figure(ends[0])} to {figure(ends[-1])}", same) for ends, same in found]


def _delta(value: object) -> str:
    return "–" if value is None else f"{float(value):.2f}"  # type: ignore[arg-type]


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def _print_table(shown: Any) -> None:
    """No narrower than a page where there is no terminal."""
    out = results()
    if not out.is_terminal:
        out.width = WIDTH
    out.print(shown)

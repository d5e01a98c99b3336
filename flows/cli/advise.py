"""`headgate advise POLICY`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from flows.terminal.options import Json, PolicyFile, Report

if TYPE_CHECKING:
    from headgate.advice.result import BindingValue, Setting, TableAdvice
    from tasks.advice.advice_suggestions import Suggestion
    from tasks.advice.policy_advice import Advice

MOST_VALUES = 5  # shown per table
MOST_LOWER = 2  # smaller δ shown per setting; `--json` gives all


def advise(
    policy: PolicyFile,
    max_loss: Annotated[
        str | None, typer.Option("--max-loss", help="Suggest the setting that protects most at this information loss (NCP) or less.")
    ] = None,
    min_delta: Annotated[str | None, typer.Option("--min-delta", help="Suggest the setting that loses least with this δ or more.")] = None,
    report: Report = None,
    json: Json = False,
) -> None:
    """Find the (ε, δ, k) that this data supports, what limits them, and which setting to choose."""
    from flows.policy_files import resolve_policy
    from flows.terminal.current_folder import as_named
    from flows.terminal.output import print_json, results
    from flows.terminal.progress import settings_progress
    from tasks.advice.policy_advice import advise_on
    from tasks.reporting.check_report import require_place, write_page

    if report is not None:
        require_place(report)  # before the work, not after it
    with settings_progress() as advance:
        advice = advise_on(resolve_policy(policy), max_loss, min_delta, advance)
    if report is not None:
        from tasks.advice.advice_report import render_advice

        write_page(report, render_advice(advice))
    if json:
        print_json(advice.to_json())
        return
    _show_advice(advice)
    if report is not None:
        results().print(f"\nreport {as_named(report)}", soft_wrap=True)


def _show_advice(advice: Advice) -> None:
    from rich.text import Text

    from flows.terminal.output import plain, results, tell
    from flows.views.shown_figures import named_attributes

    out = results()
    setting = "" if advice.epsilon is None else f", ε {advice.epsilon}, δ {advice.delta}"
    verdict = "these tables satisfy the policy" if advice.passes else "the policy as it stands is refused"
    tell(out, Text.assemble((plain(advice.dataset), "bold"), f": k {advice.k}{setting}: {verdict}."))
    if advice.reason:
        tell(out, plain(advice.reason))
    if advice.untried:
        tell(out, plain(f"Not tried here: {', '.join(advice.untried)}. A release tries these attacks on its finished tables."))
    for sentence in (sentence for number in advice.numbers for sentence in number.sentences()):
        tell(out, plain(sentence))
    for remark in advice.remarks:
        tell(out, plain(remark))
    for number, table in enumerate(advice.tables, 1):
        tell(out, Text.assemble((f"\ntable-{number}", "bold"), f": {named_attributes(table.sensitive)}"))
        for said in advice.alike[number - 1]:
            tell(out, plain(said))
        _show_settings(table)
        _show_binding(table)
    for name, values in advice.unused.items():
        tell(out, Text.assemble("\n", plain(_unused(name, values))))
    for suggestion in advice.suggestions:
        _show_suggestion(suggestion)


def _unused(name: str, values: Sequence[str]) -> str:
    """A code list may well be longer than what occurs; a header or a misspelled code in it is found here."""
    shown = ", ".join(values[:MOST_VALUES])
    more = f" and {len(values) - MOST_VALUES:,} more" if len(values) > MOST_VALUES else ""
    return f"Declared values of {name} that no row has: {shown}{more}. Remove them from its list if they are not values."


def _show_settings(table: TableAdvice) -> None:
    from flows.terminal.fitted_table import print_table
    from flows.terminal.output import plain, results, tell
    from flows.views.shown_figures import plain_table

    headings = ("k", "ε", "guaranteed", "reached", "possible", "linked", "loss", "queries", "loss at a smaller δ")
    shown = plain_table(headings, words=())
    for epsilons, settings in _united(table.settings):
        for setting in settings:
            shown.add_row(str(setting.k), epsilons, *_cells(setting))
    out = results()
    print_table(out, shown)
    if any(setting.in_sample is not None for setting in table.settings):
        tell(out, "(δ) was reached in a sample of the rows only, at a much higher loss; it was not tried on all rows.", "dim")
    tried = [setting.best.tried for setting in table.settings if setting.best is not None]
    refused = list(dict.fromkeys(gate for trial in tried for gate in trial.refused))
    if refused:
        tell(out, plain(f"* still refused by {', '.join(refused[:MOST_VALUES])}"), "dim")
    if not tried:
        why = next((setting.why_not for setting in table.settings if setting.why_not), "")
        tell(out, plain(f"Nothing was reached at any k and ε. {why}"))


def _cells(setting: Setting) -> list[str]:
    from flows.views.shown_figures import percentage, short

    tried = None if setting.best is None else setting.best.tried
    guaranteed, reached, possible = (_delta(value) for value in (setting.guaranteed, setting.reached, setting.possible))
    mark = "*" if tried is not None and tried.refused else ""
    sampled = f" ({_delta(setting.in_sample)})" if setting.in_sample is not None else ""
    measured = ["–"] * 3
    if tried is not None:
        high = tried.query_error_interval[1]  # which is what a gate judges
        queries = percentage(tried.query_error) if high is None else f"≤ {percentage(high)}"
        measured = [short(tried.linkability), short(tried.loss), queries]
    lower = [f"{short(point.tried.loss)} at {_delta(point.delta)}" for point in setting.frontier[1 : 1 + MOST_LOWER]]
    return [guaranteed, reached + mark + sampled, possible, *measured, ", ".join(lower)]


def _united(settings: Sequence[Setting]) -> list[tuple[str, list[Setting]]]:
    """By ε. Neighbours whose figures are the same at every k are shown as one: to a category, ε makes little difference."""
    from flows.views.shown_figures import figure

    by_epsilon: dict[float, list[Setting]] = {}
    for setting in settings:
        by_epsilon.setdefault(setting.epsilon, []).append(setting)
    united: list[tuple[list[float], list[Setting]]] = []
    for epsilon, group in by_epsilon.items():
        if united and [(setting.k, setting.points) for setting in united[-1][1]] == [(setting.k, setting.points) for setting in group]:
            united[-1][0].append(epsilon)
        else:
            united.append(([epsilon], group))
    return [(figure(ends[0]) if len(ends) == 1 else f"{figure(ends[0])} to {figure(ends[-1])}", group) for ends, group in united]


def _delta(value: object) -> str:
    return "–" if value is None else f"{float(value):.2f}"  # type: ignore[arg-type]


def _show_binding(table: TableAdvice) -> None:
    from flows.terminal.output import plain, results, tell
    from headgate.advice.binding import binding_sentence, smallest_bounds

    out = results()
    for value in table.binding[:MOST_VALUES]:
        tell(out, plain(_binding_line(value)))
    for sentence in dict.fromkeys(binding_sentence(setting, with_values=True) for setting in smallest_bounds(table.settings)):
        tell(out, plain(sentence))


def _binding_line(value: BindingValue) -> str:
    attribute, bit, member = value.attribute.partition("=")
    if not bit or str(value.value) != "1":
        attribute, member = value.attribute, str(value.value)
    named = f"no {value.attribute}" if value.value is None else f"{attribute}: {member}"
    return f"{value.rows:,} {'row has' if value.rows == 1 else 'rows have'} {named} ({100 * value.share:.1f} %)"


def _show_suggestion(suggestion: Suggestion) -> None:
    from rich.text import Text

    from flows.terminal.output import plain, results, tell
    from flows.views.shown_figures import figure, percentage_to, short

    out, title, setting = results(), _purpose(suggestion), suggestion.tried
    if setting is None:
        tell(out, Text.assemble((f"\n{title}", "bold"), f": nothing to suggest. {plain(suggestion.reason)}"))
        return
    tell(out, Text.assemble((f"\n{title}", "bold"), ", write in the policy:"))
    out.print(suggestion.snippet.rstrip("\n"), soft_wrap=True)
    reached = "" if setting.delta_reached is None else f", δ reached {figure(setting.delta_reached)}"
    error = percentage_to(setting.query_error, setting.query_error_high)
    figures = f"loss {short(setting.loss)}, query error {error}, linkability {short(setting.linkability)}{reached}"
    tell(out, f"A release then has {figures}. {plain(suggestion.reason)}".rstrip())


def _purpose(suggestion: Suggestion) -> str:
    from flows.views.shown_figures import figure
    from tasks.advice.advice_suggestions import PROTECT

    if suggestion.purpose != PROTECT:
        return f"To lose as little as possible with δ of at least {figure(suggestion.bound)}"
    if suggestion.bound is None or suggestion.bound >= 1:
        return "To protect as much as possible (the policy sets no limit on loss)"
    return f"To protect as much as possible with a loss of at most {figure(suggestion.bound)}"

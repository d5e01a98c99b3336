"""`headgate check TABLE`: every measure of a table, without a policy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.terminal.options import Json, Report, TableFile

if TYPE_CHECKING:
    from headgate.core.errors import RequirementNotMet
    from headgate.library.check_table import CheckResult, Line

MORE = (  # measures without an option of their own; to import the list would cost `--help` numpy
    "prosecutor, frequency_l, entropy_l, recursive_c, alpha, beta, enhanced_beta, delta_disclosure, range, variance, delta_l, "
    "delta_l_window, epsilon_m, risk, clique, chain, cycle"
)
DIRECTIONS = {"≥": "at least", "≤": "at most", "<": "less than"}


def check(
    table: TableFile,
    sensitive: Annotated[
        list[str] | None, typer.Option("--sensitive", metavar="NAMES", help="Sensitive attributes: c,d. Required without --lines.")
    ] = None,
    quasi: Annotated[
        list[str] | None, typer.Option("--quasi", metavar="NAMES", help="Quasi-identifiers: a,b. A name with a comma: '\"a, b\",c'.")
    ] = None,
    group: Annotated[str | None, typer.Option("--group", help="Column with group numbers, instead of the quasi-identifiers.")] = None,
    epsilon: Annotated[float | None, typer.Option("--epsilon", help="ε: values at most this far apart are similar.")] = None,
    delta: Annotated[float | None, typer.Option("--delta", help="δ: the required share of dissimilar rows.")] = None,
    interval: Annotated[float | None, typer.Option("--interval", help="Interval of (δ, l)-diversity, in the attribute's unit.")] = None,
    k: Annotated[int | None, typer.Option("--k", help="Require groups of at least this size.")] = None,
    max_closeness: Annotated[float | None, typer.Option("--max-closeness", help="Require t of every attribute to be at most this.")] = None,
    min_distinct: Annotated[
        int | None, typer.Option("--min-distinct", help="Require distinct l of every attribute to be at least this.")
    ] = None,
    require: Annotated[
        list[str] | None,
        typer.Option("--require", metavar="MEASURE=NUMBER", help=f"Any other requirement, such as entropy_l=2. Measures: {MORE}."),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="NAME=KIND", help="Compare NAME as number, integer, date, category or set."),
    ] = None,
    hierarchy: Annotated[
        list[str] | None,
        typer.Option("--hierarchy", metavar="NAME=FILE", help="Compare NAME by a hierarchy: one line leaf;…;root per leaf."),
    ] = None,
    log: Annotated[list[str] | None, typer.Option("--log", metavar="NAMES", help="Compare these numbers by ratio.")] = None,
    lines: Annotated[
        str | None, typer.Option("--lines", metavar="COLUMN", help="Measure nothing; list the refused cells of COLUMN with their lines.")
    ] = None,
    policy: Annotated[
        Path | None, typer.Option("--policy", metavar="POLICY", help="With --lines: check the cells against this policy.")
    ] = None,
    report: Report = None,
    json: Json = False,
) -> None:
    """Measure any table, without a policy. Exit with 3 if a requirement is not met. With --lines, list refused cells instead."""
    from headgate.core.errors import InputRejected

    if lines is not None:
        from flows.terminal.check_lines import list_lines

        others: dict[str, object] = {"--quasi": quasi, "--sensitive": sensitive, "--group": group, "--require": require}
        others |= {"--hierarchy": hierarchy, "--k": k, "--epsilon": epsilon, "--delta": delta, "--interval": interval, "--report": report}
        others |= {"--max-closeness": max_closeness, "--min-distinct": min_distinct, "--log": log}
        list_lines(table, lines, policy, kind or [], [option for option, given in others.items() if given is not None], json)
        return
    if policy is not None or not sensitive:
        problem = "--policy was given without --lines." if policy is not None else "No sensitive attribute was named."
        raise InputRejected(problem, "Name what to measure: --sensitive c,d; or list the refused cells of a column: --lines COLUMN.")
    _measure(
        table,
        report,
        json,
        *(",".join(quasi or []), ",".join(sensitive), group, epsilon, delta, interval),
        *({"k": k, "closeness": max_closeness, "distinct_l": min_distinct}, require, kind, hierarchy, log),
    )


def _measure(table: Path, report: Path | None, json: bool, *asked: Any) -> None:
    from flows.terminal.check_question import Question, measure
    from flows.terminal.output import console, print_json, tell
    from flows.terminal.shown_cells import write_cells
    from headgate.core.errors import InputRejected
    from tasks.reporting.check_report import render_check, require_place, write_page

    question = Question.of(*asked)
    if report is not None:
        require_place(report)  # before the work, not after it
    try:
        result = measure(table, question)
    except InputRejected as refusal:
        write_cells(refusal)
        refusal.values = ()  # they are shown once
        raise
    missed = _missed(result)
    if report is not None:
        write_page(report, render_check(table.name, question.quasi, question.group, result))
    if json:
        document = result.to_json()
        if missed is not None:
            missed.document = document
            raise missed
        print_json(document)
        return
    try:
        _show(result, report)
    except BrokenPipeError:
        if missed is None:
            raise
    if question.interval is not None and not any(line.measured.key == "delta_l" for line in result.lines):
        tell(console(), "(δ, l) is not measured: no sensitive attribute is a number or a date. --kind NAME=date declares one.")
    if missed is not None:
        raise missed


def _missed(result: CheckResult) -> RequirementNotMet | None:
    """Every requirement that is not met, in one message."""
    from flows.views.shown_figures import figure
    from headgate.core.errors import RequirementNotMet

    if not result.missed:
        return None
    first = result.missed[0].measured
    sentence = " ".join(
        f"{_named(line)} is {figure(line.measured.figure.value)}; {_directed(line.required)} is required." for line in result.missed
    )
    return RequirementNotMet(sentence, "Generalize more, or make larger groups.", first.title, first.figure.value)


def _named(line: Line) -> str:
    return line.measured.title + (f" of {line.measured.attribute}" if line.measured.attribute else "")


def _directed(required: str) -> str:
    sign, _, bound = required.partition(" ")
    return f"{DIRECTIONS[sign]} {bound}"


def _show(result: CheckResult, report: Path | None) -> None:
    from flows.terminal.current_folder import as_named
    from flows.terminal.output import plain, results, tell
    from flows.views.shown_figures import figure
    from headgate.core.units import counted
    from tasks.reporting.check_report import compared_in_words, uniques_in_words

    out = results()
    groups = f"{counted(result.groups, 'group')}: k {result.k}, mean {figure(result.mean_group)}"
    tell(out, f"{counted(result.rows, 'row')} in {groups}, discernibility {result.discernibility:,}")
    tell(out, uniques_in_words(result))
    tell(out, plain(compared_in_words(result)))
    if result.alike:
        tell(out, plain(result.alike))
    out.print()
    requires = any(line.short is not None for line in result.lines)
    _show_lines(result, requires)
    fall_short = "that fall short; where nothing is required, those " if requires else ""
    tell(out, f"groups and rows: those {fall_short}with the worst figure.", "dim")
    if report is not None:
        out.print(f"\nreport {as_named(report)}", soft_wrap=True)


def _show_lines(result: CheckResult, requires: bool) -> None:
    from rich.text import Text

    from flows.terminal.fitted_table import print_table
    from flows.terminal.output import plain, results
    from flows.views.shown_figures import figure, plain_table
    from tasks.reporting.check_report import concerned

    headings = ["principle", "attribute", "figure", "groups", "rows"]
    if requires:
        headings = [*headings[:3], "required", *headings[3:], "verdict"]
    shown = plain_table(headings, words=("principle", "attribute", "verdict"), unbroken=("figure", "required", "groups", "rows"))
    for line in result.lines:
        who = concerned(line)
        value = ("" if line.measured.exact else "≤ ") + figure(line.measured.figure.value)
        cells = [line.measured.title, plain(line.measured.attribute), value, f"{who.groups:,}", f"{who.rows:,}"]
        if requires:
            cells.insert(3, line.required)
        mark = Text(who.verdict, style={"refused": "bold red", "passed": "green"}.get(who.verdict, ""))
        shown.add_row(*cells, *([mark] if requires else []))
    print_table(results(), shown)

"""What people see: progress and tables on stderr, so that stdout carries results only."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tasks.listener import Listener

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

    from headgate.errors import HeadgateError
    from policies.manifest import Manifest, Plan, TableFigures, Verdict


def console(stderr: bool = True) -> Console:
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, soft_wrap=False)


def print_json(document: dict[str, Any]) -> None:
    """The one object on stdout; numbers as they are, never rounded."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def error_document(refusal: HeadgateError) -> dict[str, Any]:
    return {"error": {"code": refusal.code, "message": refusal.message, "cure": refusal.cure}}


def print_error(refusal: HeadgateError) -> None:
    from rich.text import Text

    text = Text.assemble((TITLES.get(refusal.code, "Stopped"), "bold red"), ": ", refusal.message)
    if refusal.cure:
        text.append("\nCure: ", "bold")
        text.append(refusal.cure)
    console().print(text, soft_wrap=True)


TITLES = {
    1: "Defect",
    2: "Not accepted",
    3: "Refused",
    4: "Not allowed",
    5: "Integrity broken",
    6: "Store unavailable",
    130: "Interrupted",
}

STEP_TITLES = {
    "ingest": "Reading the source into codes",
    "expect": "Checking what came in",
    "transform": "Sets to bitmaps",
    "plan": "Choosing the projected tables",
    "anonymize": "Anonymizing",
    "expect-published": "Checking what would go out",
    "gate": "Measuring the published form",
    "track": "Logging to MLflow",
    "candidate": "Sealing the candidate",
    "decide": "Counting the signatures",
    "publish": "Publishing",
}


class StepProgress(Listener):
    """A line a step, and one a table where a step works on tables."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._lines: dict[tuple[str, str], TaskID] = {}

    def began(self, step: str, table: str = "") -> None:
        if step not in STEP_TITLES:
            return
        title = STEP_TITLES[step] + (f" {table}" if table else "")
        self._lines[step, table] = self._progress.add_task(title, total=1, taken="")

    def ended(self, step: str, table: str, seconds: float) -> None:
        line = self._lines.get((step, table))
        if line is not None:
            self._progress.update(line, completed=1, taken=f"{seconds:.1f} s")


@contextmanager
def step_progress(quiet: bool) -> Iterator[Listener]:
    if quiet:
        yield Listener()
        return
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

    described = TextColumn("{task.description}")
    columns = (SpinnerColumn(finished_text="[green]✓[/]"), described, BarColumn(bar_width=12), TextColumn("{task.fields[taken]}"))
    bars = Progress(*columns, console=console())
    with bars:
        yield StepProgress(bars)


def in_words(state: str) -> str:
    return state.replace("_", " ")


def figure(number: float | None) -> str:
    if number is None:
        return "–"
    return f"{number:,.0f}" if float(number).is_integer() and abs(number) >= 1 else f"{number:.4g}"


def figures_table(*headings: str) -> Any:
    """Figures to the right; the names that they are of to the left."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, justify="left" if heading in ("table", "sensitive") else "right")
    return table


def gates_table(verdicts: Sequence[Verdict]) -> Any:
    """One line a gate: the worst table stands for it, and all that failed are shown."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("gate", "table", "measured", "required", "verdict"):
        table.add_column(
            heading, justify="right" if heading in ("measured", "required") else "left", no_wrap=heading != "gate", overflow="fold"
        )
    for verdict in verdicts:
        mark = "[green]passed[/]" if verdict.passed else "[bold red]refused[/]"
        table.add_row(gate_name(verdict.gate), verdict.table or "release", figure(verdict.measured), figure(verdict.required), mark)
    return table


def tables_table(tables: Sequence[TableFigures]) -> Any:
    shown = figures_table("table", "groups", "k", "δ reached", "linkability", "loss (NCP)", "query error")
    for entry in tables:
        error = "–" if entry.query_error_mean is None else f"{100 * entry.query_error_mean:.1f} %"
        figures = (figure(value) for value in (entry.delta_reached, entry.linkability, entry.ncp))
        shown.add_row(entry.name, f"{entry.groups:,}", str(entry.k), *figures, error)
    return shown


def gate_name(gate: str) -> str:
    """A gate about a dictionary goes by its file's name; its folder says nothing here."""
    kind, sign, about = gate.partition(":")
    return kind + sign + about.rsplit("/", 1)[-1]


def named_attributes(columns: Sequence[str]) -> str:
    """Bitmap columns `attribute=value` of one set are counted, not listed."""
    shown: dict[str, int] = {}
    for column in columns:
        name, sign, _value = column.partition("=")
        shown[name] = shown.get(name, 0) + (1 if sign else 0)
    return ", ".join(f"{name} ({count} values)" if count else name for name, count in shown.items())


def plan_line(plan: Plan) -> str:
    count = len(plan.tables)
    return (
        f"Plan ({plan.method}): {count} table{'s' if count != 1 else ''}, "
        f"association loss {figure(plan.association_loss)}, information exposure {figure(plan.information_exposure)}"
    )


def show_manifest(manifest: Manifest, candidate: str, state: str) -> None:
    out = console()
    out.print(f"[bold]{manifest.title}[/] ({manifest.dataset}) – {in_words(state)}")
    out.print(f"candidate {candidate}", soft_wrap=True)
    out.print(f"{manifest.rows:,} rows, {manifest.suppressed:,} suppressed. {plan_line(manifest.plan)}")
    out.print()
    for entry in manifest.tables:
        out.print(f"{entry.name}: {named_attributes(entry.sensitive)}", soft_wrap=True)
    out.print()
    out.print(tables_table(manifest.tables))
    out.print()
    out.print(gates_table(manifest.verdicts))

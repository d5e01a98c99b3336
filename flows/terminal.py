"""What people see: results on stdout, progress and messages on stderr. Names, titles and paths are shown as they are: no markup in them
counts, and no control character reaches the terminal."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tasks.runtime.listener import Listener
from tasks.runtime.wording import counted

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.progress import Progress, TaskID
    from rich.text import Text

    from flows.progress import TableProgress
    from headgate.core.errors import HeadgateError
    from policies.sealed.manifest import Manifest, Plan, TableFigures, Verdict


def console(stderr: bool = True) -> Console:
    from rich.console import Console

    class Piped(Console):
        def on_broken_pipe(self) -> None:
            """Rich would end the program as if it had failed, because someone reads no further than `head` does."""
            raise BrokenPipeError

    return Piped(stderr=stderr, highlight=False, soft_wrap=False, markup=False, emoji=False)


def results() -> Console:
    """What a command was asked for."""
    return console(stderr=False)


def tell(out: Console, text: str | Text, style: str = "") -> None:
    """A sentence: broken between words where a person reads it, on one line where it is kept. Paths and commands are never broken."""
    out.print(text, style=style or None, soft_wrap=not out.is_terminal)


def plain(text: str) -> str:
    """A control character in a title or a name of the policy could move the cursor over a figure that an approver reads."""
    return "".join(sign if sign.isprintable() else "�" for sign in text)


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
    tell(console(), text)


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
    "dictionaries": "Reading what attackers may hold",
    "suppress-cells": "Suppressing the cells that risk most",
    "transform": "Sets to bitmaps",
    "plan": "Choosing the projected tables",
    "anonymize": "Anonymizing",
    "expect-published": "Checking what would go out",
    "gate": "Measuring the published form",
    "attack": "Attacking the finished tables",
    "track": "Logging to MLflow",
    "candidate": "Sealing the candidate",
    "decide": "Counting the signatures",
    "publish": "Publishing",
}


FAILED = "✗"


class StepProgress(Listener):
    """A line a step, and one a table where a step works on tables."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._lines: dict[tuple[str, str], TaskID] = {}
        self._table: tuple[TaskID, TableProgress] | None = None  # of the line that is told of

    def began(self, step: str, table: str = "") -> None:
        if step not in STEP_TITLES:
            return
        title = STEP_TITLES[step] + (f" {table}" if table else "")
        self._lines[step, table] = self._progress.add_task(title, total=1, taken="", mark="")

    def working(self, step: str, done: int, total: int, what: str) -> None:
        from flows.progress import TableProgress

        line = next((task for (name, _), task in reversed(self._lines.items()) if name == step), None)
        if line is None:
            return
        if self._table is None or self._table[0] != line:
            self._table = (line, TableProgress(lambda said: self._progress.update(line, taken=said)))
        self._table[1].working(STEP_TITLES[step], done, total, what)

    def ended(self, step: str, table: str, seconds: float, well: bool) -> None:
        line = self._lines.get((step, table))
        if line is not None:
            done = {"completed": 1} if well else {"mark": FAILED}
            self._progress.update(line, taken=f"{seconds:.1f} s", **done)


@contextmanager
def step_progress(quiet: bool) -> Iterator[Listener]:
    if quiet:
        yield Listener()
        return
    from rich.progress import BarColumn, Progress, SpinnerColumn, Task, TextColumn
    from rich.text import Text

    class Mark(SpinnerColumn):
        def render(self, task: Task) -> RenderableType:
            return Text(FAILED, style="bold red") if task.fields["mark"] else super().render(task)

    described = TextColumn("{task.description}")
    columns = (Mark(finished_text=Text("✓", style="green")), described, BarColumn(bar_width=12), TextColumn("{task.fields[taken]}"))
    bars = Progress(*columns, console=console())
    with bars:
        yield StepProgress(bars)


def in_words(state: str) -> str:
    return state.replace("_", " ")


def figure(number: float | None) -> str:
    if number is None:
        return "–"
    if math.isinf(number):
        return "∞"
    whole = float(number).is_integer() and abs(number) >= 1
    return f"{number:,.0f}" if whole or 1e4 <= abs(number) < 1e15 else f"{number:.4g}"


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
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("gate", "table", "measured", "required", "verdict"):
        table.add_column(
            heading, justify="right" if heading in ("measured", "required") else "left", no_wrap=heading != "gate", overflow="fold"
        )
    for verdict in verdicts:
        mark = Text("passed", style="green") if verdict.passed else Text("refused", style="bold red")
        table.add_row(plain(gate_name(verdict.gate)), verdict.table or "release", figure(verdict.measured), figure(verdict.required), mark)
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


FEW_VALUES = 3


def named_attributes(columns: Sequence[str]) -> str:
    """Bitmap columns `attribute=value` of one set are counted where there are many."""
    shown: dict[str, list[str]] = {}
    for column in columns:
        name, sign, _value = column.partition("=")
        shown.setdefault(name, []).extend([column] if sign else [])
    names = (
        f"{name} ({len(values)} values)" if len(values) > FEW_VALUES else ", ".join(values or [name]) for name, values in shown.items()
    )
    return plain(", ".join(names))


def plan_line(plan: Plan) -> str:
    return (
        f"Plan ({plan.method}): {counted(len(plan.tables), 'table')}, "
        f"association loss {figure(plan.association_loss)}, information exposure {figure(plan.information_exposure)}"
    )


def show_manifest(manifest: Manifest, candidate: str, state: str) -> None:
    from rich.text import Text

    out = results()
    title = "" if manifest.title in ("", manifest.dataset) else f" ({plain(manifest.title)})"
    out.print(Text.assemble((manifest.dataset, "bold"), f"{title} – {in_words(state)}"), soft_wrap=True)
    out.print(f"candidate {candidate}", soft_wrap=True)
    out.print(f"{manifest.rows:,} rows, {manifest.suppressed:,} suppressed.")
    if manifest.suppressed_cells:
        cells = ", ".join(f"{number:,} of {name}" for name, number in manifest.suppressed_cells.items())
        tell(out, f"Cells taken out before anything else: {cells}.")
    tell(out, plan_line(manifest.plan))
    out.print()
    for entry in manifest.tables:
        tell(out, f"{entry.name}: {named_attributes(entry.sensitive)}")
    out.print()
    out.print(tables_table(manifest.tables))
    out.print()
    out.print(gates_table(manifest.verdicts))
    for verdict in manifest.verdicts:
        if verdict.remedy:
            tell(out, plain(f"{gate_name(verdict.gate)} of {verdict.table or 'the release'}: {verdict.remedy}"))

"""What a version tells together with those before it, in the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from flows.terminal.fitted_table import print_table
from flows.terminal.output import plain, tell
from flows.views.shown_figures import figure, named_attributes, percentage, plain_table

if TYPE_CHECKING:
    from rich.console import Console

    from policies.gates.series_figures import SeriesFigures
    from policies.gates.verdict import Verdict

MOST = 8  # comparisons shown; the report has all


def show_series(out: Console, figures: SeriesFigures, verdicts: Sequence[Verdict], versions: Mapping[str, str]) -> None:
    from policies.judging.series_in_words import TITLE, series_in_words

    said = series_in_words(figures, verdicts, versions)
    tell(out, f"\n{TITLE}", "bold")
    if said.uncompared:
        tell(out, plain(said.uncompared), "bold yellow")
    for sentence in said.sentences:
        tell(out, plain(sentence))
    for kept, sentence in said.judged:
        tell(out, plain(f"{'passed' if kept else 'refused'}: {sentence}"), "" if kept else "red")
    if not said.compared:
        return
    headings = ("attributes", "most certain", "fewest values", "similar", "changed")
    shown = plain_table(headings, words=("attributes",))
    for each in said.compared[:MOST]:
        fewest = "–" if each.candidates is None else f"{each.candidates:,} of {each.values:,}"
        changed = f"≤ {each.changed:,}" if each.changed else "none"
        shown.add_row(named_attributes(each.names), percentage(each.linkability), fewest, figure(each.risk), changed)
    print_table(out, shown)
    if len(said.compared) > MOST:
        tell(out, f"… and {len(said.compared) - MOST:,} more comparisons, none of them worse; the report has all.")

"""The tables and the findings of docs/paper-proximity.md, made from figures.json alone, so that the page cannot disagree with the run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from benchmarks.papers.writing import between_marks, listed, table, yes

SCRIPT = "benchmarks/papers/proximity.py"
SHOWN = (0, 5, 10, 25, 50, 85, 100, 250)
READINGS = ("definition", "window")
LINEAR = 1.1  # an exponent that no reader of a chart would tell from 1

Finding = tuple[str, str, str]


def with_tables(text: str, tables: str) -> str:
    return between_marks(text, tables, SCRIPT)


def tables(found: Mapping[str, Any]) -> str:
    made = {"salaries": _salaries, "examples": _examples, "checking": _checking, "census": _census, "diseases": _diseases}
    heads = ("The paper", "Here", "Replicates")
    parts = ["## Findings\n\n" + table(heads, findings(found))] if set(made) <= set(found) else []
    return "\n".join([*parts, *(write(found[name]) for name, write in made.items() if name in found)])


def findings(found: Mapping[str, Any]) -> list[Finding]:
    return [
        *_on_salaries(found["salaries"]),
        *_on_examples(found["examples"]),
        *_on_checking(found["checking"]),
        *_on_census(found["census"]),
        *_on_diseases(found["diseases"]),
    ]


def at(figure: Mapping[str, Any], interval: float) -> Mapping[str, Any]:
    return next(one for one in figure["by_interval"] if one["interval"] == interval)


def exponent(figure: Mapping[str, Any]) -> float:
    """Slope of log seconds over log size."""
    points = figure["seconds"]
    return float(np.polyfit(np.log([one["rows"] for one in points]), np.log([one["seconds"] for one in points]), 1)[0])


def _on_salaries(figure: Mapping[str, Any]) -> Iterable[Finding]:
    both = f"distinct l = {figure['distinct']}, frequency l = {figure['frequency']:g}"
    yield "(δ, l), Figure 1: distinct 3-diverse and frequency 3-diverse", both, yes((figure["distinct"], figure["frequency"]) == (3, 3.0))
    name, group = next(iter(figure["groups"].items()))
    share = figure["near"][name] / len(group)
    yield (
        "(δ, l), Figure 1: somebody of the first group earns 490 to 510 with probability 1",
        f"{figure['near'][name]} of its {len(group)} rows do: {share:.0%}. The fourth earns 1000",
        yes(share == 1),
    )
    low = at(figure, 10)["definition"][0]
    yield "Not in the paper: what (δ, l) says of it at δ = 10", f"l = {low:.2f}: at most one in {low:.2f} must be near a value", "–"


def _on_examples(figure: Mapping[str, Any]) -> Iterable[Finding]:
    wide, half = at(figure, 15), at(figure, 7.5)
    by_m = wide["(ε, m)"]
    yield "(δ, l), Example 2: at ε = 15, m = 2 for {40, 60} and 1 for {40, 50, 60}", f"{by_m[0]:g} and {by_m[1]:g}", yes(by_m[:2] == [2, 1])
    first = wide["definition"][0]
    yield "(δ, l), Example 3: at δ = 15, l = 1 for {40, 60}", f"{first:g} (window: {wide['window'][0]:g})", yes(first == 1)
    more = wide["definition"][1] >= wide["definition"][0]
    yield "(δ, l): {40, 50, 60} protects no less than {40, 60}, δ = 15", f"l = {wide['definition'][1]:g} and {first:g}", yes(more)
    one, other = half["definition"][:2]
    yield "the same at δ = 7.5", f"l = {other:g} and {one:g} (window: {half['window'][1]:g} and {half['window'][0]:g})", yes(other >= one)
    union, parts, window = half["definition"][3], (half["definition"][0], half["definition"][2]), half["window"]
    yield (
        "(δ, l): the union of two groups has no smaller l than both: Example 1 at δ = 7.5",
        f"definition: {parts[0]:g}, {parts[1]:g} → {union:.3g}; window: {window[0]:g}, {window[2]:g} → {window[3]:g}",
        yes(union >= min(parts)),
    )


def _on_checking(figure: Mapping[str, Any]) -> Iterable[Finding]:
    merged = figure["monotone"]
    for reading in READINGS:
        falls = merged["falls"][reading]
        name = f"(δ, l): the union of two groups has no smaller l than both ({reading})"
        yield name, f"smaller in {falls:,} of {merged['pairs']:,} pairs of small groups", yes(falls == 0)
    for reading in READINGS:
        line = next(one for one in figure["lines"] if (one["letters"], one["strict"]) == (reading, False))
        same = f"the same l in {line['same'][reading]:,} of {line['groups']:,} groups"
        yield (
            f"(δ, l), Figure 3 finds l, its index letters read for the {reading}, `<` as `≤`",
            same,
            yes(line["same"][reading] == line["groups"]),
        )
        printed = next(one for one in figure["lines"] if (one["letters"], one["strict"]) == (reading, True))
        same = f"the same l in {printed['same'][reading]:,} of {printed['groups']:,} groups: intervals that touch overlap"
        yield f"… with `<` as printed ({reading})", same, yes(printed["same"][reading] == printed["groups"])
    power = exponent(figure)
    yield "(δ, l), Figure 3 takes O(\\|E\\|)".replace("\\|", "|"), f"seconds ∝ |E|^{power:.2f}", yes(power <= LINEAR)


def _on_census(figure: Mapping[str, Any]) -> Iterable[Finding]:
    for reading in READINGS:
        falls = [one["falls"][reading] for one in figure["unions"]]
        name = f"(δ, l): the same of unions of {figure['groups']:,} groups of the census ({reading})"
        yield name, f"smaller in {min(falls):.1%} to {max(falls):.1%} of the unions of two groups", yes(max(falls) == 0)
    lines = [one for one in figure["principles"] if "principle" in one]
    for one in lines:
        share = one["vulnerable"]["0.6"]
        said = f"{share:.1%} of {one['groups']:,} groups are open at ε = {figure['epsilon']}, δ = 0.6"
        yield f"General proximity: {one['principle']} is not enough", said, yes(share > 0) if one["groups"] else "–"
    for one in (one for one in figure["principles"] if "m" in one):
        said = f"{one['by_m']:,} groups keep (ε, m), {one['by_delta']:,} keep (ε, δ); {one['only_by_m']:,} keep (ε, m) alone"
        yield f"General proximity: (ε, m) is nearly (ε, δ) with δ = 1 − 1/m, m = {one['m']}", said, yes(one["only_by_m"] == 0)


def _on_diseases(figure: Mapping[str, Any]) -> Iterable[Finding]:
    first, second = next(one["risk"] for one in figure["by_epsilon"] if one["epsilon"] == 0.1)
    yield (
        "General proximity, Example 2: group 1 of Table I at ε = 0.1: belief 80 %",
        f"risk {first:g}, belief {(4 * first + 1) / 5:.0%}",
        yes(first == 0.75),
    )
    yield "Not in the paper: group 2", f"risk {second:g}", "–"
    distances = np.array(figure["distances"])
    near = [place + 1 for place in range(5) if distances[1, place] <= 0.1 + 1e-9]
    yield "General proximity, Example 4: Φ(#2) at ε = 0.1 is #1 to #4", listed([f"#{one}" for one in near]), yes(near == [1, 2, 3, 4])
    negative = sum(value < -1e-9 for value in figure["dimensions"])
    positive = sum(value > 1e-9 for value in figure["dimensions"])
    said = f"classical scaling of group 1 has {positive} positive and {negative} negative dimensions"
    yield "General proximity, Figure 1: the distances do not fit into a plane", said, yes(positive > 2 or negative > 0)
    proved = figure["theorem_1"]
    yield (
        "General proximity, Theorem 1",
        f"wrong in {proved['wrong']} of {proved['asked']:,} cases of small groups",
        yes(proved["wrong"] == 0),
    )


def _salaries(figure: Mapping[str, Any]) -> str:
    names = list(figure["groups"])
    heads = ("δ, ε", *(f"{name}: definition; window; (ε, m)" for name in names))
    rows = [
        (str(delta), *("; ".join(f"{one[reading][place]:.2f}" for reading in (*READINGS, "(ε, m)")) for place in range(len(names))))
        for delta in SHOWN
        for one in [at(figure, delta)]
    ]
    text = "Salaries in thousand. l in both readings, and m with ε = δ: (δ, l) by definition is (ε, m) with ε = 2δ."
    return f"## (δ, l), Figure 1: a table that is 3-diverse\n\n![l and m against δ](paper-proximity/salaries.png)\n\n{text}\n\n" + table(
        heads, rows
    )


def _examples(figure: Mapping[str, Any]) -> str:
    names = [f"{name} {{{listed(group)}}}" for name, group in figure["groups"].items()]
    rows = [
        (
            f"{one['interval']:g}",
            *("; ".join(f"{one[reading][place]:.3g}" for reading in (*READINGS, "(ε, m)")) for place in range(len(names))),
        )
        for one in figure["by_interval"]
    ]
    return "## (δ, l), Figure 2 and Example 1\n\nDefinition; window; (ε, m) with ε = δ:\n\n" + table(("δ, ε", *names), rows)


def _checking(figure: Mapping[str, Any]) -> str:
    rows = [
        (one["letters"], "`<`" if one["strict"] else "`≤`", *(f"{one['same'][reading]:,} of {one['groups']:,}" for reading in READINGS))
        for one in figure["lines"]
    ]
    heads = ("Letters read for", "Overlap", "Gives l by definition", "Gives l by window")
    merged = figure["monotone"]
    falls = ", ".join(f"{reading} {merged['falls'][reading]:,}" for reading in READINGS)
    timed = [(f"{one['rows']:,}", f"{one['seconds'] * 1000:.2f}", f"{one['seconds'] / one['rows'] * 1e9:.1f}") for one in figure["seconds"]]
    return (
        "## (δ, l), Figure 3: checking, and monotonicity\n\nEvery group of small numbers, against l by brute force:\n\n"
        f"{table(heads, rows)}\nOf {merged['pairs']:,} pairs of groups, unions with a smaller l than either part: {falls}.\n\n"
        "![Seconds against rows](paper-proximity/checking.png)\n\nThe algorithm in both readings, in processor time, as plain Python:\n\n"
        + table(("|E|", "Milliseconds", "Nanoseconds per row"), timed)
    )


def _census(figure: Mapping[str, Any]) -> str:
    heads = ("δ, ε (years)", *(f"{name}: least, below 2" for name in (*READINGS, "(ε, m)")))
    rows = [
        (f"{one['interval']:g}", *(f"{one[name]['least']:.2f}, {one[name]['below']:.1%}" for name in (*READINGS, "(ε, m)")))
        for one in figure["by_interval"]
    ]
    unions = [
        (f"{one['interval']:g}", f"{one['pairs']:,}", *(f"{one['falls'][name]:.1%}" for name in READINGS)) for one in figure["unions"]
    ]
    deltas = list(figure["principles"][0]["vulnerable"])
    open_to = [
        (one["principle"], f"{one['groups']:,}", *(f"{one['vulnerable'][delta]:.1%}" for delta in deltas))
        for one in figure["principles"]
        if "principle" in one
    ]
    return (
        f"## Ages of the census\n\n![Groups and unions](paper-proximity/census.png)\n\n{figure['rows']:,} people in "
        f"{figure['groups']:,} groups by "
        f"Mondrian, k = 10, frequency l = 3 of the age. The least l or m of all groups, and the share of the groups "
        f"where it is below 2:\n\n{table(heads, rows)}\n"
        "Unions of two groups that follow each other, and how many have a smaller l than either part:\n\n"
        f"{table(('δ', 'Unions', *READINGS), unions)}\n"
        f"Groups that another principle calls safe, and how many of them violate (ε, δ) at ε = {figure['epsilon']}, "
        f"{float(figure['epsilon']) * figure['width']:.1f} years:\n\n"
        + table(("Principle", "Groups", *(f"δ = {delta}" for delta in deltas)), open_to)
    )


def _diseases(figure: Mapping[str, Any]) -> str:
    shown = [one for one in figure["by_epsilon"] if one["epsilon"] in (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)]
    rows = [(f"{one['epsilon']:g}", *(f"{risk:.2f}" for risk in one["risk"])) for one in shown]
    return (
        "## General proximity, Table I and Figure 1\n\n![Neighbourhoods, and risk against ε](paper-proximity/diseases.png)\n\n"
        f"Dimensions of group 1 by classical scaling: {', '.join(f'{value:.4f}' for value in figure['dimensions'])}. Risk:\n\n"
        + table(("ε", "group 1", "group 2"), rows)
    )

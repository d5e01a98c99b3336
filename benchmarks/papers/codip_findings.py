"""What the CODIP paper says of its experiments, held against the numbers of figures.json: claim, figure here, verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.papers.codip_charts import KS, PAPER_ANONYMOUS, PAPER_PASSED, PAPER_POINT
from benchmarks.papers.writing import listed, yes

NEAR = 0.03  # of a share read off the paper's text
MANY = 9  # "minimal when s is large (s ≥ 9)"
PAPER_TABLES = range(2, 8)  # "6 plans … N ∈ [2, 7]"
PAPER_BASELINE = {2: 0.42, 5: 0.42, 10: 0.42, 20: 0.42, 50: 0.52, 100: 0.52}
PRINTED = "as printed"

Finding = tuple[str, str, str]


def findings(found: Mapping[str, Any]) -> list[Finding]:
    """Every claim, in the order of the figures."""
    return [
        *_on_figure_5(found["5"]),
        *_on_figure_6(found["5"]),
        *_on_figure_7(found["7"]),
        *_on_figure_8(found["8"], found["5"]["two"]),
        *_on_figure_9(found["9"]),
        *_on_hierarchies(found["hierarchies"]),
        *_on_the_whole(found["whole"]),
    ]


def _on_figure_5(figure: Mapping[str, Any]) -> Iterable[Finding]:
    way = way_of(figure)
    one = way[0]
    yield (
        "Figure 5: at Γα = 0 the join-threat is largest, Γβ = 1",
        f"one table: Γα = {one['association_loss']:.3f}, Γβ = {one['information_exposure']:.3f}",
        yes(one["association_loss"] == 0 and abs(one["information_exposure"] - 1) < 1e-9),
    )
    loss, exposure = PAPER_POINT
    here = float(np.interp(loss, [each["association_loss"] for each in way], [each["information_exposure"] for each in way]))
    around = [_either_side(way, loss, side) for side in (-1, 1)]
    shown = " and ".join(f"{each['information_exposure']:.3f} at {each['association_loss']:.3f} (N = {each['tables']})" for each in around)
    yield (
        f"Figure 5: Γβ falls from 1 to {exposure} while Γα grows to {loss}",
        f"{shown}; {here:.2f} on the line between",
        yes(abs(here - exposure) <= NEAR),
    )
    last = around[1]
    before = (1 - last["information_exposure"]) / last["association_loss"]
    after = last["information_exposure"] / (1 - last["association_loss"])
    yield (
        "Figure 5: beyond that little is won for much",
        f"for each 0.01 of Γα, Γβ falls by {0.01 * before:.4f} before N = {last['tables']} and by {0.01 * after:.4f} after it",
        yes(after < before / 4),
    )
    least = [each for each in figure["points"] if each["method"] == "optimal"]
    gaps = [
        each["information_exposure"]
        - min(o["information_exposure"] for o in least if o["association_loss"] <= each["association_loss"] + 1e-9)
        for each in way
    ]
    beaten = [each["tables"] for each, gap in zip(way, gaps, strict=True) if gap > 1e-9]
    yield (
        "Not in the paper: is a less exposed plan known that loses no more than CODIP*'s?",
        f"at N = {listed(beaten)}, by at most {max(gaps):.4f} of Γβ" if beaten else "at no N",
        "–",
    )


def _on_figure_6(figure: Mapping[str, Any]) -> Iterable[Finding]:
    way = way_of(figure)
    gain, loss = (np.array(side) for side in zip(*((1 - o["information_exposure"], o["association_loss"]) for o in way), strict=True))
    for name, up in (("the reduction in join-threat", gain), ("association loss", loss)):
        rising = bool((np.diff(up) > 0).all())
        yield f"Figure 6: with more tables {name} grows", f"at {int((np.diff(up) > 0).sum())} of {len(up) - 1} steps", yes(rising)
    slowing, quickening = int((np.diff(gain, 2) <= 1e-12).sum()), int((np.diff(loss, 2) >= -1e-12).sum())
    steps = len(way) - 2
    yield "Figure 6: the reduction in join-threat grows at a falling rate", f"at {slowing} of {steps} steps", _mostly(slowing, steps)
    yield "Figure 6: association loss grows at a rising rate", f"at {quickening} of {steps} steps", _mostly(quickening, steps)
    good = [o["tables"] for o in way if max(o["association_loss"], o["information_exposure"]) <= 0.3 + 1e-9]
    yield (
        "Figure 6: a good trade-off usually has fewer than 7 tables",
        f"both ratios are at most 0.3 at N = {listed(good)}" if good else "at no N are both ratios at most 0.3",
        yes(bool(good) and min(good) < 7),
    )


def _on_figure_7(figure: Mapping[str, Any]) -> Iterable[Finding]:
    points = [one for one in figure["points"] if one["mean"] is not None]
    first, last = points[0], points[-1]
    middle = next((one for one in points if one["attributes"] == MANY), first)
    shown = f"on average {first['mean']:.1f} tables of {first['attributes']} attributes, {last['mean']:.1f} of {last['attributes']}"
    yield "Figure 7: N grows with the number of attributes", shown, yes(last["mean"] > first["mean"])
    early, late = _rate(first, middle), _rate(middle, last)
    yield (
        f"Figure 7: the growth is minimal for s ≥ {MANY}",
        f"{early:.2f} tables for each more attribute up to {MANY}, {late:.2f} from there on",
        yes(late < early / 2),
    )
    failed = {one["attributes"]: one["failed"] for one in figure["points"] if one["attributes"] >= MANY}
    yield (
        "Not in the paper: CODIP* fails, since no plan on its way keeps both thresholds",
        f"for s ≥ {MANY} in {min(failed.values()):.0%} to {max(failed.values()):.0%} of the orders, at s = 2 in all: together or apart",
        "–",
    )


def _on_figure_8(figure: Mapping[str, Any], two: Mapping[str, Any]) -> Iterable[Finding]:
    kept = [one["tables"] for one in figure["lines"] if one["kept"]]
    yield (
        f"Figure 8: with α = {two['alpha']:g} and β = {two['beta']:g} CODIP* gives six plans, of 2 to 7 tables",
        f"{len(kept)} plans, of {listed(kept)} tables",
        yes(kept == list(PAPER_TABLES)),
    )
    best = two["best"]
    shown = f"Γα = {best['association_loss']:.3f}, Γβ = {best['information_exposure']:.3f}, not on CODIP*'s way" if best else "none keeps α"
    yield (
        "Not in the paper: could any two tables keep both?",
        f"{two['kept']:,} of all {two['plans']:,} ways to make two can; the least exposed has {shown}",
        "–",
    )
    lines = sorted(figure["lines"], key=lambda one: one["tables"])
    grid = np.array([[np.nan if p["closeness"] is None else p["closeness"] for p in one["points"]] for one in lines])
    known = grid[:, ~np.isnan(grid).any(axis=0)]
    sorts = bool((np.diff(known, axis=0) <= 1e-12).all())
    yield "Figure 8, Theorem 1: fewer tables never have better closeness", _range(known[0], known[-1]), yes(sorts)
    for numbers, said in (([2, 4, 6], "plans of 2, 4 and 6 tables"), ([15], "every attribute apart")):
        largest = max(p["improvement"] or 0.0 for one in lines if one["tables"] in numbers for p in one["points"])
        yield f"Figure 8: {said}: closer than the baseline", f"by at most {largest:.1%}, over all bounds", yes(largest > 0)
    yield (
        "Figure 8: a smaller d_m has weaker closeness",
        f"N = 1: from {known[0, 0]:.3f} down to {known[0, -1]:.3f}",
        yes(bool((np.diff(known, axis=1) <= 1e-12).all()) and known[0, -1] < known[0, 0]),
    )
    gains = {one["tables"]: [p["improvement"] for p in one["points"]] for one in lines}
    shares = [max(gains[n][i] for n in kept) for i in range(len(gains[1])) if all(gains[n][i] is not None for n in kept)] if kept else []
    if shares:
        half = len(shares) // 2
        yield (
            "Figure 8: the improvement is potentially larger when d_m is small",
            f"largest of the plans that keep α and β: {max(shares[:half]):.1%} in the smaller "
            f"half of the bounds, {max(shares[half:]):.1%} in the larger",
            yes(max(shares[:half]) > max(shares[half:])),
        )


def _on_figure_9(figure: Mapping[str, Any]) -> Iterable[Finding]:
    for reading in dict.fromkeys(one["reading"] for one in figure["best"]):
        mine = {one["k"]: one["closeness"]["1"] for one in figure["best"] if one["reading"] == reading}
        shown = ", ".join(f"{value:.3f}" if value is not None else "none" for value in mine.values())
        agreed = all(mine[k] is not None and abs(mine[k] - PAPER_BASELINE[k]) <= NEAR for k in mine)
        yield (
            f"Figure 9: the baseline reaches 0.42 at k ≤ 20 and 0.52 from 50 on (d_m {reading})",
            f"{shown} at k = {listed(list(mine))}",
            yes(agreed),
        )
    counted = set(figure["counted"])
    for t, theirs in PAPER_PASSED.items():
        for reading in dict.fromkeys(one["reading"] for one in figure["passed"]):
            mine = {one["k"]: len(counted & set(one["tables"])) for one in figure["passed"] if one["t"] == t and one["reading"] == reading}
            agreed = all(mine[k] == theirs[KS.index(k)] for k in mine)
            said = listed([theirs[KS.index(k)] for k in mine])
            yield (
                f"Figure 9(a): t = {t}: {said} of six plans pass at k = {listed(list(mine))} (d_m {reading})",
                f"{listed(list(mine.values()))}",
                yes(agreed),
            )
    nodes = {one["k"]: one for one in figure["anonymous"]}
    for key, name in (("all", "any d_m"), (PRINTED, "d_m as printed")):
        mine = [one[key] for one in nodes.values()]
        theirs = [PAPER_ANONYMOUS[KS.index(k)] for k in nodes]
        yield (
            f"Figure 9(b): {listed(theirs)} k-anonymous nodes ({name})",
            f"{listed(mine)} of {figure['nodes']}",
            yes(mine == theirs),
        )
    falls = [one[PRINTED] for one in nodes.values()]
    yield (
        "Figure 9(b): fewer nodes are k-anonymous as k grows",
        f"from {falls[0]} to {falls[-1]} (d_m as printed)",
        yes(falls == sorted(falls, reverse=True) and falls[-1] < falls[0]),
    )


def _on_hierarchies(figure: Mapping[str, Any]) -> Iterable[Finding]:
    lines = [one for one in figure["lines"] if one["kept"] is not None]
    naive = [one["single"] for one in lines]
    better = [one for one in lines if one["kept"] < one["single"] - 1e-12]
    apart = max(1 - one["separate"] / one["single"] for one in lines)
    yield (
        "Not in the paper: is it the hierarchies?",
        f"under {len(lines)} sets of them the baseline reaches {min(naive):.3f} to {max(naive):.3f}; a plan of CODIP* that keeps α and β "
        f"is closer under {len(better)}; every attribute apart is closer by at most {apart:.0%}",
        "–",
    )


def _on_the_whole(figure: Mapping[str, Any]) -> Iterable[Finding]:
    slowest = max(one["seconds"] for one in figure["runs"])
    came = sum(one["tables"] is not None for one in figure["runs"])
    yield (
        "CODIP* is practical: at most s − 1 merges",
        f"the whole of it, CheckPlan and all, takes at most {slowest:.2f} s; {came} of {len(figure['runs'])} demands end with a plan",
        yes(slowest < 60),
    )


def way_of(figure: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """CODIP*'s plans, from one table on."""
    return sorted((one for one in figure["points"] if one["method"] == "codip*"), key=lambda one: one["tables"])


def _either_side(way: Sequence[Mapping[str, Any]], loss: float, side: int) -> Mapping[str, Any]:
    """The plan that loses most below, or least above."""
    beyond = [one for one in way if side * (one["association_loss"] - loss) >= 0]
    return min(beyond, key=lambda one: abs(one["association_loss"] - loss))


def _rate(one: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    return (other["mean"] - one["mean"]) / max(1, other["attributes"] - one["attributes"])


def _mostly(times: int, of: int) -> str:
    return "mostly" if of > times >= 0.75 * of else yes(times == of)


def _range(first: Any, last: Any) -> str:
    return f"N = 1: {min(first):.3f} to {max(first):.3f}; every attribute apart: {min(last):.3f} to {max(last):.3f}"

"""The manifest and the report are published, and one person who left is a fact about somebody: counts of people are told coarsely, always
to the side that looks worse."""

from __future__ import annotations

from policies.gates.series_figures import ComparedFigures, SeriesFigures

TENS = 10  # no count that is told allows to tell apart fewer


def coarse_counts(figures: SeriesFigures) -> SeriesFigures:
    """`came` and `left` are raised by the same, the smaller one to the next multiple of ten: their difference is no secret, since the rows
    of both versions are counted. At least as many people as told are in several versions, or would have to be left out; at most as many
    changed, or are told too much of."""
    if not figures.earlier:
        return figures
    stayed = figures.people - figures.came
    more = min(TENS - min(figures.came, figures.left) % TENS, stayed)
    told = stayed - more
    return figures.model_copy(
        update={
            "several": _few(figures.several, stayed, told),
            "came": figures.came + more,
            "left": figures.left + more,
            "above": min(_tens_up(figures.above), figures.people),
            "needed": max(figures.needed - figures.needed % TENS, min(figures.needed, 1)),
            "compared": tuple(_coarse(each, stayed, told) for each in figures.compared),
        }
    )


def _tens_up(people: int) -> int:
    return -(-people // TENS) * TENS


def _few(people: int, stayed: int, told: int) -> int:
    """`told` is said in place of `stayed`, who are in the version published last too; where these are others, tens are. Never more than
    there are, and never nobody where somebody is: what passes because nobody is in two versions would pass wrongly."""
    tens = people - people % TENS
    of_others = max(tens, told) if people > stayed else min(tens, told)
    return max(told if people == stayed else of_others, 1 if people else 0)


def _coarse(each: ComparedFigures, stayed: int, told: int) -> ComparedFigures:
    """Where somebody changed, somebody is in several versions, however few: a share of nobody would pass."""
    several = _few(each.people, stayed, told)
    changed = min(_tens_up(each.changed), several)
    return each.model_copy(update={"people": several, "changed": changed})

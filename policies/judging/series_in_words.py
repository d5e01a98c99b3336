"""What was measured of a series, for those who approve: the same sentences in the report and in the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headgate.core.units import counted
from policies.gates.series import RETURNING, SERIES
from policies.gates.series_figures import ComparedFigures, SeriesFigures
from policies.gates.verdict import Verdict
from policies.judging.verdicts import sentence_of

TITLE = "Together with the versions before"
UNNAMED = "a version that is no longer known here"
COMPARED = ": what a person's groups have in common is all that can be the person's value."
NAMED = 5  # attributes in a sentence
NOT_KEPT = "the home does not keep who was in which group of them"


@dataclass(frozen=True)
class SeriesInWords:
    """`uncompared`: what was left out and why, which approvers must read. `judged`: of each bound whether it is kept, and in words.
    `compared`: the worst stands first."""

    uncompared: str
    sentences: tuple[str, ...]
    judged: tuple[tuple[bool, str], ...]
    compared: tuple[ComparedFigures, ...]


def series_in_words(figures: SeriesFigures, verdicts: Sequence[Verdict], names: Mapping[str, str]) -> SeriesInWords:
    """`names`: of the versions, by candidate."""
    judged = [verdict for verdict in verdicts if verdict.gate == SERIES]
    if not figures.earlier:  # what was measured is of this version alone
        return SeriesInWords(_uncompared(figures, bool(judged)), tuple(_of_this_one(figures, bool(judged))), (), ())
    return SeriesInWords(
        _uncompared(figures, bool(judged)),
        tuple(_together(figures, names, bool(judged))),
        tuple(
            (verdict.passed, f"{sentence_of(verdict).rstrip('.')}.") for verdict in judged if figures.compared or verdict.bound == RETURNING
        ),
        tuple(sorted(figures.compared, key=lambda each: (-each.linkability, each.candidates or 0, each.names))),
    )


def _uncompared(figures: SeriesFigures, asked: bool) -> str:
    if not figures.unmeasured:
        return ""
    said = f"The reason that the policy gives: “{figures.unmeasured}”"
    number = figures.not_measured
    if number and figures.earlier:
        return f"{counted(number, 'published version')} {'was' if number == 1 else 'were'} not compared with this one. {said}"
    if number:
        one = number == 1
        which = "the version" if one else f"any of the {counted(number, 'version')}"
        return f"This version was not compared with {which} published before: nobody has measured what they tell together. {said}"
    return "" if asked else f"Versions of this dataset are not compared with each other. {said}"


def _of_this_one(figures: SeriesFigures, asked: bool) -> list[str]:
    none = [] if (figures.unmeasured and not asked) or figures.not_measured else ["No version was published before this one."]
    return [*none, "What is required of all versions together was measured on this one alone."] if asked else none


def _together(figures: SeriesFigures, names: Mapping[str, str], asked: bool) -> list[str]:
    named = [names.get(candidate, UNNAMED) for candidate in figures.earlier]
    together = " and ".join(filter(None, [", ".join(named[:-1]), named[-1]]))
    came, people = counted(figures.came, "person", "people"), counted(figures.people, "person", "people")
    several = max(figures.several, figures.people - figures.came)  # also where nothing steady is in the earlier one
    sentences = [
        f"It was compared with {together}{COMPARED if any(each.people for each in figures.compared) else '.'}",
        f"Of the {people} in this version, at least {several:,} are in an earlier one too. Since {named[-1]}, at most {came} came, "
        f"and at most {figures.left:,} left. These counts are raised, so that they tell of nobody.",
    ]
    sentences += _not_compared(figures)
    if figures.sticky:
        sentences.append("People who were published together before were kept together (anonymize.series: sticky).")
    if figures.linkability_any > figures.linkability:
        sentences.append(
            f"Somebody who compares a choice of these versions, neither one, two nor all, can be {100 * figures.linkability_any:.1f} % "
            "certain of somebody's sensitive value; nothing is required of that."
        )
    if figures.by_default:
        sentences.append("The policy says nothing of several versions, so that what it allows in one version holds for all together.")
    elif asked:
        sentences.append("The policy says what is allowed (gates.series).")
    return sentences


def _not_compared(figures: SeriesFigures) -> list[str]:
    """Whoever reads the bounds must know of what nothing was measured."""
    unknown = list(dict.fromkeys(each.names[0] for each in figures.compared if len(each.names) == 1 and not each.people))
    sentences = []
    if unknown:
        what = "Values of it are" if len(unknown) == 1 else "Values of these are"
        sentences.append(
            f"Not compared: {_listed(unknown)}. {what} in no earlier version of anybody who is in this one; a column that was renamed is "
            "another one."
        )
    if figures.changing:
        what = "it is" if len(figures.changing) == 1 else "they are"
        sentences.append(f"Not compared: {_listed(figures.changing)}. The policy says that {what} new in each version (changes: true).")
    if not figures.compared:
        sentences.append("So nothing was measured of several versions together: each stands for itself.")
    return sentences


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(f"'{name}'" for name in names[:NAMED]) + more

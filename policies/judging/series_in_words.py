"""What was measured of a series, for those who approve: the same sentences in the report and in the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headgate.core.units import counted
from policies.gates.series import LINKABILITY, RETURNING, SERIES
from policies.gates.series_figures import ComparedFigures, SeriesFigures
from policies.gates.verdict import Verdict
from policies.judging.verdicts import sentence_of

TITLE = "Together with the versions before"
UNNAMED = "a version that is no longer known here"
ALONE = (LINKABILITY, RETURNING)  # bounds that say something also where nothing is compared
NAMED = 5  # attributes in a sentence


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
        tuple(_together(figures, names, judged)),
        tuple((verdict.passed, f"{sentence_of(verdict).rstrip('.')}.") for verdict in judged if figures.compared or verdict.bound in ALONE),
        tuple(sorted(figures.compared, key=lambda each: (-each.linkability, each.candidates or 0, each.names))),
    )


def _uncompared(figures: SeriesFigures, asked: bool) -> str:
    return " ".join(filter(None, (_nothing_in_common(figures) if asked else "", _left_out(figures, asked))))


def _left_out(figures: SeriesFigures, asked: bool) -> str:
    if not figures.unmeasured:
        return ""
    said = f"The reason that the policy gives: “{figures.unmeasured}”"
    number = figures.not_measured
    if number and figures.earlier:
        return f"{counted(number, 'published version')} {'was' if number == 1 else 'were'} not compared with this one. {said}"
    if number:
        one = number == 1
        which = "the version" if one else f"any of the {counted(number, 'version')}"
        return f"This version was not compared with {which} published before: nobody has measured what the versions tell together. {said}"
    return "" if asked else f"Versions of this dataset are not compared with each other. {said}"


def _nothing_in_common(figures: SeriesFigures) -> str:
    """Where the home has versions before, and nothing in them could be compared with this one."""
    if not figures.earlier or _in_common(figures):
        return ""
    nothing = "Nothing in this version was compared with the versions before"
    if not figures.compared:
        return f"{nothing}: the policy says of every sensitive attribute that it changes (changes: true)."
    if figures.came < figures.people:
        return f"{nothing}: its sensitive attributes are in none of them. If they only have new names, ask for the old ones."
    return f"{nothing}: nobody, or hardly anybody, is in both."


def _in_common(figures: SeriesFigures) -> bool:
    return any(each.people for each in figures.compared)


def _of_this_one(figures: SeriesFigures, asked: bool) -> list[str]:
    none = [] if (figures.unmeasured and not asked) or figures.not_measured else ["No version was published before this one."]
    return [*none, "What is required of all versions together was measured on this one alone."] if asked else none


def _together(figures: SeriesFigures, names: Mapping[str, str], judged: Sequence[Verdict]) -> list[str]:
    named = [names.get(candidate, UNNAMED) for candidate in figures.earlier]
    together = " and ".join(filter(None, [", ".join(named[:-1]), named[-1]]))
    came, people = counted(figures.came, "person", "people"), counted(figures.people, "person", "people")
    several = max(figures.several, figures.people - figures.came)  # also where nothing steady is in the earlier one
    compared = [
        f"This version was compared with {together}. Whoever knows that a person is in several of them knows that the person's value is "
        "one that all of the person's groups have in common."
    ]
    sentences = [
        *(compared if _in_common(figures) else ()),
        f"Of the {people} in this version, at least {several:,} are in an earlier one too. Since {named[-1]}, at most {came} came, "
        f"and at most {figures.left:,} left. These counts are rounded, so that they tell of nobody.",
    ]
    sentences += _not_compared(figures)
    if figures.sticky:
        sentences.append("People who were published together before were kept together (anonymize.series: sticky).")
    if figures.linkability_any > figures.linkability:
        sentences.append(
            f"Somebody who compares three or more of the versions, but not all of them, can be {100 * figures.linkability_any:.1f} % "
            "certain of somebody's sensitive value; the policy sets no limit on that."
        )
    if figures.by_default:
        sentences.append("The policy sets no limits for several versions, so its limit for one version applies to all of them together.")
    elif judged:
        sentences.append("The limits are those of the policy (gates.series).")
        if not any(verdict.bound == LINKABILITY for verdict in judged):
            sentences.append("They do not limit how certain somebody can be of a sensitive value.")
    return sentences


def _not_compared(figures: SeriesFigures) -> list[str]:
    """Whoever reads the bounds must know of what nothing was measured."""
    unknown = list(dict.fromkeys(each.names[0] for each in figures.compared if len(each.names) == 1 and not each.people))
    sentences = []
    if unknown:
        what, check = ("it", "it was not") if len(unknown) == 1 else ("them", "none of them was")
        missing = f"No earlier version has {what} for anybody who is in this one."
        sentences.append(f"Not compared: {_listed(unknown)}. {missing} Check that {check} only renamed.")
    if figures.changing:
        what = "it is" if len(figures.changing) == 1 else "they are"
        sentences.append(f"Not compared: {_listed(figures.changing)}. The policy says that {what} new in each version (changes: true).")
    if not figures.compared:
        sentences.append("So nothing was measured of several versions together: each stands for itself.")
    return sentences


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(f"'{name}'" for name in names[:NAMED]) + more

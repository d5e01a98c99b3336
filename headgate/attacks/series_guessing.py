"""Guessing from a series (DEFINITIONS §11): the attacker knows a person's groups in all versions that hold the person.

The guess is the value v with the largest Π_i (c_i(v)/|G_i|) / π(v)^(n−1): n versions as independent evidence, π(v) being its share in all
rows of all versions. Ties go to the value that the intersection holds more often, then to the one more frequent overall, then to the first
in domain order. Where no value is in every group, the guess is that from one version: the most frequent value of the group in which its
share is largest. The attack is compared with that guess, and with guessing the most frequent value of all versions.

What is right about people who are in no version is population knowledge: `Outsiders` are attacked in the same way, each by all groups of
somebody who is like them. So they differ from those who are attacked in one thing: their own values are in no group. More than they lose
is the leak.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.attacks.matching import fitting_classes, match
from headgate.attacks.success import AttackResult, Success, guessed_value, percent, success
from headgate.core.columns import Codes, Column
from headgate.core.compiling import loop
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import PublishedTable
from headgate.core.tolerance import TOLERANCE
from headgate.series.chains import ABSENT, UNKNOWN, Compared, compare
from headgate.series.published_versions import Version, check_versions
from headgate.series.series_risk import measure

UNSEEN = -2  # a value that no version holds


@dataclass(frozen=True, eq=False)
class Outsiders:
    """People who are in no version: in whose groups each is looked for, by the number of that person in the versions, −1 for nobody's; and
    their own values, in the codes of the published columns."""

    like: NDArray[np.integer[Any]]
    own: Mapping[str, Codes]


@dataclass(frozen=True, eq=False)
class SeriesGuessing(AttackResult):
    """`from_one` is the guess from one version about the same people, and `predicted` what the formula says of them: the mean of their
    series linkability over all values."""

    names: tuple[str, ...]
    success: Success
    from_one: Success
    predicted: float
    outsiders: Success | None

    @property
    def beats_formula(self) -> bool:
        """Whether the attacker is right more often than series linkability says, by more than chance."""
        return self.success.interval[0] > self.predicted + TOLERANCE

    @property
    def leak(self) -> float | None:
        """What the attacker gains over the same guesses about people who are in no version."""
        return None if self.outsiders is None else self.success.share - self.outsiders.share

    def remark(self) -> str:
        beaten = ": the attack beats it" if self.beats_formula else ""
        formula = f"Series linkability predicts {percent(self.predicted)} %{beaten}."
        said = f"From one version, {_named(self.names)} is guessed rightly for {_share(self.from_one)}{self._secrets()}. {formula}"
        return said if self.outsiders is None else f"{said} {self._control(self.outsiders)}"

    def _secrets(self) -> str:
        sensitive = self.from_one.sensitive
        if sensitive is None or self.success.sensitive == self.success.right:
            return ""
        return f"; for sensitive values only, for {percent(sensitive / self.from_one.people)} %"

    def _control(self, outsiders: Success) -> str:
        who = "1 person who is" if outsiders.people == 1 else f"{outsiders.people:,} people who are"
        said = f"Of {who} in no version, the same guesses are right for {_share(outsiders)}, which is knowledge about the population"
        if self.success.interval[0] <= outsiders.interval[1]:
            return f"{said}; chance may explain the difference."
        return f"{said}; the other {percent(self.success.share - outsiders.share)} percentage points are what the versions give away."

    def who(self, tables: str) -> str:
        what = guessed_value("' and '".join(self.names), self.success)
        return f"somebody who compares a person's groups in several versions of {tables} is right about {what}"


def series_guessing(
    versions: Sequence[Version],
    names: Sequence[str],
    outsiders: Outsiders | None = None,
    people: NDArray[np.integer[Any]] | None = None,
) -> SeriesGuessing:
    """Attacks everybody who is in more than one version and whose own value is known, by the value in the newest of these versions; with
    `people`, only those among these numbers."""
    check_versions(versions)
    compared = compare(versions, tuple(names))
    truth = _newest(compared.own)
    wanted = compared.several & (truth != UNKNOWN)
    if people is not None:
        wanted &= np.isin(compared.people, people)
    attacked = np.flatnonzero(wanted)
    done, from_one = _attack(compared, compared.readings[0].classes[attacked], truth[attacked])
    figures = measure(_only(compared, attacked))
    predicted = float(figures.by_person(figures.linkability_all).mean())
    control = None if outsiders is None else _control(compared, outsiders)
    return SeriesGuessing(tuple(names), done, from_one, predicted, control)


def held_out(people: int, share: float, seed: int) -> NDArray[np.bool_]:
    """A random share of people to leave out of every version, who can later be attacked as outsiders."""
    chosen = np.zeros(people, dtype=np.bool_)
    chosen[np.random.default_rng(seed).choice(people, round(share * people), replace=False)] = True
    return chosen


def fitting_row(published: PublishedTable, people: Mapping[str, Column], seed: int) -> NDArray[np.int64]:
    """For each person a random row of the table that fits the person's quasi-identifiers, −1 if none does; its class is where somebody who
    thinks that the person is in the table would look."""
    matches = match(published, people)
    draw, drawn = np.random.default_rng(seed).random(len(matches.cell)), np.full(len(matches.cell), ABSENT, dtype=np.int64)
    fits, rows = np.empty(len(matches.sizes), dtype=np.int64), np.argsort(matches.classes, kind="stable")
    starts = np.cumsum(matches.sizes) - matches.sizes
    for cell, wanted in enumerate(matches.wanted):
        fitting = fits[: fitting_classes(matches.bits, wanted, fits)]
        mine = np.flatnonzero(matches.cell == cell)
        if len(fitting):
            upto = np.cumsum(matches.sizes[fitting])
            place = (draw[mine] * upto[-1]).astype(np.int64)
            chosen = np.searchsorted(upto, place, side="right")
            drawn[mine] = rows[starts[fitting[chosen]] + place - (upto - matches.sizes[fitting])[chosen]]
    return drawn


def _newest(own: Codes) -> Codes:
    """Everybody's own value in the last version in which it is known."""
    truth = own[:, 0].copy()
    for values in own.T[1:]:
        truth = np.where(values == UNKNOWN, truth, values)
    return truth


def _only(compared: Compared, places: NDArray[np.int64]) -> Compared:
    readings = tuple(replace(chains, classes=chains.classes[places]) for chains in compared.readings)
    return replace(compared, people=compared.people[places], own=compared.own[places], readings=readings)


def _attack(compared: Compared, classes: Codes, truth: Codes) -> tuple[Success, Success]:
    """From all versions, and from one."""
    counts = compared.readings[0].counts
    total = np.bincount(counts.codes, weights=counts.counts, minlength=len(compared.distinct))
    series, single = _guesses(classes, counts.starts, counts.codes, counts.counts, counts.sizes, total, np.log(total / total.sum()))
    overall = truth == int(total.argmax())
    named = _named(compared.names)
    return (
        _succeeded(compared, f"{named} from all versions", truth, series == truth, overall),
        _succeeded(compared, f"{named} from one version", truth, single == truth, overall),
    )


def _succeeded(compared: Compared, guess: str, truth: Codes, right: NDArray[np.bool_], overall: NDArray[np.bool_]) -> Success:
    done = success("Series", guess, len(truth), right.sum(), overall.sum())
    sensitive, sensitive_overall = (int(compared.sensitive[truth[flags]].sum()) for flags in (right, overall))
    return replace(done, sensitive=sensitive, sensitive_overall=sensitive_overall)


def _control(compared: Compared, outsiders: Outsiders) -> Success:
    if not np.isin(outsiders.like, np.append(compared.people[compared.several], ABSENT)).all():
        raise InputRejected("An outsider is looked for in the groups of nobody who is attacked.", "Give −1 where nobody is like them.")
    like = np.flatnonzero(outsiders.like != ABSENT)
    number = {tuple(row): place for place, row in enumerate(compared.distinct.tolist())}
    rows = np.stack([outsiders.own[name][like] for name in compared.names], axis=1).tolist()
    truth = np.array([number.get(tuple(row), UNSEEN) for row in rows], dtype=np.int32)
    classes = compared.readings[0].classes[np.searchsorted(compared.people, outsiders.like[like])]
    return _attack(compared, classes, truth)[0]


@loop
def _guesses(
    classes: NDArray[np.int32],
    starts: NDArray[np.int64],
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    total: NDArray[np.float64],
    log_share: NDArray[np.float64],
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """By person, the guess from all versions and the guess from one."""
    series, single = np.full(len(classes), UNSEEN, np.int32), np.full(len(classes), UNSEEN, np.int32)
    kept, least, score = np.empty(len(total), np.int32), np.empty(len(total), np.int64), np.empty(len(total))
    for person in range(len(classes)):
        many, versions, best = -1, 0, 0.0
        for group in classes[person]:
            if group < 0:
                continue
            versions += 1
            left, entry, end = 0, starts[group], starts[group + 1]
            for i in range(end - entry if many < 0 else many):
                value = codes[starts[group] + i] if many < 0 else kept[i]
                while entry < end and codes[entry] < value:
                    entry += 1
                if entry == end:
                    break
                if codes[entry] == value:
                    before, fewest = (0.0, counts[entry]) if many < 0 else (score[i], least[i])
                    kept[left], least[left], score[left] = value, min(fewest, counts[entry]), before + np.log(counts[entry])
                    left += 1
            many = left
            for entry in range(starts[group], end):
                share, value = counts[entry] / sizes[group], codes[entry]
                if share > best + TOLERANCE or (share > best - TOLERANCE and _before(value, single[person], total)):
                    best, single[person] = max(best, share), value
        chosen = -1
        for i in range(many):
            score[i] -= (versions - 1) * log_share[kept[i]]
            ahead = 1.0 if chosen < 0 else score[i] - score[chosen]
            more = 1 if chosen < 0 else least[i] - least[chosen]
            if ahead > TOLERANCE or (ahead > -TOLERANCE and (more > 0 or (more == 0 and total[kept[i]] > total[kept[chosen]]))):
                chosen = i
        series[person] = kept[chosen] if chosen >= 0 else single[person]
    return series, single


@loop
def _before(value: int, other: int, total: NDArray[np.float64]) -> bool:
    """Whether the value is more frequent overall, or else the first in domain order."""
    return other < 0 or total[value] > total[other] or (total[value] == total[other] and value < other)


def _named(names: Sequence[str]) -> str:
    return " and ".join(f"'{name}'" for name in names)


def _share(done: Success) -> str:
    low, high = done.interval
    return f"{percent(done.share)} % ({percent(low)} to {percent(high)})"

"""What `headgate check` should measure, as typed on the command line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from flows.terminal.current_folder import from_here
from headgate.core.errors import CellsRejected, InputRejected
from headgate.library.check_table import CheckResult, check
from policies.words.fields import choices
from tasks.reading.any_table import open_any, read_any_table
from tasks.reading.references import read_hierarchy
from tasks.reading.source import read_bytes

KINDS = ("number", "integer", "date", "category", "set")  # those that need no further declaration
NAME = re.compile(r'\s*(?:"((?:[^"]|"")+)"\s*(?=,|$)|([^,]+))')


@dataclass(frozen=True)
class Question:
    """What to measure, and what is required."""

    quasi: list[str]
    sensitive: list[str]
    group: str | None
    epsilon: float | None
    delta: float | None
    interval: float | None
    required: dict[str, float | str]
    kinds: dict[str, str]
    hierarchies: dict[str, str]  # files
    scales: dict[str, str]

    @classmethod
    def of(
        cls,
        quasi: str,
        sensitive: str,
        group: str | None,
        epsilon: float | None,
        delta: float | None,
        interval: float | None,
        thresholds: Mapping[str, float | None],
        require: Sequence[str] | None,
        kind: Sequence[str] | None,
        hierarchy: Sequence[str] | None,
        log: Sequence[str] | None,
    ) -> Question:
        required: dict[str, float | str] = {key: value for key, value in thresholds.items() if value is not None}
        for key, value in pairs_of(require or (), "MEASURE=NUMBER, such as entropy_l=2").items():
            if key in required:
                raise InputRejected(f"'{key}' is required twice.", "Give one requirement per measure.")
            required[key] = value
        question = cls(
            *(_names(quasi), _names(sensitive), group, epsilon, delta, interval, required),
            kinds=pairs_of(kind or (), "NAME=KIND, such as income=number"),
            hierarchies=pairs_of(hierarchy or (), "NAME=FILE"),
            scales=dict.fromkeys(_names(",".join(log or ())), "log"),
        )
        question._check()
        return question

    def _check(self) -> None:
        for name, kind in self.kinds.items():
            if kind not in KINDS:
                raise InputRejected(f"The kind of '{name}' is unknown.", f"Use one of {', '.join(KINDS)}.")
        for name in (*self.kinds, *self.hierarchies, *self.scales):
            if name not in self.sensitive:
                raise InputRejected(f"'{name}' is not among the sensitive attributes.", "Only those take a kind, a hierarchy or a scale.")


def measure(table: Path, question: Question) -> CheckResult:
    hierarchies = {
        name: read_hierarchy(read_bytes(from_here(Path(path)), "The hierarchy"), path, name) for name, path in question.hierarchies.items()
    }
    kinds = {**dict.fromkeys(hierarchies, "category"), **question.kinds}
    names = [*question.quasi, *question.sensitive, *([question.group] if question.group is not None else [])]
    limits = (question.epsilon, question.delta, question.interval)
    try:
        frame = read_any_table(table, names, [name for name in question.sensitive if name not in kinds])
        return check(
            frame,
            question.quasi,
            question.sensitive,
            *limits,
            question.group,
            kinds,
            hierarchies,
            question.required,
            question.scales,
        )
    except CellsRejected as refusal:
        cure = f"Correct the cells, or say how to compare them: --kind {refusal.column}={choices(KINDS)}."
        problem = open_any(table).source.located(refusal).cured_by(cure)
    raise problem


def pairs_of(texts: Sequence[str], form: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in texts:
        name, sign, value = (part.strip() for part in text.partition("="))
        if not sign or not value:
            raise InputRejected(f"'{text}' does not have the form NAME=VALUE.", f"Write {form}.")
        if name in pairs:
            raise InputRejected(f"'{name}' is given twice.", "Give it once.")
        pairs[name] = value
    return pairs


def _names(listed: str) -> list[str]:
    """Names separated by commas. A name that contains a comma, or begins or ends with a space, is in quotation marks."""
    names = [(quoted.replace('""', '"'), bare.strip()) for quoted, bare in NAME.findall(listed)]
    return [quoted or bare for quoted, bare in names if quoted or bare]

"""operator.yaml as it lies in the home, if nobody but the operator could have written it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from headgate.core.errors import InputRejected
from policies.schema.operator_file import OPERATORS_PAGE, Operator
from tasks.runtime.trusted_files import read_trusted

OPERATOR_FILE = "operator.yaml"


def read_operator(home: Path) -> tuple[Operator, str] | None:
    """What it says, and its SHA-256; None where there is none."""
    from policies.schema.loading import parse_file

    path = home / OPERATOR_FILE
    content = read_trusted(path)
    if content is None:
        return None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise InputRejected(f"{path} is not UTF-8.", "Save it as UTF-8.") from None
    return parse_file(Operator, text, OPERATOR_FILE, OPERATORS_PAGE), hashlib.sha256(content).hexdigest()


def operator_in(home: Path) -> Operator:
    """What it says; without the file what holds where nothing is said."""
    read = read_operator(home)
    return Operator() if read is None else read[0]


def longest_gap_days(home: Path) -> int:
    return operator_in(home).clock.max_gap_days


def limits_in(home: Path) -> dict[str, int]:
    """How much may be read, as the operator of this home has it; nothing where nothing is said."""
    return operator_in(home).limits.said

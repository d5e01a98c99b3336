"""The registers an attacker may hold, in the same codes as the release's quasi-identifiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from headgate.columns import Column, Table
from headgate.errors import HeadgateError, InputRejected
from headgate.risk.consistency import encode_dictionary
from tasks.references import Dictionary


def encode_dictionaries(dictionaries: Sequence[Dictionary], table: Table) -> dict[str, Mapping[str, Column]]:
    """By path, as the policy writes it."""
    return {given.path: _encoded(given, table) for given in dictionaries}


def _encoded(given: Dictionary, table: Table) -> Mapping[str, Column]:
    try:
        return encode_dictionary(given.frame, table.columns, given.on)
    except HeadgateError as refusal:
        problem = InputRejected(f"The dictionary {given.path}: {refusal.message}", refusal.cure)
    raise problem

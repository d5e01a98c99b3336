"""Where people find the console, and a candidate in it: below HEADGATE_CONSOLE_URL, or else below the first address at which the operator
lets passkeys be used."""

from __future__ import annotations

import os
import re

from tasks.approval.operator_demands import operator_demands
from tasks.runtime.home import Home

VARIABLE = "HEADGATE_CONSOLE_URL"


def candidate_page(home: Home, candidate: str) -> str | None:
    """None where nothing names the console's address."""
    address = console_address(home)
    return None if address is None else f"{address}/candidates/{candidate}"


def console_address(home: Home) -> str | None:
    address = os.environ.get(VARIABLE, "").rstrip("/") or _operators(home)
    return address if re.fullmatch(r"https?://[^\s@]+", address) else None


def _operators(home: Home) -> str:
    passkeys = operator_demands(home).operator.passkeys
    return "" if passkeys is None else passkeys.origins[0]

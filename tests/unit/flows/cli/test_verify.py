"""What `headgate verify` prints of claims that it could not measure."""

from __future__ import annotations

from flows.cli.verify import _united


def test_a_claim_that_cannot_be_measured_of_several_tables_is_said_once() -> None:
    claims = ["linkability of table-1 (no register)", "linkability of table-2 (no register)", "utility"]
    assert _united(claims) == ["linkability of table-1, table-2 (no register)", "utility"]

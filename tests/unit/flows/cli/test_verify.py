"""What `headgate verify` prints of claims that it could not measure."""

from __future__ import annotations

from flows.cli.verify import _united


def test_a_claim_that_cannot_be_measured_of_several_tables_is_said_once() -> None:
    resting = "which rests on the dictionary register, which is not published"
    claims = [
        f"disclosure of table-1, {resting}",
        "query error of table-1 against the source",
        "utility",
        f"disclosure of table-2, {resting}",
    ]
    assert _united(claims) == [f"disclosure of table-1, table-2, {resting}", "query error of table-1 against the source", "utility"]

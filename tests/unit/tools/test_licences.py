"""The list of licences says of each package what it states itself."""

from __future__ import annotations

from typing import Any

from tools.licences import licence_list


def part(name: str, *licences: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "version": "1.0", "licenses": list(licences)}


def test_an_expression_goes_before_ids_and_these_before_names_and_who_states_nothing_is_first() -> None:
    bill = {
        "components": [
            part("a", {"license": {"id": "MIT"}}, {"license": {"name": "License :: OSI Approved"}}),
            part("Z", {"license": {"name": "declared license of 'Z'"}}),
            part("b", {"expression": "Apache-2.0 OR MIT"}),
            part("c", {"license": {"name": "BSD License"}}, {"license": {"name": "License :: OSI Approved :: BSD License"}}),
            {"name": "d", "version": "1.0"},
            part("e", {"license": {"name": "The text of a licence\nfrom its first line"}}),
        ]
    }
    assert licence_list(bill) == [
        "d 1.0: not stated",
        "e 1.0: not stated",
        "Z 1.0: not stated",
        "a 1.0: MIT",
        "b 1.0: Apache-2.0 OR MIT",
        "c 1.0: BSD License",
    ]

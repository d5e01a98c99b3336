from __future__ import annotations

import pytest

from tests.unit.headgate.methods.full_domain.every_node import (
    CONDITIONS,
    compare,
    drawn,
)


@pytest.mark.slow
@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda one: " ".join(map(str, one)))
@pytest.mark.parametrize("share", ["0", "0.25"])
def test_each_condition_alone_with_and_without_suppression(condition, share):
    for seed in range(4):
        compare(drawn(seed), 2, share, "ncp", [condition], tree=seed % 2 == 1)


@pytest.mark.parametrize("objective", ["ncp", "discernibility", "arx"])
def test_entropy_with_harmless_values_prunes_nothing(objective):
    """A group without sensitive values keeps entropy l whatever it holds, and breaks it once it merges with one that has some."""
    rows = [("a", 0, "f", "flu", 10), ("a", 0, "f", "cold", 10)] + [("b", 0, "f", "none", 10)] * 10
    compare(rows, 2, "0", objective, [("entropy", "2")], harmless=("none",))


def test_linkability_prunes_nothing_where_groups_are_suppressed():
    """Two groups of which one is suppressed within the limit; merged they fail as a whole."""
    rows = [("a", 0, "f", "flu", 10)] * 4 + [("b", 0, "f", ill, 10) for ill in ("cold", "ulcer", "flu", "cold", "ulcer", "flu")]
    compare(rows, 2, "0.4", "ncp", [("linkability", "0.5")])

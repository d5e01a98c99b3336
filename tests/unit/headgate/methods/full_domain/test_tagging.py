from __future__ import annotations

from headgate.grouping.watch import Watch
from headgate.methods.full_domain.level_search import full_domain
from headgate.methods.full_domain.level_settings import LevelSettings
from tests.unit.headgate.methods.full_domain.mixed import encoded, mixed


def test_progress_counts_nodes():
    watch = Watch()
    full_domain(encoded(mixed()), ("ill",), LevelSettings(2), watch)
    assert watch.state[1] == 4 * 3 * 8 * 2

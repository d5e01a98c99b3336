from __future__ import annotations

from fractions import Fraction

import pytest

from headgate.core.published_form.published_table import publish_form
from headgate.methods.full_domain.level_search import full_domain
from headgate.methods.full_domain.level_settings import LevelSettings
from headgate.utility.loss import discernibility, information_loss
from tests.unit.headgate.methods.full_domain.mixed import encoded, mixed


@pytest.mark.parametrize("objective", ["ncp", "discernibility"])
@pytest.mark.parametrize("suppression", ["0", "0.2"])
def test_loss_is_what_the_published_table_measures(objective, suppression):
    table = encoded(mixed())
    found = full_domain(table, ("ill",), LevelSettings(4, Fraction(suppression), objective)).require()
    published = publish_form(table, found.groups, "t", ["ill"], levels=found.levels)
    measured = information_loss(published, {name: table[name] for name in table.quasi}, found.suppressed)
    assert found.ncp == pytest.approx(measured.ncp)
    assert found.loss == pytest.approx(measured.ncp if objective == "ncp" else discernibility(published.classes(), table.rows))
    assert len(published.classes()) == 1  # groups are what is published alike

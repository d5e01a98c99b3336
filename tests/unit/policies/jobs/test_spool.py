"""A spool gives back what was put into it, under a reference that tells nothing, until it is closed."""

from __future__ import annotations

import pytest

from headgate.core.errors import Defect
from policies.jobs.spool import MemorySpool, Reference


def test_what_was_put_is_got_and_its_reference_tells_nothing_of_it() -> None:
    spool, thing = MemorySpool(), ["secret"]
    reference = spool.put(thing)
    assert spool.get(reference) is thing
    assert "secret" not in repr(reference)
    assert "secret" not in repr(spool)
    assert spool.put(thing) != reference


def test_another_spools_reference_leads_nowhere() -> None:
    spool = MemorySpool()
    for reference in (MemorySpool().put(1), Reference[int]("0")):
        with pytest.raises(Defect):
            spool.get(reference)


def test_what_is_dropped_is_gone_and_the_rest_stays() -> None:
    spool = MemorySpool()
    one, other = spool.put(1), spool.put(2)
    spool.drop(one)
    assert spool.get(other) == 2
    with pytest.raises(Defect):
        spool.get(one)


def test_a_closed_spool_holds_nothing() -> None:
    spool = MemorySpool()
    reference = spool.put(1)
    spool.close()
    spool.close()
    for act in (lambda: spool.get(reference), lambda: spool.put(2)):
        with pytest.raises(Defect):
            act()

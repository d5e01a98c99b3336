import pickle

import pytest

from headgate.core.errors import InputRejected
from headgate.projection.codip import codip_star
from headgate.projection.plan import NoPlan


def test_no_table_is_checked_twice(five):
    asked = []
    codip_star(five, 1.0, 1.0, lambda names: asked.append(names) is None)
    assert len(asked) == len(set(asked)) == 9  # five attributes, and one new table for each of four merges


def test_an_answer_that_is_neither_yes_nor_no_passes_nothing(five):
    with pytest.raises(InputRejected, match="neither"):
        codip_star(five, 1.0, 1.0, lambda names: "yes")


def test_every_step_can_be_kept_in_a_manifest(five):
    """The record of the search holds numbers of columns only: values of a set may have become names."""
    from dataclasses import asdict

    from policies.sealed.manifest import PlanStep

    for step in codip_star(five, 1.0, 0.2).steps:
        kept = PlanStep(**asdict(step))
        assert kept.tables == step.tables
        assert kept.merged == step.merged


def test_why_there_is_no_plan_is_the_same_in_another_process():
    """A worker that searched for one gives it out. It could be written there, and was read as other arguments."""
    why = NoPlan("No plan passes.", 0.0, 1.0, "Lower k.", ())
    read = pickle.loads(pickle.dumps(why))
    assert (type(read), str(read), vars(read)) == (NoPlan, str(why), vars(why))

"""What a worker does, and what it lets out."""

from __future__ import annotations

import pytest

from headgate.core.errors import Defect, InputRejected
from headgate.grouping.watch import Stopped
from tasks.cluster.dask_engine import DaskEngine
from tasks.cluster.remote_work import answered
from tests.unit.tasks.cluster.shared_jobs import in_pieces, refused_pieces, workers_of


@pytest.mark.slow
def test_pieces_are_shared_out_and_come_back_in_their_order(engine: DaskEngine) -> None:
    made, rows = engine.client.submit(in_pieces, engine.shared, 8, pure=False).result()
    assert [piece for piece, _ in made] == list(range(8))
    assert {process for _, process in made} == set(workers_of(engine))
    assert rows == 80


@pytest.mark.slow
def test_what_refuses_a_piece_refuses_the_table(engine: DaskEngine) -> None:
    assert engine.client.submit(refused_pieces, engine.shared, pure=False).result() == "No. Yes."


def test_what_breaks_a_task_leaves_it_as_class_and_place() -> None:
    def broken() -> None:
        raise ValueError("somebody's illness")

    problem = answered(broken).problem
    assert isinstance(problem, Defect)
    assert "ValueError" in str(problem)
    assert "illness" not in str(problem)
    assert problem.__cause__ is problem.__context__ is None


def test_refusals_and_stops_are_told_as_they_are() -> None:
    def refused() -> None:
        raise InputRejected("No.", "Yes.", ["somebody's illness"])

    def stopped() -> None:
        raise Stopped

    problem = answered(refused).problem
    assert isinstance(problem, InputRejected)
    assert (str(problem), problem.values) == ("No. Yes.", ())
    assert answered(stopped).stopped
    assert answered(lambda: 7).thing == 7

"""What changed, as people read it in the terminal."""

from __future__ import annotations

from typing import Any

import pytest

from flows.views.changes_view import show_changes
from policies.changes.figure_changes import FigureChange, GateChange
from policies.changes.people_changes import PeopleChange
from policies.changes.policy_changes import PolicyChange
from policies.changes.reader_changes import ReaderChange
from policies.changes.release_changes import Changes, ColumnChange, Compared
from policies.gates.verdict import Verdict


def compared(candidate: str = "", tables: tuple[tuple[str, ...], ...] = (("job",),)) -> Compared:
    said = {"dataset": "people", "created": "2026-11-01T03:00:00+00:00", "policy_digest": "0" * 64}
    return Compared(candidate=candidate, release="0123456789abcdef", tables=tables, **said)


def shown(capsys: pytest.CaptureFixture[str], **parts: Any) -> str:
    nothing = {"same_source": True, "policy": (), "readers": (), "gates": (), "figures": (), "columns": ()}
    show_changes(Changes(**{"before": compared("a" * 64), "after": compared("b" * 64), **nothing, **parts}))
    return capsys.readouterr().out


def test_where_nothing_changed_every_part_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys).splitlines() == [
        "people: from aaaaaaaaaaaa of 2026-11-01 to bbbbbbbbbbbb of 2026-11-01",
        "Both were made from the same source.",
        "The home does not keep who is in both of them, so nobody can say how many people came and how many left.",
        "",
        "Readers find the same tables with the same columns.",
        "",
        "The policies say the same.",
        "",
        "No gate requires or measured anything else than before.",
        "",
        "No figure has changed.",
        "",
        "The published values are spread as before.",
    ]


def test_people_who_came_and_left_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    said = shown(capsys, people=PeopleChange(both=1200, came=3, left=1, exact=True))
    assert "People: 1,200 are in both, 3 came, and 1 left." in said
    assert "does not keep" not in said
    assert "does not keep" not in shown(capsys, before=compared())  # of folders nobody expects it


def test_what_breaks_a_readers_program_is_said_in_so_many_words(capsys: pytest.CaptureFixture[str]) -> None:
    gone = ReaderChange(table="table-1", column="job", sentence="job is in no table any more.", breaks=True)
    new = ReaderChange(table="", column="", sentence="tables/table-2.csv is new.", breaks=False)
    said = shown(capsys, readers=(gone, new), same_source=False, after=compared("b" * 64, (("income",), ("job",))))
    assert "They were made from different sources.\n" in said
    assert "Tables before: job\nTables now: income; job\n" in said
    assert "programs written for the earlier version would break\nbreaks  table-1: job is in no table any more.\n  also  tables/t" in said


def test_policies_that_are_not_known_are_not_said_to_be_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    said = shown(capsys, policy=None, before=compared())
    assert "from release 0123456789abcdef of" in said
    assert "The policies cannot be compared" in said
    assert "say the same" not in said


def test_gates_and_figures_have_a_direction(capsys: pytest.CaptureFixture[str]) -> None:
    old, new = (
        Verdict(gate="linkability", table="table-1", comparison="at most", measured=measured, required=required, passed=True)
        for measured, required in ((0.5, 0.8), (0.6, 0.7))
    )
    gates = (GateChange(gate="linkability", table="table-1", before=old, after=new), GateChange(gate="k", table="", before=None, after=old))
    loss = FigureChange(figure="loss (NCP)", table="", before=0.2, after=0.1, better=True)
    key = PolicyChange(key="gates.linkability", before="0.8", after="0.7")
    said = [" ".join(line.split()) for line in shown(capsys, gates=gates, figures=(loss,), policy=(key,)).splitlines()]
    assert "linkability table-1 at most 0.8 → at most 0.7, stricter 0.5 0.6 worse" in said
    assert "linkability release not asked → at most 0.8 – 0.5" in said
    assert "loss (NCP) release 0.2 0.1 better" in said
    assert "gates.linkability 0.8 0.7" in said


def test_many_columns_that_moved_are_cut_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    columns = tuple(
        ColumnChange(table="table-1", column=f"c{number}", total_variation=0.5 - number / 100, place="a", before=0.1, after=0.6)
        for number in range(25)
    )
    said = shown(capsys, columns=columns)
    assert "c19 " in said
    assert "c20 " not in said
    assert "… and 5 more, which moved less" in said

"""`headgate demo`: the commands that a person would type, in their order; what they do has tests of its own."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from flows.cli import demo
from flows.cli.demo import _copy_policy, _Journey, _latest, _make_people, _one_server, _release_and_refusal, _stricter
from headgate.core.errors import Defect
from policies.schema.loading import parse_policy
from tasks.reading.references import load_policy
from tasks.runtime.home import Home
from tasks.signing.signers_file import signers_from_text


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A journey sets variables for its commands; they end with the test."""
    monkeypatch.setattr(os, "environ", dict(os.environ))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.open(tmp_path / "a home")


def test_the_journey_is_released_approved_twice_published_verified_audited_and_refused(
    world: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    typed: list[tuple[str, ...]] = []

    def command(arguments: tuple[str, ...]) -> int:
        typed.append(arguments)
        if arguments[0] == "release" and len(typed) == 1:
            world.seal()
        return 3 if "too-strict" in arguments[1] else 0

    policy = world.home.root / "policy.yaml"
    policy.write_text("min_candidates: 140\n", encoding="utf-8")
    _release_and_refusal(_Journey(world.home.root, command), world.home, policy)
    assert [arguments[0] for arguments in typed] == ["release", "approve", "approve", "publish", "verify", "audit", "release"]
    (candidate,) = {arguments[1] for arguments in typed if arguments[0] in ("approve", "publish")}
    assert [path.name[:12] for path in world.home.candidates.iterdir()] == [candidate]
    keys = [Path(arguments[arguments.index("--key") + 1]).name for arguments in typed if arguments[0] == "approve"]
    assert keys == ["alice", "bob"]
    assert typed[4][1] == str(world.home.releases / "hospital-patients" / "latest")
    assert [Path(arguments[3]).name for arguments in typed if arguments[0] == "release"] == ["steward", "steward"]
    assert Path(typed[-1][1]).read_text(encoding="utf-8") == "min_candidates: 300\n"
    shown = capsys.readouterr().out
    assert [line.split()[2] for line in shown.splitlines() if line.startswith("$ headgate")] == [arguments[0] for arguments in typed]
    assert '--reason "read the report"' in shown


@pytest.mark.parametrize(("code", "expected"), [(1, 0), (0, 3), (3, 0)])
def test_a_command_that_ends_otherwise_than_it_should_is_a_defect(code: int, expected: int, home: Home) -> None:
    with pytest.raises(Defect, match=f"ended with {code} instead of {expected}"):
        _Journey(home.root, lambda _arguments: code).run("release", "p.yaml", expected=expected)


def test_a_journey_takes_nothing_from_the_environment_but_its_own_home(home: Home) -> None:
    os.environ.update(HEADGATE_KEY="mine", HEADGATE_STORE="s3://elsewhere", HEADGATE_HOME="/home/mine")
    _Journey(home.root, lambda _arguments: 0)
    assert os.environ["HEADGATE_HOME"] == str(home.root)
    assert os.environ.keys() & {"HEADGATE_KEY", "HEADGATE_STORE"} == set()


def test_the_policy_is_copied_with_its_data_and_without_code_and_again_each_time(home: Home) -> None:
    copied = _copy_policy(home.root / "work")
    (copied.parent / "left behind").write_text("")
    assert _copy_policy(home.root / "work") == copied == home.root / "work" / "hospital-patients.yaml"
    loaded = load_policy(copied)
    assert (copied.parent / loaded.policy.source.path).exists()
    assert [path.suffix for path in copied.parent.rglob("*") if path.suffix == ".py"] == []
    assert not (copied.parent / "left behind").exists()


def test_the_stricter_policy_asks_for_more_candidates_and_nothing_else(home: Home) -> None:
    text = _copy_policy(home.root / "work").read_text(encoding="utf-8")
    strict, plain = (parse_policy(written, "p.yaml") for written in (_stricter(text), text))
    assert strict.gates.disclosure.min_candidates == 300 > plain.gates.disclosure.min_candidates
    assert re.sub("min_candidates: [0-9]+", "", _stricter(text)) == re.sub("min_candidates: [0-9]+", "", text)
    with pytest.raises(Defect):
        _stricter("gates: {linkability: 0.8}")


def test_everybody_has_a_key_that_counts_and_keeps_it(home: Home) -> None:
    _make_people(home)
    first = home.signers.read_text(encoding="utf-8")
    entries = signers_from_text(first)
    assert [entry.principal for entry in entries] == ["alice", "bob", "steward"]
    _make_people(home)
    assert home.signers.read_text(encoding="utf-8") == first
    assert _latest(home) == home.releases / "hospital-patients" / "latest"


def test_a_server_that_is_named_already_is_the_one(home: Home) -> None:
    os.environ["PREFECT_API_URL"] = "http://127.0.0.1:9/api"
    with _one_server(home):
        assert os.environ["PREFECT_API_URL"] == "http://127.0.0.1:9/api"
    assert os.environ["PREFECT_API_URL"] == "http://127.0.0.1:9/api"


def test_it_says_what_it_leaves_and_how_to_remove_it_also_when_it_fails(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each run left a home of some 10 MB among the temporary files, without a word."""

    def fails(*_given: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "_release_and_refusal", fails)
    os.environ["PREFECT_API_URL"] = "http://127.0.0.1:9/api"
    place = tmp_path / "a demo"
    ended = run("demo", "--home", place)
    assert (ended.code, place.is_dir()) == (130, True)
    assert f"  rm -rf '{place}'\n" in ended.err

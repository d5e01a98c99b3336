"""Which home is met where, as somebody's own file says it."""

from __future__ import annotations

from pathlib import Path

import pytest

from headgate.core.errors import InputRejected, StoreUnavailable, TransitionRefused
from tasks.service.known_homes import known_homes_file, meet_home

ONE, OTHER = "SHA256:" + "A" * 43, "SHA256:" + "B" * 43
HERE, THERE = Path("/run/headgate/headgate.sock"), Path("/home/mallory/a socket")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config" / "headgate" / "known_homes"


def test_a_home_is_met_once_at_a_socket_and_known_from_then_on(file: Path) -> None:
    assert meet_home(ONE, HERE, file)
    assert not meet_home(ONE, HERE, file)
    assert meet_home(OTHER, THERE, file)
    assert not meet_home(OTHER, THERE, file)
    assert file.read_text() == f"{ONE} {HERE}\n{OTHER} {THERE}\n"
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_another_home_at_a_known_socket_is_refused_with_what_to_write(file: Path) -> None:
    meet_home(ONE, HERE, file)
    with pytest.raises(TransitionRefused, match=f"speaks for the home {OTHER}, and for {ONE} when you asked it before") as refused:
        meet_home(OTHER, HERE, file)
    assert f"write `{OTHER} {HERE}` in place of that line of {file}" in refused.value.cure
    assert file.read_text() == f"{ONE} {HERE}\n"


def test_a_known_home_at_another_socket_is_refused(file: Path) -> None:
    """Whoever listens there would pass on what they are asked, and a first meeting would be all that people saw of it."""
    meet_home(ONE, HERE, file)
    with pytest.raises(TransitionRefused, match=f"at {THERE} speaks for the home {ONE}, which you know at {HERE}"):
        meet_home(ONE, THERE, file)


def test_people_write_lines_of_their_own(file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.write_text(f"# from the operator\n\n  {ONE}   {HERE}\n{OTHER} {HERE}\n")
    assert not meet_home(ONE, HERE, file)
    assert not meet_home(OTHER, HERE, file)  # two machines with one such file


@pytest.mark.parametrize("line", [f"{ONE}", f"{ONE} run/s", f"{HERE} {ONE}", f"{ONE[:-1]} {HERE}"])
def test_a_line_that_is_not_understood_is_named(file: Path, line: str) -> None:
    file.parent.mkdir(parents=True)
    file.write_text(f"{OTHER} {HERE}\n{line}\n")
    with pytest.raises(InputRejected, match="Line 2 of"):
        meet_home(OTHER, HERE, file)


def test_what_cannot_be_kept_is_not_believed(tmp_path: Path) -> None:
    (tmp_path / "headgate").write_text("a file")
    with pytest.raises(StoreUnavailable, match="known_homes cannot be"):
        meet_home(ONE, HERE, tmp_path / "headgate" / "known_homes")
    (tmp_path / "folder").mkdir()
    with pytest.raises(StoreUnavailable, match="cannot be read"):
        meet_home(ONE, HERE, tmp_path / "folder")


def test_it_lies_among_the_settings_of_the_account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert known_homes_file({}) == known_homes_file({"XDG_CONFIG_HOME": "relative"}) == tmp_path / ".config/headgate/known_homes"
    assert known_homes_file({"XDG_CONFIG_HOME": "/etc/xdg"}) == Path("/etc/xdg/headgate/known_homes")

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from headgate.core.errors import InputRejected, IntegrityBroken, StoreUnavailable
from tasks.runtime.home import Home, mounted
from tasks.runtime.input_limits import CELLS


def test_a_home_is_made_private_and_keeps_everything_below_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HEADGATE_DATABASE_URL", "HEADGATE_STORE"):
        monkeypatch.delenv(name, raising=False)
    home = Home.open(tmp_path / "new" / "home")
    assert stat.S_IMODE(home.root.stat().st_mode) == 0o700
    below = (home.ledger, home.candidates, home.keys, home.signers, home.releases, home.prefect)
    assert all(path.is_relative_to(home.root) for path in below)
    assert (home.database_url, home.store) == (f"sqlite:///{home.ledger}", str(home.releases))
    assert sorted(path.name for path in home.root.iterdir()) == ["candidates", "keys", "staging"]


def test_the_environment_names_another_home_ledger_and_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADGATE_HOME", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("HEADGATE_DATABASE_URL", "sqlite:////data/ledger.db")
    monkeypatch.setenv("HEADGATE_STORE", "s3://bucket")
    home = Home.open()
    assert (home.root, home.database_url, home.store) == (tmp_path / "elsewhere", "sqlite:////data/ledger.db", "s3://bucket")


def test_a_home_that_cannot_be_used_is_said_with_a_cure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreUnavailable, match="cannot be used") as refusal:
        Home.open(tmp_path / "file")
    assert (refusal.value.code, "HEADGATE_HOME" in refusal.value.cure) == (6, True)


def test_a_home_that_is_gone_is_not_made_anew_by_what_goes_on_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it was moved under a service, or its disk was not mounted, a run went on in an empty home, in silence."""
    place = tmp_path / "home"
    monkeypatch.setenv("HEADGATE_HOME", str(place))
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match=r"home is gone\.") as refusal:
            Home.reopen()
        assert "set HEADGATE_HOME" in refusal.value.cure
        assert not (place / "keys").exists()
        place.mkdir(exist_ok=True)  # as where a disk would be mounted
    assert Home.open() == Home.reopen() == Home(place)


def test_a_stage_is_new_private_and_cleared(tmp_path: Path) -> None:
    home = Home.open(tmp_path / "home")
    stage = home.stage("release-1")
    assert stat.S_IMODE(stage.stat().st_mode) == 0o700
    assert os.listdir(stage) == []
    with pytest.raises(FileExistsError):
        home.stage("release-1")
    home.clear_stage("release-1")
    home.clear_stage("release-1")
    assert not stage.exists()


@pytest.mark.parametrize("release_id", ["../candidates", "../series/people", "/{tmp}/elsewhere", "..", "", "a/b", "a\n"])
def test_no_id_of_a_release_leads_out_of_the_staging_folder(tmp_path: Path, release_id: str) -> None:
    """A run that was killed left its id in the dataset's lock, and the next one removed what lay there: all candidates, once."""
    home = Home.open(tmp_path / "home")
    for folder in (home.candidates, home.series / "people", tmp_path / "elsewhere", home.staging):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "kept").write_text("")
    named = release_id.format(tmp=str(tmp_path)[1:])
    for use in (home.stage, home.shared, home.clear_stage):
        with pytest.raises(IntegrityBroken, match="leads out of"):
            use(named)
    assert len(list(tmp_path.rglob("kept"))) == 4


@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_a_home_is_private_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    """Under umask 000 everybody could write in it."""
    before = os.umask(umask)
    try:
        home = Home.open(tmp_path / "home")
        (home.root / "mlflow.db").write_text("as other programs write")
        (home.root / "prefect").mkdir()
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in [home.root, *home.root.iterdir()]}
    assert modes == {"home": 0o700, "candidates": 0o700, "keys": 0o700, "staging": 0o700, "mlflow.db": 0o600, "prefect": 0o700}


def test_a_home_that_others_could_read_is_closed_and_one_that_they_could_write_is_refused(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home").chmod(0o755)
    assert stat.S_IMODE(Home.open(tmp_path / "home").root.stat().st_mode) == 0o700
    for mode in (0o777, 0o770, 0o722):
        (tmp_path / "home").chmod(mode)
        with pytest.raises(InputRejected, match="can write in"):
            Home.open(tmp_path / "home")
    (tmp_path / "home").chmod(0o700)
    tmp_path.chmod(0o777)
    with pytest.raises(InputRejected, match="can write in"):
        Home.open(tmp_path / "home")


def test_the_home_does_not_depend_on_where_one_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stranger's folder could hold a `.headgate` with signers, keys and settings of the stranger's."""
    (tmp_path / "theirs" / ".headgate").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "theirs")
    monkeypatch.delenv("HEADGATE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "mine"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert Home.open().root == tmp_path / "data" / "headgate"
    for unset in ("", "relative"):
        monkeypatch.setenv("XDG_DATA_HOME", unset)
        assert Home.open().root == tmp_path / "mine" / ".local" / "share" / "headgate"
    assert list((tmp_path / "theirs" / ".headgate").iterdir()) == []


def test_a_home_that_would_depend_on_the_current_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HEADGATE_HOME", ".headgate")
    with pytest.raises(InputRejected, match="relative path"):
        Home.open()
    assert list(tmp_path.iterdir()) == []


def test_reading_a_home_makes_and_changes_nothing(tmp_path: Path) -> None:
    assert Home.read(tmp_path / "nothing").root == tmp_path / "nothing"
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o755)
    assert Home.read(tmp_path / "open").root.stat().st_mode & 0o777 == 0o755
    assert list((tmp_path / "open").iterdir()) == []


def test_the_limits_of_a_home_count_from_its_opening_until_another_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADGATE_MAX_CELLS", raising=False)
    for open_home in (Home.open, Home.read):
        Home.open(tmp_path / "home")
        (tmp_path / "home" / "operator.yaml").write_text("limits: {cells: 1000}\n")
        assert CELLS.most == CELLS.usual
        open_home(tmp_path / "home")
        assert CELLS.most == 1000
        (tmp_path / "home" / "operator.yaml").unlink()
    Home.open(tmp_path / "home")


def test_limits_that_others_could_have_written_refuse_a_home_and_count_for_nobody_who_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HEADGATE_MAX_CELLS", raising=False)
    root = Home.open(tmp_path / "home").root
    (root / "operator.yaml").write_text("limits: {cells: 1000}\n")
    (root / "operator.yaml").chmod(0o666)
    with pytest.raises(InputRejected, match="can change"):
        Home.open(root)
    Home.read(root)
    assert CELLS.most == CELLS.usual


def test_what_is_published_leaves_the_home_by_the_environment_a_link_or_a_mount(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADGATE_STORE", raising=False)
    home = Home.open(tmp_path / "home")
    assert not home.publishes_elsewhere
    home.releases.mkdir()
    assert not home.publishes_elsewhere
    for place, elsewhere in (("releases", True), ("releases/people", True), ("candidates", False), ("", False)):
        monkeypatch.setattr("tasks.runtime.home.mounted", lambda place=place: (Path("/"), home.root / place))
        assert home.publishes_elsewhere is elsewhere
    monkeypatch.undo()
    monkeypatch.delenv("HEADGATE_STORE", raising=False)
    home.releases.rmdir()
    for target in (tmp_path / "elsewhere", tmp_path / "nowhere"):
        home.releases.symlink_to(target)
        assert home.publishes_elsewhere
        home.releases.unlink()
    monkeypatch.setenv("HEADGATE_STORE", str(tmp_path / "elsewhere"))
    assert home.publishes_elsewhere


def test_mounts_are_read_as_the_system_writes_them(tmp_path: Path) -> None:
    (tmp_path / "mountinfo").write_bytes(
        b"36 35 98:0 /mnt1 /srv/a\\040b rw,noatime master:1 - ext3 /dev/root rw\n37 35 0:5 / /proc rw - proc proc rw\n"
    )
    assert mounted(tmp_path / "mountinfo") == (Path("/srv/a b"), Path("/proc"))
    assert mounted(tmp_path / "none") == ()
    if Path("/proc/self/mountinfo").exists():
        assert Path("/proc") in mounted()

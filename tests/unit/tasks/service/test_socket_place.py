"""Where a socket may lie, and what lies there already."""

from __future__ import annotations

import grp
import os
import socket
import stat
from pathlib import Path

import pytest

from headgate.core.errors import InputRejected, StoreUnavailable
from tasks.service.socket_place import bound_socket, look_at, require_safe_place, socket_group, socket_path

GROUP = (grp.getgrgid(os.getegid()).gr_name, os.getegid())


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir(mode=0o755)
    return folder / "headgate.sock"


def test_no_socket_is_used_unless_one_is_named() -> None:
    assert socket_path({}) is None
    assert socket_path({"HEADGATE_SOCKET": ""}) is None
    assert socket_path({"HEADGATE_SOCKET": "/run/headgate/headgate.sock"}) == Path("/run/headgate/headgate.sock")


@pytest.mark.parametrize("path", ["headgate.sock", "./run/headgate.sock", "/" + "a" * 120])
def test_a_path_that_depends_on_the_folder_or_is_too_long_is_refused(path: str) -> None:
    with pytest.raises(InputRejected, match="HEADGATE_SOCKET is not an absolute path"):
        socket_path({"HEADGATE_SOCKET": path})


def test_a_group_that_does_not_exist_is_named_with_its_cure() -> None:
    assert socket_group({"HEADGATE_SOCKET_GROUP": GROUP[0]}) == GROUP
    with pytest.raises(InputRejected, match="The group no-such-group does not exist") as refused:
        socket_group({"HEADGATE_SOCKET_GROUP": "no-such-group"})
    assert "groupadd --system no-such-group" in refused.value.cure


def test_a_socket_is_for_its_group_and_goes_with_the_service(place: Path) -> None:
    with bound_socket(place, GROUP) as listener:
        status = place.lstat()
        assert stat.S_ISSOCK(status.st_mode)
        assert (stat.S_IMODE(status.st_mode), status.st_gid) == (0o660, GROUP[1])
        assert look_at(place).listened
        listener.accept()[0].close()
    assert not place.exists()
    assert look_at(place).mode is None


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o775])
def test_a_folder_that_others_can_write_holds_no_socket(place: Path, mode: int) -> None:
    place.parent.chmod(mode)
    with pytest.raises(InputRejected, match="Others on this machine can write"), bound_socket(place, GROUP):
        pass
    assert not place.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_somebody_else_holds_no_socket_unless_they_serve_there(place: Path) -> None:
    os.chown(place.parent, 60_001, 60_001)
    with pytest.raises(InputRejected, match="belongs to somebody else"):
        require_safe_place(place)
    require_safe_place(place, 60_001)


def test_a_folder_that_is_not_there_is_said(place: Path) -> None:
    with pytest.raises(InputRejected, match="cannot be used"):
        require_safe_place(place.parent / "absent" / "headgate.sock")


def test_what_a_killed_service_left_is_replaced(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(place))
    assert place.exists()
    with bound_socket(place, GROUP):
        assert look_at(place).listened


def test_a_service_that_listens_is_not_replaced(place: Path) -> None:
    with bound_socket(place, GROUP):
        with pytest.raises(StoreUnavailable, match="Somebody serves at"), bound_socket(place, GROUP):
            pass
        assert look_at(place).listened


def test_what_is_no_socket_is_not_removed(place: Path) -> None:
    place.write_text("notes")
    with pytest.raises(InputRejected, match="is not a socket"), bound_socket(place, GROUP):
        pass
    assert place.read_text() == "notes"
    place.unlink()
    place.symlink_to("/etc/passwd")
    with pytest.raises(InputRejected, match="is not a socket"), bound_socket(place, GROUP):
        pass
    assert place.is_symlink()


def test_the_socket_of_a_later_service_stays(place: Path) -> None:
    with bound_socket(place, GROUP):
        place.unlink()
        with socket.socket(socket.AF_UNIX) as later:
            later.bind(str(place))
    assert place.exists()

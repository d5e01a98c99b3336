from __future__ import annotations

import pytest

from headgate.core.errors import InputRejected
from tasks.notification.notice_address import address_behind


def test_an_address_is_read_from_the_environment_or_a_file(tmp_path, monkeypatch) -> None:
    file = tmp_path / "ops"
    file.write_text("mailto://s3cr3t@x.example\n")
    file.chmod(0o600)
    monkeypatch.setenv("OPS_URL", " json://s3cr3t/ ")
    assert address_behind("env:OPS_URL") == "json://s3cr3t/"
    assert address_behind(f"file:{file}") == "mailto://s3cr3t@x.example"


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe"])
def test_what_is_not_there_is_named_by_its_reference(tmp_path, content) -> None:
    file = tmp_path / "ops"
    if content is not None:
        file.write_bytes(content)
        file.chmod(0o600)
    with pytest.raises(InputRejected, match="ops"):
        address_behind(f"file:{file}")
    with pytest.raises(InputRejected, match="no address at env:NOT_SET"):
        address_behind("env:NOT_SET")


def test_a_file_that_others_can_write_is_not_believed(tmp_path) -> None:
    file = tmp_path / "ops"
    file.write_text("mailto://s3cr3t@x.example\n")
    file.chmod(0o666)
    with pytest.raises(InputRejected) as refused:
        address_behind(f"file:{file}")
    assert "s3cr3t" not in str(refused.value)

"""Workers that run something else are refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from headgate.core.errors import InputRejected
from tasks.cluster.taking_part import build_here, probe


@pytest.mark.parametrize("name", ["headgate", "numpy", "numba"])
def test_another_version_is_refused_by_name(name: str) -> None:
    here = build_here()
    here.require_same(build_here())
    with pytest.raises(InputRejected, match=rf"A worker runs {name} 0\.0\.1"):
        here.require_same(replace(here, **{name: "0.0.1"}))


def test_a_worker_says_whether_it_can_use_the_folder(tmp_path: Path) -> None:
    assert probe(str(tmp_path)) == (build_here(), True)
    assert probe(str(tmp_path / "elsewhere")) == (build_here(), False)

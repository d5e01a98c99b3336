"""headgate: the science of releasing microdata safely. Nothing is imported until it is asked for.

import headgate as hg
p = hg.xcolor(frame, quasi=["age", "sex"], sensitive=["income"], k=10, epsilon=0.1, delta=0.6)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headgate.core.distance import Distance
    from headgate.library.check_table import check
    from headgate.library.grouping_frames import codip, full_domain, mondrian, xcolor
    from headgate.projection.bitmap import bitmap, unbitmap
    from headgate.risk.disclosure.expected_loss import disclosure_risk
    from headgate.risk.disclosure.sensitivity import Sensitivity
    from headgate.risk.suppression.min_risk import min_risk

__all__ = [
    "Distance",
    "Sensitivity",
    "bitmap",
    "check",
    "codip",
    "disclosure_risk",
    "full_domain",
    "min_risk",
    "mondrian",
    "unbitmap",
    "xcolor",
]

_ROOMS = {
    "Distance": "headgate.core.distance",
    "Sensitivity": "headgate.risk.disclosure.sensitivity",
    "bitmap": "headgate.projection.bitmap",
    "check": "headgate.library.check_table",
    "codip": "headgate.library.grouping_frames",
    "disclosure_risk": "headgate.risk.disclosure.expected_loss",
    "full_domain": "headgate.library.grouping_frames",
    "min_risk": "headgate.risk.suppression.min_risk",
    "mondrian": "headgate.library.grouping_frames",
    "unbitmap": "headgate.projection.bitmap",
    "xcolor": "headgate.library.grouping_frames",
}


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module 'headgate' has no attribute '{name}'")
    return getattr(import_module(_ROOMS[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

"""headgate: the science of releasing microdata safely. Nothing is imported until it is asked for.

    import headgate as hg
    p = hg.xcolor(frame, quasi=["age", "sex"], sensitive=["income"], k=10, epsilon=0.1, delta=0.6)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headgate.check import check
    from headgate.distance import Distance
    from headgate.library import codip, mondrian, xcolor
    from headgate.projection.bitmap import bitmap, unbitmap
    from headgate.risk.disclosure import disclosure_risk, min_risk
    from headgate.risk.sensitivity import Sensitivity

__all__ = [
    "Distance",
    "Sensitivity",
    "bitmap",
    "check",
    "codip",
    "disclosure_risk",
    "min_risk",
    "mondrian",
    "unbitmap",
    "xcolor",
]

_ROOMS = {
    "Distance": "headgate.distance",
    "Sensitivity": "headgate.risk.sensitivity",
    "bitmap": "headgate.projection.bitmap",
    "check": "headgate.check",
    "codip": "headgate.library",
    "disclosure_risk": "headgate.risk.disclosure",
    "min_risk": "headgate.risk.disclosure",
    "mondrian": "headgate.library",
    "unbitmap": "headgate.projection.bitmap",
    "xcolor": "headgate.library",
}


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module 'headgate' has no attribute '{name}'")
    return getattr(import_module(_ROOMS[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

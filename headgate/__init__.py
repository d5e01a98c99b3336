"""headgate: the science of releasing microdata safely. Nothing is imported until it is asked for.

import headgate as hg
p = hg.xcolor(frame, quasi=["age", "sex"], sensitive=["income"], k=10, epsilon=0.1, delta=0.6)
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headgate.check import check
    from headgate.distance import Distance
    from headgate.library import codip, full_domain, mondrian, xcolor
    from headgate.projection.bitmap import bitmap, unbitmap
    from headgate.risk.disclosure import disclosure_risk
    from headgate.risk.min_risk import min_risk
    from headgate.risk.sensitivity import Sensitivity

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
    "Distance": "headgate.distance",
    "Sensitivity": "headgate.risk.sensitivity",
    "bitmap": "headgate.projection.bitmap",
    "check": "headgate.check",
    "codip": "headgate.library",
    "disclosure_risk": "headgate.risk.disclosure",
    "full_domain": "headgate.library",
    "min_risk": "headgate.risk.min_risk",
    "mondrian": "headgate.library",
    "unbitmap": "headgate.projection.bitmap",
    "xcolor": "headgate.library",
}


class _FunctionRoom(ModuleType):
    """A module or package with the name of its main function (`check`, `xcolor`): once something has imported it, Python puts it in the
    function's place. So it can be called as well."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return _function(self.__name__.rpartition(".")[2])(*arguments, **named)

    @property
    def __wrapped__(self) -> Any:
        return _function(self.__name__.rpartition(".")[2])


class _Library(ModuleType):
    def __setattr__(self, name: str, value: Any) -> None:
        if name in _ROOMS and type(value) is ModuleType:
            value.__class__ = _FunctionRoom
        super().__setattr__(name, value)


def _function(name: str) -> Any:
    return getattr(import_module(_ROOMS[name]), name)


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module 'headgate' has no attribute '{name}'")
    return _function(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


sys.modules[__name__].__class__ = _Library

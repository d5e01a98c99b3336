"""The one place that chooses between methods. Policies and the library can name every method in `METHODS`."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from headgate.core.errors import InputRejected
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.full_domain.full_domain_method import FullDomain
from headgate.methods.method import Method
from headgate.methods.mondrian.mondrian_method import Mondrian
from headgate.methods.xcolor.faithful_method import Faithful

METHODS: tuple[type[Method], ...] = (Blocks, Faithful, Mondrian, FullDomain)


def choose(key: str, variant: str | None = None, **options: Any) -> Method:
    """The method with this key and variant (the first one if no variant is named), with its options."""
    return method_type(key, variant)(**options)


def method_type(key: str, variant: str | None = None) -> type[Method]:
    named = [method for method in METHODS if method.key == key]
    if not named:
        raise InputRejected(f"The method '{key}' is unknown.", f"Use {' or '.join(method_keys())}.")
    chosen = next((method for method in named if variant in (None, method.variant)), None)
    if chosen is None:
        raise InputRejected(f"The variant '{variant}' is unknown.", f"Use {' or '.join(variants(key))}.")
    return chosen


def method_keys(option: str | None = None) -> tuple[str, ...]:
    """The keys of the methods that have this option, or of all methods."""
    return tuple(dict.fromkeys(method.key for method in METHODS if option is None or option in options_of(method)))


def variants(key: str | None = None) -> tuple[str, ...]:
    """The variants of the methods with this key, or of all methods; the first one is the default."""
    return tuple(method.variant for method in METHODS if method.variant is not None and key in (None, method.key))


def options_of(method: type[Method]) -> tuple[str, ...]:
    """The options of this method alone."""
    return tuple(field.name for field in fields(method)) if is_dataclass(method) else ()

"""What all HTML pages share: their templates, the form of figures, and embedded charts. A page fetches nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from headgate.core.errors import Defect
from tasks.reporting.language import PACKAGE, language

if TYPE_CHECKING:
    from jinja2 import Environment, Template

NOT_MEASURED = "not measured"


def framed(pictures: Mapping[str, bytes], captions: Mapping[str, str]) -> tuple[tuple[str, Any], ...]:
    """Charts with their captions, ready to be embedded in a page, without the namespace addresses that HTML does not need."""
    from markupsafe import Markup

    framed = []
    for name, svg in pictures.items():
        markup = svg.decode().replace(' xmlns="http://www.w3.org/2000/svg"', "").replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "")
        framed.append((captions[name], Markup(markup.replace("xlink:href", "href"))))
    return tuple(framed)


def brief_text(value: float | None) -> str:
    """Four significant digits, for wide tables."""
    return figure_text(value, 4)


def figure_text(value: float | None, digits: int = 6) -> str:
    """That many significant digits; whole numbers in full."""
    if value is None:
        return NOT_MEASURED
    if math.isinf(value):
        return "∞"
    if isinstance(value, int) or (float(value).is_integer() and abs(value) < 1e15):
        return f"{int(value):,}"
    return f"{value:,.0f}" if 10**digits <= abs(value) < 1e15 else f"{value:,.{digits}g}"


def percent_text(share: float | None) -> str:
    return NOT_MEASURED if share is None else f"{share * 100:.4g} %"


def _together(text: str) -> str:
    """No line ends between a number and its per cent sign."""
    return text.replace(" %", "\u00a0%")


def page_template(name: str) -> Template:
    """In English."""
    return page_environment("en").get_template(name)


@cache
def page_environment(code: str, *packages: str) -> Environment:
    """Templates in one language: `_("…")`, `ngettext` and `{% trans %}`, and the filters `number`, `share`, `one_in`, `exact`, `day`,
    `listed` and `reword` of `Language`. `packages`, as "console": whose templates and catalogues are looked in before those of this one."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    said, places = language(code, PACKAGE, *reversed(packages)), (*packages, PACKAGE)

    def source(name: str) -> str:
        for package in places:
            text = resources.files(package).joinpath("templates", name)
            if text.is_file():
                return text.read_text(encoding="utf-8")
        raise Defect(f"The page template {name} is not installed.", "Install headgate again.")

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        loader=FunctionLoader(source),
        extensions=["jinja2.ext.i18n"],
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["ext.i18n.trimmed"] = True
    environment.install_gettext_callables(said.gettext, said.ngettext, newstyle=True)  # type: ignore[attr-defined]
    environment.globals["language"] = said
    environment.filters.update(figure=figure_text, brief=brief_text, percent=percent_text)
    spoken = {name: getattr(said, name) for name in ("number", "share", "one_in", "exact", "day", "moment", "reword", "listed")}
    environment.filters.update(spoken, together=_together)
    return environment

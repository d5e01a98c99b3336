"""One picture on paper: SVG for pages, PNG for MLflow. The same figures always give the same bytes, and nothing is fetched to show them.

Drawn on Figure objects with no global state but matplotlib's settings, which a lock lends to one drawing at a time.
"""

from __future__ import annotations

import io
import re
import threading
import warnings
from collections.abc import Callable
from typing import Any, Literal

Form = Literal["svg", "png"]

WIDTH_INCHES = {"svg": 5.0, "png": 6.0}  # two of them fit beside each other on a page
PIXELS_PER_INCH = 100
# Okabe and Ito's colours, told apart by all; what fails is hatched too. A page's stylesheet may give an ink another value by its name.
INKS = {
    "ink": "#1f2328",
    "muted": "#5f6873",
    "grid": "#dde1e6",
    "main": "#0072b2",
    "fail": "#d55e00",
    "second": "#e69f00",
    "room": "#d5ebe2",
}
SETTINGS = {
    "svg.hashsalt": "headgate",
    "svg.fonttype": "none",
    "font.family": ["DejaVu Sans"],
    "font.size": 9.0,
    "axes.edgecolor": INKS["muted"],
    "axes.labelcolor": INKS["ink"],
    "axes.titlesize": 9.0,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": INKS["grid"],
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.6,
    "text.color": INKS["ink"],
    "xtick.color": INKS["muted"],
    "ytick.color": INKS["muted"],
    "xtick.labelcolor": INKS["ink"],
    "ytick.labelcolor": INKS["ink"],
    "legend.frameon": False,
    "legend.fontsize": 8.0,
}
PAGE_FONTS = "'DejaVu Sans', Verdana, system-ui, sans-serif"
_DRAWING = threading.Lock()


def drawn(paint: Callable[[Any], None], height_inches: float, form: Form) -> bytes:
    """Paints one figure; neither dates nor versions get into the file."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    # A name may be in a script that matplotlib's font lacks: the page's reader has it, and a PNG shows a box.
    warnings.filterwarnings("ignore", message="Glyph .* missing from font", category=UserWarning)
    buffer = io.BytesIO()
    with _DRAWING, matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(WIDTH_INCHES[form], height_inches), dpi=PIXELS_PER_INCH, layout="constrained")
        # The canvas prints by itself, since savefig would lay everything out a second time.
        canvas = FigureCanvasAgg(figure) if form == "png" else FigureCanvasSVG(figure)
        paint(figure)
        if form == "png":
            canvas.print_png(buffer, metadata={"Software": None})
        else:
            figure.patch.set_visible(False)
            for axes in figure.axes:
                axes.patch.set_visible(False)
            canvas.print_svg(buffer, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return buffer.getvalue() if form == "png" else _for_pages(buffer.getvalue().decode()).encode()


def _for_pages(svg: str) -> str:
    """An SVG that works both as a file and inside a page: inks by name, fonts of the reader's system, no ids that could clash with
    others."""
    svg = re.sub(r'<g id="[^"]*"', "<g", svg[svg.index("<svg") :])
    svg = re.sub(r"<style[^>]*>.*?</style>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'fill="(#[0-9a-f]{6})"', r'style="fill: \1"', svg)
    for name, colour in INKS.items():
        svg = re.sub(rf"(:\s*){colour}\b", rf"\1var(--chart-{name}, {colour})", svg)
    return svg.replace("'DejaVu Sans'", PAGE_FONTS)

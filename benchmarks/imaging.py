"""A page as paper: typeset, printed, scanned and photographed, the same for the same seed."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
import pypdfium2
from fpdf import FPDF
from numpy.typing import NDArray
from PIL import Image, ImageFilter

POINTS_PER_INCH = 72
MARGIN = 25.0  # millimetres
INK, PAPER, DESK = 40, 243, 92  # of 255


def typeset(text: str) -> bytes:
    """A text as a PDF of one page: A4, Times 11 pt, justified."""
    pdf = FPDF(format="A4")
    pdf.set_margin(MARGIN)
    pdf.set_auto_page_break(True, margin=15.0)
    pdf.add_page()
    pdf.set_font("Times", size=11)
    for paragraph in text.split("\n\n"):
        pdf.multi_cell(0, 5.2, paragraph.strip(), align="J", new_x="LMARGIN", new_y="NEXT")
        pdf.ln(2.6)
    if pdf.pages_count > 1:
        raise ValueError("the text does not fit on one page")
    return bytes(pdf.output())


def drawn(pdf: bytes, *, dots_per_inch: int) -> Image.Image:
    """The first page of a PDF in shades of grey."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        image: Image.Image = document[0].render(scale=dots_per_inch / POINTS_PER_INCH, grayscale=True).to_pil()
        return image.convert("L")
    finally:
        document.close()


def scanned(page: Image.Image, chooser: np.random.Generator, *, dots_per_inch: int) -> Image.Image:
    """Askew by one to two degrees, not quite sharp, grey on grey, with noise."""
    skew = float(chooser.uniform(1.0, 2.0) * chooser.choice([-1, 1]))
    faded = page.point(lambda shade: INK + shade * (PAPER - INK) / 255)
    turned = faded.rotate(skew, Image.Resampling.BICUBIC, fillcolor=PAPER)
    blurred = turned.filter(ImageFilter.GaussianBlur(0.9 * dots_per_inch / 150))
    return _image(np.asarray(blurred, dtype=np.float64) + chooser.normal(0.0, 16.0, blurred.size[::-1]))


def photographed(page: Image.Image, chooser: np.random.Generator) -> Image.Image:
    """On a desk, from the side and from above, by a lamp that lights one corner best, with somebody's shadow."""
    width, height = page.size
    faded = page.point(lambda shade: INK + shade * (PAPER - INK) / 255)
    frame = (round(1.16 * width), round(1.16 * height))
    inset = np.array([[0.08, 0.08], [1.08, 0.08], [1.08, 1.08], [0.08, 1.08]]) * [width, height]
    corners = inset + chooser.uniform(-0.045, 0.045, (4, 2)) * [width, height]
    taken = faded.transform(
        frame,
        Image.Transform.PERSPECTIVE,
        _perspective(corners, np.array([[0, 0], [width, 0], [width, height], [0, height]])),
        Image.Resampling.BICUBIC,
        fillcolor=DESK,
    )
    blurred = taken.filter(ImageFilter.GaussianBlur(1.0))
    across, down = np.meshgrid(np.linspace(-1, 1, frame[0]), np.linspace(-1, 1, frame[1]))  # (height, width)
    lamp = chooser.choice([-1.0, 1.0], 2)
    light = 0.78 + 0.12 * (lamp[0] * across + lamp[1] * down) - 0.06 * (across**2 + down**2)
    edge = across * lamp[0] + chooser.uniform(-0.4, 0.4) * down + chooser.uniform(0.3, 0.7)
    light *= 0.82 + 0.18 / (1.0 + np.exp(-edge / 0.12))
    return _image(np.asarray(blurred, dtype=np.float64) * light + chooser.normal(0.0, 7.0, frame[::-1]))


def as_file(image: Image.Image, *, dots_per_inch: int | None = None) -> bytes:
    """As cameras and scanners save it."""
    target = io.BytesIO()
    options = {} if dots_per_inch is None else {"dpi": (dots_per_inch, dots_per_inch)}
    image.save(target, "JPEG", quality=80, **options)
    return target.getvalue()


def _perspective(seen: NDArray[np.float64], flat: NDArray[np.int64]) -> Sequence[float]:
    """The eight numbers that lead from each point of the photograph to its point of the page."""
    rows, values = [], []
    for (x, y), (u, v) in zip(seen, flat, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        values += [u, v]
    return [float(one) for one in np.linalg.solve(np.array(rows, dtype=np.float64), np.array(values, dtype=np.float64))]


def _image(shades: NDArray[np.float64]) -> Image.Image:
    return Image.fromarray(np.clip(np.rint(shades), 0, 255).astype(np.uint8))

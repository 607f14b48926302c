"""Pictures as pixels: size, colours, and the bundled fonts alone."""

import io
import sys

import pytest
from PIL import Image, ImageFont

from shakespeare_env import fonts
from shakespeare_env.drawing import raster

HALVES = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20" width="40" height="20">'
    '<rect width="20" height="20" fill="#ff0000"/></svg>'
)


def lettered(family):
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 20" width="60" height="20">'
        f'<text x="2" y="15" font-family="{family}" font-size="14">Lear</text></svg>'
    )


def test_pixels_are_rows_of_red_green_and_blue():
    drawn = raster.pixels(HALVES)
    assert drawn.shape == (20, 40, 3)
    assert (drawn[:, :20] == (255, 0, 0)).all()
    assert (drawn[:, 20:] == 255).all(), "what is transparent becomes white"
    assert Image.open(io.BytesIO(raster.png(HALVES, width=80))).size == (80, 40)
    assert raster.pixels(HALVES, width=50).shape == (26, 50, 3), "even, as video needs it"


def test_text_is_set_in_the_bundled_font_whatever_it_asks_for(monkeypatch):
    bundled = raster.pixels(lettered("DejaVu Sans"))
    assert bundled.min() < 100
    assert (raster.pixels(lettered("No Such Font, sans-serif")) == bundled).all()
    monkeypatch.setattr(raster, "FILES", {})
    assert (raster.pixels(lettered("sans-serif")) == 255).all()


def test_a_missing_package_is_named_with_the_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(ImportError, match="render"):
        raster.pixels(HALVES)


@pytest.mark.parametrize("weight", ["normal", "bold"])
def test_the_widths_are_those_of_the_fonts(weight):
    font = ImageFont.truetype(str(fonts.FILES[weight]), 1000)
    for text in ("+3 £", "★ ✓ → −1", "Où est-il ? Größe"):
        widths = sum(font.getlength(character) for character in text)
        assert fonts.width(text, 1000, weight) == pytest.approx(widths, abs=len(text))
    assert fonts.width("戯", 10) == 10, "another script's are taken for wide ones"

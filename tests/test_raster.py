"""Pictures as pixels: their size, their colours, and text in no font but the bundled ones."""

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


def picture_with_text(family):
    """Return a picture of a word that asks for a font family."""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 20" width="60" height="20">'
        f'<text x="2" y="15" font-family="{family}" font-size="14">Lear</text></svg>'
    )


def test_pixels_are_rows_of_red_green_and_blue():
    pixels = raster.pixels(HALVES)
    assert pixels.shape == (20, 40, 3)
    assert (pixels[:, :20] == (255, 0, 0)).all()


def test_transparent_parts_become_white():
    assert (raster.pixels(HALVES)[:, 20:] == 255).all()


def test_a_png_keeps_its_proportions_at_another_width():
    png = raster.png(HALVES, width=80)
    assert Image.open(io.BytesIO(png)).size == (80, 40)


def test_pixels_have_an_even_height_as_video_needs():
    assert raster.pixels(HALVES, width=50).shape == (26, 50, 3)


def test_text_is_drawn_in_the_bundled_font_whatever_family_it_asks_for():
    bundled = raster.pixels(picture_with_text("DejaVu Sans"))
    assert bundled.min() < 100
    assert (raster.pixels(picture_with_text("No Such Font, sans-serif")) == bundled).all()


def test_text_is_drawn_in_no_font_of_the_system(monkeypatch):
    monkeypatch.setattr(raster, "FILES", {})
    assert (raster.pixels(picture_with_text("sans-serif")) == 255).all()


def test_without_resvg_the_error_names_the_extra_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(ImportError, match="render"):
        raster.pixels(HALVES)


@pytest.mark.parametrize("weight", ["normal", "bold"])
def test_the_width_of_a_text_is_the_sum_of_its_characters_in_the_font(weight):
    font = ImageFont.truetype(str(fonts.FILES[weight]), 1000)
    for text in ("+3 £", "★ ✓ → −1", "Où est-il ? Größe"):
        expected = sum(font.getlength(character) for character in text)
        assert fonts.width(text, 1000, weight) == pytest.approx(expected, abs=len(text))


def test_a_character_that_the_fonts_lack_counts_as_a_full_width_one():
    assert fonts.width("戯", 10) == 10

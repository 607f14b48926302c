"""Pictures are of the size they say, and show themselves."""

from __future__ import annotations

import io

from matplotlib.image import imread

from shakespeare_agents.plot_style import picture, prepare, say_nothing


def test_a_picture_has_its_size_and_shows_itself():
    made = picture(320, 200)
    prepare(made.add_subplot(), "a $title", "x", "y")
    assert imread(io.BytesIO(made.png()), format="png").shape[:2] == (200, 320)
    assert made._repr_png_() == made.png()


def test_an_empty_panel_says_why():
    axes = picture(320, 200).add_subplot()
    say_nothing(axes, "nothing was measured")
    assert [text.get_text() for text in axes.texts] == ["nothing was measured"]
    assert list(axes.get_yticks()) == []

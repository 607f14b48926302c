"""Pictures are of the size they say, and show themselves."""

from __future__ import annotations

import io

from matplotlib.image import imread

from shakespeare_agents.plot_style import GREY, note, picture, prepare, say_nothing


def test_a_picture_has_its_size_and_shows_itself():
    made = picture(320, 200)
    prepare(made.add_subplot(), "a $title", "x", "y")
    assert imread(io.BytesIO(made.png()), format="png").shape[:2] == (200, 320)
    assert made._repr_png_() == made.png()


def test_words_stand_on_their_line():
    axes = picture(320, 200).add_subplot()
    axes.set_ylim(0, 10)
    note(axes, 5.0, "parity", GREY, back=0.2)
    (said,) = axes.texts
    assert (said.get_text(), said.xy) == ("parity", (0.8, 5.0))


def test_an_empty_panel_says_why():
    axes = picture(320, 200).add_subplot()
    say_nothing(axes, "nothing was measured")
    assert [text.get_text() for text in axes.texts] == ["nothing was measured"]
    assert list(axes.get_yticks()) == []

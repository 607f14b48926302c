"""The learning curve holds the lines it should, and is a picture of the size it says."""

from __future__ import annotations

import io

import pytest
from matplotlib.image import imread

from shakespeare_training.runs.curves import SIZE, curves_figure, draw_curves
from shakespeare_training.runs.evaluation import ITSELF, SOLO, Measurement

NOBODY = None, None, None


def history(*moments):
    """At tables of 1, 2 and 4; everything grows by one score or a tenth of all games."""
    measured = []
    for step, decisions in enumerate(moments):
        for players in (2, 4):
            for rival in ("heuristic", "$random"):
                rate = 0.2 + 0.1 * step
                won = rate, rate - 0.05, rate + 0.05
                measured.append(Measurement(decisions, 1.0, players, rival, 100, *won, 20.0, 25.0))
        for players, own in ((1, SOLO), (4, ITSELF)):
            best = 20.0 + step
            figures = *NOBODY, best, best, *(best - 0.75, best + 0.75) * 2
            measured.append(Measurement(decisions, 1.0, players, own, 100, *figures))
    return measured


def heights(axes, style):
    """Of the level lines of a style."""
    return [line.get_ydata()[0] for line in axes.get_lines() if line.get_linestyle() == style]


def test_lines_of_both_panels():
    figure = curves_figure(history(0, 1000, 2000), title="a run", targets={1: 30, 3: 40, 4: 33})
    rates, scores = figure.axes
    line = {line.get_label(): line for line in rates.get_lines()}["4 seats against heuristic"]
    assert list(line.get_xdata()) == [0, 1000, 2000]
    assert list(line.get_ydata()) == pytest.approx([20.0, 30.0, 40.0])
    assert heights(rates, ":") == [50.0, 25.0]
    assert [len(axes.collections) for axes in (rates, scores)] == [4, 2], "intervals"
    solo = {line.get_label(): line for line in scores.get_lines()}["1 seat solo"]
    assert list(solo.get_ydata()) == [20.0, 21.0, 22.0]
    assert heights(scores, "--") == [30, 33]


@pytest.mark.parametrize("shown", [history(5_000_000), history(0)[-2:]], ids=["one", "no rival"])
def test_picture_of_the_size_it_says(shown, tmp_path):
    path = tmp_path / "new" / "curves.png"
    draw_curves(shown, path, title="a $run", targets={2: 30})
    picture = imread(io.BytesIO(path.read_bytes()), format="png")
    assert picture.shape[:2] == SIZE[::-1]
    assert picture[..., :3].min() < 0.3
    assert [file.name for file in path.parent.iterdir()] == ["curves.png"]
    with pytest.raises(ValueError, match="history is empty"):
        draw_curves([], tmp_path / "none.png")

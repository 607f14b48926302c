"""The learning curve holds the lines it should, and is written as a picture of the size it says."""

from __future__ import annotations

import io

import pytest
from matplotlib.image import imread

from shakespeare_env.drawing.chart import spread
from shakespeare_training.runs.curves import SIZE, curves_figure, draw_curves
from shakespeare_training.runs.history import SOLO, History
from tests.training.runs.histories import filled, measurement

MOMENTS = [(0, 0.0), (1_000_000, 2400.0), (2_000_000, 7200.0)]


def lines(axes):
    return {line.get_label(): line for line in axes.get_lines()}


def words(axes):
    return [text.get_text() for text in axes.texts]


def test_lines_of_both_panels():
    figure = curves_figure(filled(*MOMENTS), title="a run", targets={1: 30, 2: 30, 3: 40, 4: 33})
    rates, scores = figure.axes
    found = lines(rates)
    assert found.keys() == {
        *(f"{n} seats, {rival}" for n in (2, 4) for rival in ("heuristic", "random")),
        *(f"parity at {n} seats" for n in (2, 4)),
    }
    line = found["4 seats, heuristic"]
    assert list(line.get_xdata()) == [0, 1_000_000, 2_000_000]
    assert list(line.get_ydata()) == pytest.approx([20.0, 30.0, 40.0])
    assert set(found["parity at 4 seats"].get_ydata()) == {25.0}
    assert found["parity at 4 seats"].get_color() == line.get_color()
    assert [len(axes.collections) for axes in (rates, scores)] == [4, 3], "intervals"
    assert {"4 seats, heuristic  40 %", "parity at 4 seats"} <= set(words(rates))

    found = lines(scores)
    targets = {"target 30 at 1 and 2 seats", "target 33 at 4 seats"}
    assert found.keys() == {"1 seat", "2 seats", "4 seats"} | targets
    assert list(found["1 seat"].get_ydata()) == [18.0, 19.0, 20.0]
    solo = scores.collections[0].get_datalim(scores.transData)
    assert (solo.y0, solo.y1) == pytest.approx((17.25, 20.75))
    low, high = scores.get_ylim()
    assert low < 17.25
    assert high > 33
    assert {"2 seats  28.0 (target 30)", "4 seats  30.0 (target 33)"} <= set(words(scores))
    said = [text.get_text() for text in figure.legends[0].get_texts()]
    assert said[:2] == ["against heuristic", "against random"]
    assert said[-1] == "target"
    assert figure.texts[0].get_text() == "a run"
    # An hour is 2400 s for the first million and a quarter of the second million's 4800 s.
    (top,) = rates.child_axes
    marked = [label.get_text() for label in top.get_xticklabels()]
    assert dict(zip(marked, top.get_xticks(), strict=True))["1"] == pytest.approx(1_250_000)


@pytest.mark.parametrize(
    "history",
    [
        filled((5_000_000, 100.0)),
        filled((0, 0.0), (1, 0.0), rivals=()),
        filled(*MOMENTS, rivals=[f"$rival {number}" for number in range(9)]),
    ],
    ids=["one moment", "no time, no rivals", "nine rivals"],
)
def test_picture_of_the_size_it_says(history, tmp_path):
    path = tmp_path / "new" / "curves.png"
    draw_curves(history, path, title="a $run", targets={2: 30})
    picture = imread(io.BytesIO(path.read_bytes()), format="png")
    assert picture.shape[:2] == SIZE[::-1]
    # The palest ink is far from the paper, and nothing is cut off at the sides.
    assert picture[..., :3].min() < 0.3
    assert (picture[:, [0, -1], :3] == 1).all()
    assert (picture[[0, -1], :, :3] == 1).all()
    assert [file.name for file in path.parent.iterdir()] == ["curves.png"]


def test_what_was_not_measured_is_not_drawn(tmp_path):
    history = History([measurement(players=2)])
    scores = curves_figure(history, targets={2: 30}).axes[1]
    assert words(scores) == ["no game of the learner with itself was measured"]
    # Runs of earlier versions kept no intervals of scores.
    history.add(measurement(1000, 0.0, 1, SOLO))
    assert not curves_figure(history).axes[1].collections
    with pytest.raises(ValueError, match="history is empty: measure once"):
        draw_curves(History(), tmp_path / "curves.png")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("heights", "labels"),
    [
        ([], []),
        ([0.2, 0.8], [0.2, 0.8]),
        ([0.5, 0.52], [0.46, 0.56]),
        ([1.0, 1.0, 1.0], [0.8, 0.9, 1.0]),
        # A block that grows downwards takes in whom it meets.
        ([0.95, 0.78, 1.0, 1.0], [0.8, 0.7, 0.9, 1.0]),
        ([0.5] * 41, [n / 40 for n in range(41)]),
    ],
)
def test_labels_are_spread(heights, labels):
    assert spread(heights, 0.1) == pytest.approx(labels)

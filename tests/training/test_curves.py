"""The learning curve holds the lines it should, and is written as a picture of the size it says."""

from __future__ import annotations

import io

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.image import imread

from shakespeare_training.runs.curves import SIZE, curves_figure, draw_curves
from shakespeare_training.runs.history import ITSELF, SOLO, History, Measurement
from shakespeare_training.runs.line_labels import spread


def intervals(mean):
    """Of both mean scores, if they are the same."""
    return (mean - 0.75, mean + 0.75) * 2


def run(moments, *, solo=True, rivals=("heuristic", "random")):
    """A history of 1, 2 and 4 seats; moments are decisions and seconds."""
    history = History()
    for step, (decisions, seconds) in enumerate(moments):
        for players in (2, 4):
            for rival in rivals:
                rate = min(0.2 + 0.1 * step + 0.1 * (rival == "random"), 0.9)
                rates = (rate, rate - 0.05, rate + 0.05)
                scores = (20.0 + step, 25.0 + step)
                history.add(Measurement(decisions, seconds, players, rival, 200, *rates, *scores))
            best = 24.0 + step + players
            figures = (200, None, None, None, best, best, *intervals(best))
            history.add(Measurement(decisions, seconds, players, ITSELF, *figures))
        if solo:
            figures = (200, None, None, None, 18.0 + step, 18.0 + step, *intervals(18.0 + step))
            history.add(Measurement(decisions, seconds, 1, SOLO, *figures))
    return history


MOMENTS = [(0, 0.0), (1_000_000, 2400.0), (2_000_000, 7200.0)]


def lines(axes):
    return {line.get_label(): line for line in axes.get_lines()}


def words(axes):
    return [text.get_text() for text in axes.texts]


def test_lines_of_both_panels():
    figure = curves_figure(run(MOMENTS), title="a run", targets={1: 30.0, 3: 40.0, 4: 33.0})
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
    assert len(rates.collections) == 4, "an interval for each line"
    assert len(scores.collections) == 3, "of scores, too"
    assert "4 seats, heuristic  40 %" in words(rates)

    found = lines(scores)
    assert found.keys() == {
        *("1 seat", "2 seats", "4 seats"),
        *("target 30 at 1 seat", "target 33 at 4 seats"),
    }
    assert list(found["1 seat"].get_ydata()) == [18.0, 19.0, 20.0]
    solo = scores.collections[0].get_datalim(scores.transData)
    assert (solo.y0, solo.y1) == pytest.approx((17.25, 20.75))
    low, high = scores.get_ylim()
    assert low < 17.25
    assert high > 33
    assert "2 seats  28.0" in words(scores)
    assert any(said.startswith("4 seats") and "(target 33)" in said for said in words(scores))
    said = [text.get_text() for text in figure.legends[0].get_texts()]
    assert said[:2] == ["against heuristic", "against random"]
    assert said[-1] == "target"
    assert figure.texts[0].get_text() == "a run"


def ticks(figure):
    """The marks of time above a panel: where they are, and what they say."""
    (top,) = figure.axes[0].child_axes
    said = [label.get_text() for label in top.get_xticklabels()]
    return dict(zip(said, top.get_xticks(), strict=True)), top.get_xlabel()


def test_hours_stand_where_they_were_reached():
    marks, name = ticks(curves_figure(run(MOMENTS)))
    assert name == "hours of learning and evaluating"
    # An hour is 2400 s for the first million and a quarter of the second million's 4800 s.
    assert marks["1"] == pytest.approx(1_250_000)
    assert marks["2"] == pytest.approx(2_000_000)
    marks, name = ticks(curves_figure(run([(0, 0.0), (600_000, 600.0)])))
    assert name == "minutes of learning and evaluating"
    assert marks["10"] == pytest.approx(600_000)
    figure = curves_figure(run(MOMENTS))
    FigureCanvasAgg(figure).draw()
    assert "1M" in [label.get_text() for label in figure.axes[0].get_xticklabels()]


def test_equal_targets_share_their_words():
    figure = curves_figure(run(MOMENTS), targets={1: 30, 2: 30, 4: 30})
    assert "target 30 at 1, 2 and 4 seats" in lines(figure.axes[1])


@pytest.mark.parametrize(
    "history",
    [
        run(MOMENTS[:1]),
        run([(5_000_000, 100.0)]),
        run([(0, 0.0), (1, 0.0)]),
        run([(90_000_000, 9e4), (100_000_000, 1e5)]),
        run(MOMENTS, rivals=()),
        run(MOMENTS, rivals=[f"$rival {number}" for number in range(9)]),
        run([(step * 10_000, step * 7.0) for step in range(300)], solo=False),
    ],
    ids=["start", "one moment", "no time", "late", "no rivals", "nine rivals", "300 moments"],
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


def test_single_points_are_marked():
    for line in curves_figure(run(MOMENTS[:1])).axes[1].get_lines():
        assert line.get_marker() == "o"
        assert line.get_markevery() == [0]


def test_markers_of_long_lines_are_thinned_out():
    figure = curves_figure(run([(step, step * 7.0) for step in range(300)]))
    marked = lines(figure.axes[1])["1 seat"].get_markevery()
    assert len(marked) <= 24
    assert marked[-1] == 299


def test_scores_without_intervals_have_no_band():
    history = History()
    for decisions in (0, 1000):
        history.add(Measurement(decisions, 0.0, 1, SOLO, 10, None, None, None, 20.0, 20.0))
    figure = curves_figure(history)
    assert not figure.axes[1].collections
    assert not [text.get_text() for text in figure.legends[0].get_texts()]


def test_parity_is_named_where_no_curve_runs_through_its_words():
    """Nor words through each other, or another seat count's parity."""
    rates = {2: [0.05, 0.3, 0.45, 0.53], 3: [0.1, 0.3, 0.34, 0.36], 4: [0.1, 0.2, 0.27, 0.29]}
    history = History()
    for step in range(4):
        for players in rates:
            rate = rates[players][step]
            figures = (rate, rate - 0.05, rate + 0.05, 20.0, 25.0)
            history.add(Measurement(step * 1000, 60.0 * step, players, "random", 9, *figures))
    figure = curves_figure(history)
    axes = figure.axes[0]
    FigureCanvasAgg(figure).draw()
    notes = [text for text in axes.texts if text.get_text().startswith("parity")]
    assert len(notes) == 3
    boxes = [note.get_window_extent() for note in notes]
    for number, box in enumerate(boxes):
        for line in axes.get_lines():
            assert (
                not line.get_transform()
                .transform_path(line.get_path())
                .intersects_bbox(box, filled=False)
            ), (notes[number].get_text(), line.get_label())
        assert not any(box.overlaps(other) for other in boxes[:number])


def test_only_rates():
    history = History()
    history.add(Measurement(0, 0.0, 2, "random", 10, 0.5, 0.2, 0.8, 1.0, 2.0))
    scores = curves_figure(history, targets={2: 30}).axes[1]
    assert words(scores) == ["no game of the learner with itself was measured"]


def test_empty_history_is_refused(tmp_path):
    with pytest.raises(ValueError, match="history is empty: measure once"):
        draw_curves(History(), tmp_path / "curves.png")
    assert not list(tmp_path.iterdir())


def test_labels_are_spread():
    assert spread([], 0.1) == []
    assert spread([0.2, 0.8], 0.1) == pytest.approx([0.2, 0.8])
    assert spread([0.5, 0.52], 0.1) == pytest.approx([0.46, 0.56])
    assert spread([1.0, 1.0, 1.0], 0.1) == pytest.approx([0.8, 0.9, 1.0])
    # A block that grows downwards takes in whom it meets.
    assert spread([0.95, 0.78, 1.0, 1.0], 0.1) == pytest.approx([0.8, 0.7, 0.9, 1.0])
    crowd = spread([0.5] * 40, 0.1)
    assert (crowd[0], crowd[-1]) == pytest.approx((0.0, 1.0))

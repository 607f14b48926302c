"""Several boxes in one process: each game is played with its own, as where it is the only one."""

import json
import os
import subprocess
import sys

import pytest
from shakespeare_env.shakespeare.box.loading import load_boxes

from shakespeare_agents.networks.checkpoint import load_checkpoint
from shakespeare_env import Batch, Position
from shakespeare_env.boxes import sample_box
from shakespeare_env.core import registry
from shakespeare_env.datasets import read_decisions
from shakespeare_env.errors import BoxError, DatasetError, PositionError
from shakespeare_training.runs.run import Run
from tests.training.short_runs import SMALL

_GAMES = 4
"""A box, so that there is one with each number of seats."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the package's own box and two others."""
    folder = tmp_path_factory.mktemp("boxes")
    (folder / "a.toml").write_bytes(registry.own_box("shakespeare").read_bytes())
    for number, name in enumerate(("b.toml", "c.toml")):
        (folder / name).write_text(sample_box("shakespeare", 0, number), encoding="utf-8")
    return folder


def run(boxes, *arguments, **variables):
    """What Python prints with boxes in force."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        env={**os.environ, "SHAKESPEARE_BOX": str(boxes), **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_mixed_boxes_play_as_each_box_alone_does(folder):
    """Compiled for all three against interpreted for one."""
    played = ("-m", "tests.boxes.games_played")
    mixed = run(folder, *played, 0, _GAMES).splitlines()
    alone = [
        run(folder / f"{name}.toml", *played, place, _GAMES, NUMBA_DISABLE_JIT="1").splitlines()
        for place, name in enumerate("abc")
    ]
    assert mixed == [line for lines in alone for line in lines]
    assert len({line.split()[2] for line in mixed}) == 3 * _GAMES


_SPEAKING = """
import json, pickle
from pathlib import Path
import numpy as np
from shakespeare_env import Batch, Position
from shakespeare_env.core import registry
from shakespeare_env.datasets import read_decisions
from shakespeare_env.errors import BoxError, DatasetError, PositionError
from shakespeare_agents.networks.bundled import bundled_checkpoint
from shakespeare_agents.networks.checkpoint import read_card
from shakespeare_agents.registry import make

def fault(function, *arguments, **named):
    try:
        function(*arguments, **named)
    except (BoxError, PositionError, ValueError, TypeError) as found:
        return str(found)

boxes = registry.game("shakespeare").boxes
position = Position.new(players=4, seed=3, box=boxes[2])
twin = Position.from_dict(position.to_dict())
named = position.to_dict()
nameless = {key: value for key, value in named.items() if key != "box"}
batch = Batch(n=7, players=2, seed=1)
again = pickle.loads(pickle.dumps(batch))
for _ in range(400):  # beyond the end of most games
    batch.step(batch.random_actions())
print(json.dumps({
    "box": named["box"],
    "same": twin == position and str(twin) == str(position),
    "differs": str(position) != str(Position.new(players=4, seed=3)),
    "nameless": fault(Position.from_dict, nameless),
    "unknown": fault(Position.from_dict, {**named, "box": "d"}),
    "number": fault(Batch, n=2, players=2, boxes=[0, 3]),
    "both": fault(Batch, n=2, players=2, boxes=0, box=boxes[0]),
    "absent": fault(Batch, n=2, players=2, box=str(boxes[0]) + ".other"),
    "by deal": batch.save(slice(None))["box"].tolist(),
    "copied": again.save(slice(None))["box"].tolist(),
    "network": make("network", batch.game).act(batch.obs, batch.mask, None).shape,
    "boxes of it": read_card(bundled_checkpoint(batch.game)).boxes,
}))
"""


def test_positions_name_their_box_and_requests_for_others_are_refused(folder):
    found = json.loads(run(folder, "-c", _SPEAKING))
    assert found["box"] == "c"
    assert found["same"]
    assert found["differs"]
    assert "the key 'box' is missing" in found["nameless"]
    assert "box: 'd'" in found["unknown"]
    assert "boxes=3: shakespeare has 3 boxes in force" in found["number"]
    assert "not both" in found["both"]
    assert "cannot be read" in found["absent"]
    assert found["by deal"] == found["copied"] == [0, 1, 2, 0, 1, 2, 0]
    assert found["network"] == [7]
    assert found["boxes of it"] > 1  # though that of the package's own box would play, too


def test_one_box_is_not_named():
    with pytest.raises(ValueError, match="boxes=1: shakespeare has 1 boxes in force"):
        Batch(players=2, boxes=1)
    position = Position.new(players=2, seed=1).to_dict()
    assert "box" not in position
    with pytest.raises(PositionError, match="box: 'other'"):
        Position.from_dict({**position, "box": "other"})


def test_boxes_of_different_structure_or_one_name_are_refused(folder, tmp_path, monkeypatch):
    own = (folder / "a.toml").read_text(encoding="utf-8")
    other = tmp_path / "other.toml"
    other.write_text(own.replace("plus3_tokens = ", "plus3_tokens = 1"), encoding="utf-8")
    for boxes, fault in (
        ((folder / "a.toml", other), "plus3_tokens cannot differ"),
        ((folder / "a.toml", folder / "a.toml"), "two boxes are named 'a'"),
        ((tmp_path / "none",), "no box"),
    ):
        (tmp_path / "none").mkdir(exist_ok=True)
        monkeypatch.setenv("SHAKESPEARE_BOX", os.pathsep.join(map(str, boxes)))
        with pytest.raises(BoxError, match=fault):
            load_boxes()


def test_a_dataset_keeps_copies_of_its_boxes(folder, tmp_path):
    place = tmp_path / "games"
    run(folder, "-m", "shakespeare_env", "dataset", *["random"] * 2, "--players", 2, "--games", 6,
        "--out", place)  # fmt: skip
    with pytest.raises(DatasetError, match=f"set SHAKESPEARE_BOX={place / 'boxes'}, the copy"):
        read_decisions(place)
    reading = "import sys; from shakespeare_env.datasets import read_decisions as read; " + (
        "print(len(read(sys.argv[1]).collect()['game_id'].unique()))"
    )
    assert run(place / "boxes", "-c", reading, place).strip() == "6"


_TRAINING = """
import sys
from pathlib import Path
from rich.console import Console
from shakespeare_training.config import make_config
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.train import train
from shakespeare_training.stopping import Stop
from tests.training.short_runs import SETTINGS, StopsAfter, fingerprint

quiet, short = Console(quiet=True), {"evaluation_opponents": [], "final_evaluation_games": 1}
settings = {**SETTINGS, **short, "first_evaluation_games": 1, "players": [2, 4]}
config = make_config({**settings, "game": "shakespeare"}, "small")
whole, part = (Run.create(config, Path(folder)) for folder in sys.argv[1:])
train(whole, quiet, Stop())
train(part, quiet, StopsAfter(part, 700))
part.close()
again = Run.resume(part.folder)
assert 0 < again.decisions < whole.decisions
train(again, quiet, Stop())
assert fingerprint(again) == fingerprint(whole)
"""


def test_a_run_in_several_boxes_learns_facts_and_is_resumed_to_the_same(folder, tmp_path):
    """Its network then plays in one box alone, and another run starts from it there."""
    run(folder, "-c", _TRAINING, tmp_path / "run", tmp_path / "cut")
    network, card = load_checkpoint(tmp_path / "run", registry.game("shakespeare"))
    assert (card.boxes, len(card.facts)) == (3, 5)
    assert network.tensors["facts.cards.seen"].any()
    assert network.tensors["facts.cards.chosen"].any()
    plain = network.in_box(0).tensors
    started = Run.create(SMALL, tmp_path / "own", start=tmp_path / "run")
    found = started.learner.policy.tensors()
    assert found.keys() == plain.keys()
    assert all((found[name] == plain[name]).all() for name in plain)

"""What a run's folder says is checked whole before anything of it is used."""

from __future__ import annotations

import hashlib
import json
from functools import partial

import numpy as np
import pytest
import safetensors.numpy

from shakespeare_env.errors import CheckpointError
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.saving import read_state
from tests.training.short_runs import edit_state, searching


def put(data, place, value):
    """Replace what stands at `a.b.0`; `...` takes it out."""
    *path, last = [int(step) if step.isdecimal() else step for step in place.split(".")]
    for step in path:
        data = data[step]
    if value is ...:
        del data[last]
    else:
        data[last] = value


MEASUREMENT = {
    **{"decisions": 256, "seconds": 0.1, "players": 2, "opponent": "random", "games": 4},
    **{"win_rate": 0.5, "low": 0.4, "high": 0.6, "mean_score": 3.0, "mean_winning_score": 4.0},
}
HUGE = 10**30


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("format", 99, "format 99, this version reads"),
        ("game", "chess", "made for game 'chess'"),
        ("box_digest", "0", "made with another box"),
        ("state", "0", "made for other records"),
        ("state", ..., "state is missing"),
        ("surprise", 1, "there is no entry surprise"),
        ("arrays", [], r"arrays = \[\]: must be a table"),
        ("league.active", 0, "league.active = 0 is no snapshot in use"),
        ("league.active", 99, "league.active = 99 is no snapshot in use"),
        ("league.opponents.0.name", "random", "the settings name"),
        ("league.opponents.0.retired", True, "the settings name"),
        ("league.opponents.0.wins", 100.0, "wins = 100.0 are more than games"),
        ("league.opponents.1.name", "-5", "the snapshot '-5' must be named by its age"),
        ("league.opponents.1.name", "999999", "must be named by its age in decisions"),
        ("league.rng.bit_generator", "MT19937", "league.rng: is no state of NumPy's PCG64"),
        ("rng.state.state", -1, "rng: is no state of NumPy's PCG64"),
        ("snapshots", {}, "snapshots = {}: must be a list"),
        ("snapshots", [], "there are 0 snapshots, but the league has"),
        ("decisions", HUGE, "decisions = 1000000000000000000000000000000: must be at most"),
        ("decisions", True, "decisions = True: must be a whole number"),
        ("facts.seconds", "x", "facts.seconds = 'x': must be a number"),
        ("facts.bfloat16", 1, "facts.bfloat16 = 1: must be true or false"),
        ("facts.digests.random", "0", "opponent 'random' have changed"),
        ("facts.history", [MEASUREMENT | {"win_rate": None}], "and numbers against others"),
        ("facts.history", [MEASUREMENT | {"decisions": 10**6}], ": decisions = .* are fewer than"),
        ("facts.history", [MEASUREMENT | {"seconds": 1e6}], "seconds = .* are fewer than"),
        ("facts.history", [MEASUREMENT, MEASUREMENT | {"decisions": 1}], "decisions = 1 is below"),
        ("facts.config.width", 24, r"is float32 .*, not float32 \(.*24.*\)"),
        ("facts.config.n_envs", 17, "seats is int32 .*, not int32"),
        ("facts.config.players", [99], "facts.config: players=99"),
        ("facts.config.breadth", 3, "there is no setting breadth"),
    ],
)
def test_an_entry_that_cannot_be_is_refused(folder, place, value, message):
    edit_state(folder, partial(put, place=place, value=value))
    with pytest.raises(CheckpointError, match=message) as fault:
        Run.resume(folder, device="cpu")
    said = str(fault.value)
    assert str(folder) in said
    assert "pydantic" not in said
    assert "Input should" not in said
    assert len(said) < 2000


def test_orders_of_groups_ahead_agree_with_the_settings(tmp_path):
    config = searching("figaro", n_envs=8, width=8, groups_ahead=2)
    with Run.create(config, tmp_path, device="cpu") as run:
        run.save()
    edit_state(tmp_path, lambda data: data["orders"].pop())
    with pytest.raises(CheckpointError, match="there are 1 orders, but groups_ahead = 2"):
        Run.resume(tmp_path, device="cpu")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"format": 3, "format": 3}', "the key 'format' stands twice"),
        (json.dumps({"format": 3, "a": [[]] * 600_000}), "has more than 500,000 values"),
        (json.dumps({"format": 3, **dict.fromkeys(map(str, range(2000)))}), " 1,000 in one obj"),
        ('{"format": 3, "\\ud800": 1}', "must be text of whole characters"),
    ],
)
def test_what_is_no_proper_json_is_refused(tmp_path, text, message):
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(CheckpointError, match=message):
        read_state(tmp_path)


def resign(folder, change, *names):
    """Change arrays of a run, and their file's name and digest with them."""
    path = folder / "run.json"
    data = json.loads(path.read_text())
    arrays = dict(safetensors.numpy.load((folder / data["arrays"]["file"]).read_bytes()))
    for name in names:
        arrays[name] = change(arrays[name].copy() if name in arrays else None)
    content = safetensors.numpy.save({n: a for n, a in arrays.items() if a is not None})
    digest = hashlib.sha256(content).hexdigest()
    data["arrays"] = {"file": f"run-{digest[:16]}.safetensors", "digest": digest}
    (folder / data["arrays"]["file"]).write_bytes(content)
    path.write_text(json.dumps(data))


def spoilt(value):
    """The same array with another number in its first place."""

    def change(array):
        array.reshape(-1)[0] = value
        return array

    return change


WEIGHT = "policy/action_net.weight"


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        (WEIGHT, spoilt(np.nan), "action_net.weight holds numbers that are not finite"),
        (WEIGHT, lambda a: a[:-1], "action_net.weight is float32"),
        ("policy/extra", lambda _: np.zeros(1), "arrays missing or not expected: .'policy/extra'"),
        ("policy/features_extractor.scale", spoilt(3.0), "is not what follows from the game"),
        ("optimizer/0/exp_avg", spoilt(np.inf), "optimizer/0/exp_avg holds numbers that are not"),
        ("optimizer/0/exp_avg_sq", spoilt(-1.0), "optimizer/0/exp_avg_sq holds numbers below 0"),
        ("optimizer/0/step", lambda _: None, "arrays missing or not expected: .'optimizer/0/step'"),
        ("seats", spoilt(9), "seats names opponents or seats that are not there"),
        ("seats", lambda a: np.where(a == -1, 0, a), "seats has a game that no learner plays"),
        (
            "seats",
            lambda a: np.where(a == -2, -3, a),
            "seats names opponents or seats that are not",
        ),
        ("games", lambda a: a * 0, "games: "),
        ("games", lambda a: np.zeros((2**24, 2), np.uint8), "bytes, and at most"),
        ("open/games", spoilt(16), "open/games or open/seats name what is not there"),
        ("open/seats", spoilt(-1), "open/games or open/seats name what is not there"),
        ("open/seats", spoilt(7), "open/seats names a seat that the learner has not"),
        ("open/games", lambda a: np.array(3), r"is \w+ \(\d+,.*\), not \w+ \(0,"),
        ("open/actions", spoilt(10**6), "open/actions holds one that is not legal"),
        ("open/masks", lambda a: a & False, "open/actions holds one that is not legal"),
        ("open/observations", lambda a: a - 100, "open/observations holds numbers beyond"),
        ("open/log_probs", spoilt(5.0), "open/log_probs holds one above 0"),
    ],
)
def test_an_array_that_cannot_be_is_refused(folder, name, change, message):
    resign(folder, change, name)
    with pytest.raises(CheckpointError, match=message) as fault:
        Run.resume(folder, device="cpu")
    assert str(folder) in str(fault.value)


def test_open_decisions_of_one_seat_are_one(folder):
    def repeat(array):
        array[1] = array[0]
        return array

    resign(folder, repeat, *(f"open/{name}" for name in ("games", "seats", "actions", "masks")))
    with pytest.raises(CheckpointError, match="open/seats repeats a seat"):
        Run.resume(folder, device="cpu")

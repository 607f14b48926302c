"""What a run's folder says is checked whole before anything of it is used."""

from __future__ import annotations

import hashlib
import json
import shutil
from functools import partial
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

from shakespeare_env.errors import CheckpointError
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.saving import read_state
from tests.training.short_runs import SMALL, Quietly, edit_state


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The folder of a run with snapshots, open decisions and an optimiser at work."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    with Run.create(SMALL, folder, device="cpu") as run:
        run.learn(Quietly(run, leave_at=900))
    return folder


@pytest.fixture
def folder(saved, tmp_path):
    return shutil.copytree(saved, tmp_path / "run")


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
        ("format", True, "format True, this version reads"),
        ("game", "chess", "made for game 'chess'"),
        ("game", [], r"game = \[\]: must be text"),
        ("box_digest", "0", "made with another box"),
        ("state", "0", "made for other records"),
        ("state", ..., "state is missing"),
        ("surprise", 1, "there is no entry surprise"),
        ("arrays", [], r"arrays = \[\]: must be a table"),
        ("arrays.file", "../x", "must be a file beside"),
        ("arrays.file", "/etc/passwd", "must be a file beside"),
        ("arrays.file", "a\0b", "must be a file beside"),
        ("arrays.file", 3, "arrays.file = 3: must be text"),
        ("arrays.digest", "0", "is not the file that was saved"),
        ("arrays.extra", 1, "there is no entry arrays.extra"),
        ("league", ..., "league is missing"),
        ("league", None, "league = None: must be a table"),
        ("league.active", 0, "league.active = 0 is no snapshot in use"),
        ("league.active", 99, "league.active = 99 is no snapshot in use"),
        ("league.active", -1, "league.active = -1: must be at least 0"),
        ("league.active_until", HUGE, "league.active_until = 1000.*: must be at most"),
        ("league.active_until", 10**9, "= 1000000000 is more than the 16 games"),
        ("league.finished", -1, "league.finished = -1: must be at least 0"),
        ("league.finished", 1.5, "league.finished = 1.5: must be a whole number"),
        ("league.opponents", [], r"league.opponents begins with \[\]; the settings name"),
        ("league.opponents.0.name", "random", "the settings name"),
        ("league.opponents.0.retired", True, "the settings name"),
        ("league.opponents.0.games", -1.0, r"opponents\[0\].games = -1.0: must be at least 0"),
        ("league.opponents.0.games", HUGE, r"opponents\[0\].games = 1\d+: must be at most 100"),
        ("league.opponents.0.wins", 100.0, "wins = 100.0 are more than games"),
        ("league.opponents.0.wins", "x", "must be a number"),
        ("league.opponents.1.name", "x", "the snapshot 'x' must be named by its age"),
        ("league.opponents.1.name", "-5", "the snapshot '-5' must be named by its age"),
        ("league.opponents.1.name", "../../x", "must be named by its age"),
        ("league.opponents.1.name", "999999", "must be named by its age in decisions"),
        ("league.rng.bit_generator", "MT19937", "must be 'PCG64'"),
        ("league.rng.state.inc", 2, "inc = 2 is even"),
        ("league.rng.state.state", 2**128, "must be below"),
        ("league.rng.state.state", -1, "must be at least 0"),
        ("league.rng.uinteger", 2**32, "must be below 4294967296"),
        ("rng", {}, "rng.bit_generator is missing"),
        ("rng.has_uint32", HUGE, "rng.has_uint32 = 1.*: must be at most 1"),
        ("rng.has_uint32", 2, "rng.has_uint32 = 2: must be at most 1"),
        ("snapshots", {}, "snapshots = {}: must be a list"),
        ("snapshots", [], "there are 0 snapshots, but the league has"),
        ("snapshots.0", None, r"snapshots\[0\] = None: must be a table"),
        ("snapshots.0.digest", None, r"snapshots\[0\].digest = None: must be text"),
        ("decisions", -5, "decisions = -5: must be at least 0"),
        ("decisions", HUGE, "decisions = 1000000000000000000000000000000: must be at most"),
        ("decisions", 1e30, r"decisions = 1e\+30: must be a whole number"),
        ("decisions", 900.5, "decisions = 900.5: must be a whole number"),
        ("decisions", True, "decisions = True: must be a whole number"),
        ("updates", -1, "updates = -1: must be at least 0"),
        ("facts", ..., "facts is missing"),
        ("facts", [], r"facts = \[\]: must be a table"),
        ("facts.seconds", ..., "facts.seconds is missing"),
        ("facts.seconds", "x", "facts.seconds = 'x': must be a number"),
        ("facts.seconds", -1e9, "facts.seconds = -1000000000.0: must be at least 0"),
        ("facts.seconds", HUGE, "must be at most 100000000000"),
        ("facts.bfloat16", "x", "facts.bfloat16 = 'x': must be true or false"),
        ("facts.bfloat16", 1, "facts.bfloat16 = 1: must be true or false"),
        ("facts.digests", [], r"facts.digests = \[\]: must be a table"),
        ("facts.digests", {"random": 1}, "facts.digests.random = 1: must be text"),
        ("facts.commands", [1, None], r"facts.commands\[0\] = 1: must be text"),
        ("facts.commands", [], r"facts.commands = \[\]: must be at least 1 long"),
        ("facts.commands", "x", "facts.commands = 'x': must be a list"),
        ("facts.history", {}, "facts.history = {}: must be a list"),
        ("facts.history", [3], r"facts.history\[0\] = 3: must be a table"),
        ("facts.history", [MEASUREMENT | {"games": "many"}], r"history\[0\].games = 'many': must"),
        ("facts.history", [MEASUREMENT | {"win_rate": None}], "must be numbers against 'random'"),
        ("facts.history", [MEASUREMENT | {"colour": 1}], r"no entry facts.history\[0\].colour"),
        ("facts.history", [MEASUREMENT | {"players": 9}], r"history\[0\].players = 9: the run is"),
        ("facts.history", [MEASUREMENT | {"decisions": 10**6}], ": decisions = .* are fewer than"),
        ("facts.history", [MEASUREMENT | {"seconds": 1e6}], "seconds = .* are fewer than"),
        (
            "facts.history",
            [MEASUREMENT, MEASUREMENT | {"decisions": 1}],
            "facts: decisions = 1 is below the last measurement's 256",
        ),
        ("facts.config", [], r"facts.config = \[\]: must be a table"),
        ("facts.config", ..., "facts.config is missing"),
        ("facts.config.width", 8, r"is float32 .*, not float32 \((8,?|.*, 8|8, .*)\)"),
        ("facts.config.width", 24, r"is float32 .*, not float32 \(.*24.*\)"),
        ("facts.config.width", "a", "facts.config.width = 'a': must be a whole number"),
        ("facts.config.n_envs", 17, "seats is int32 .*, not int32"),
        ("facts.config.game", "figaro", "facts.config: players=1: figaro is played by"),
        ("facts.config.players", [99], "facts.config: players=99"),
        ("facts.config.games", 3, "games is now called n_envs"),
        ("facts.config.max_snapshots", 1, "snapshots are more than a run of its settings has"),
    ],
)
def test_an_entry_that_cannot_be_is_refused(folder, place, value, message):
    edit_state(folder, partial(put, place=place, value=value))
    with pytest.raises(CheckpointError, match=message) as fault:
        Run.resume(folder, device="cpu")
    told = str(fault.value)
    assert str(folder) in told
    assert "pydantic" not in told
    assert "Input should" not in told
    assert len(told) < 2000


def test_two_snapshots_of_one_age(folder):
    def twice(data):
        data["league"]["opponents"][2]["name"] = data["league"]["opponents"][1]["name"]

    edit_state(folder, twice)
    with pytest.raises(CheckpointError, match="two snapshots have the same age"):
        Run.resume(folder, device="cpu")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"format": 3, "format": 3}', "the key 'format' stands twice"),
        (json.dumps({"format": 3, "a": [[]] * 600_000}), "has more than 500,000 values"),
        ('{"format": 3, "decisions": NaN}', "the number NaN is not finite"),
        ('{"format": 3, "a": ' + "[" * 10**5 + "]" * 10**5 + "}", "is not JSON"),
        (json.dumps({"format": 3, **dict.fromkeys(map(str, range(2000)))}), " 1,000 in one obj"),
        ('{"format": 3, "\\ud800": 1}', "must be text of whole characters"),
    ],
)
def test_what_is_no_proper_json_is_refused(folder, text, message):
    (folder / "run.json").write_text(text)
    with pytest.raises(CheckpointError, match=message):
        read_state(folder)


def resign(folder, name, change):
    """Change one array of a run, and its file's name and digest with it."""
    path = folder / "run.json"
    data = json.loads(path.read_text())
    arrays = dict(safetensors.numpy.load((folder / data["arrays"]["file"]).read_bytes()))
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


def drop(_array: Any) -> None:
    """No such array."""


WEIGHT = "policy/action_net.weight"


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        (WEIGHT, spoilt(np.nan), "action_net.weight holds numbers that are not finite"),
        (WEIGHT, lambda a: a.astype(np.float64), "action_net.weight is float64|bytes, and at most"),
        (WEIGHT, lambda a: a[:-1], "action_net.weight is float32"),
        (WEIGHT, drop, "arrays missing or not expected: .'policy/action_net.weight'"),
        ("policy/extra", lambda _: np.zeros(1), "arrays missing or not expected: .'policy/extra'"),
        ("policy/features_extractor.scale", spoilt(3.0), "is not what follows from the game"),
        ("optimizer/0/exp_avg", spoilt(np.inf), "optimizer/0/exp_avg holds numbers that are not"),
        ("optimizer/0/exp_avg_sq", spoilt(-1.0), "optimizer/0/exp_avg_sq holds numbers below 0"),
        ("optimizer/0/step", spoilt(-1.0), "optimizer/0/step holds numbers below 0"),
        ("optimizer/0/step", drop, "arrays missing or not expected: .'optimizer/0/step'"),
        ("generators", lambda a: a.astype(np.int64), "generators is int64"),
        ("generators", lambda a: a[:3], "generators is uint64"),
        ("seats", spoilt(9), "seats names an opponent that is not there"),
        ("seats", spoilt(-2), "seats names an opponent that is not there"),
        ("seats", lambda a: np.where(a == -1, 0, a), "seats has a game that no learner plays"),
        ("seats", lambda a: np.where(a == -2, -3, a), "seats has more than the games"),
        ("seats", lambda a: a.astype(np.int64), "seats is int64"),
        ("games", lambda a: a[:, :-1], "games is uint8"),
        ("games", lambda a: a[:-1], "games is uint8"),
        ("games", lambda a: np.zeros((2**24, 2), np.uint8), "bytes, and at most"),
        ("open/games", spoilt(16), "open/games or open/seats name what is not there"),
        ("open/games", spoilt(-1), "open/games or open/seats name what is not there"),
        ("open/seats", spoilt(-1), "open/games or open/seats name what is not there"),
        ("open/seats", spoilt(7), "open/seats names a seat that the learner has not"),
        ("open/seats", lambda a: a[:-1], "open/seats is int8"),
        ("open/games", lambda a: np.array(3), r"is \w+ \(\d+,.*\), not \w+ \(0,"),
        ("open/actions", spoilt(10**6), "open/actions holds one that is not legal"),
        ("open/actions", spoilt(-1), "open/actions holds one that is not legal"),
        ("open/masks", lambda a: a & False, "open/actions holds one that is not legal"),
        ("open/observations", lambda a: a - 100, "open/observations holds numbers beyond"),
        ("open/log_probs", spoilt(5.0), "open/log_probs holds one above 0"),
        ("open/forecasts", spoilt(np.nan), "open/forecasts holds numbers that are not finite"),
        ("open/gained", lambda a: a[:, None], "open/gained is float32"),
    ],
)
def test_an_array_that_cannot_be_is_refused(folder, name, change, message):
    resign(folder, name, change)
    with pytest.raises(CheckpointError, match=message) as fault:
        Run.resume(folder, device="cpu")
    assert str(folder) in str(fault.value)


def test_open_decisions_of_one_seat_are_one(folder):
    def repeat(array):
        array[1] = array[0]
        return array

    for name in ("games", "seats", "actions", "masks"):
        resign(folder, f"open/{name}", repeat)
    with pytest.raises(CheckpointError, match="open/seats repeats a seat"):
        Run.resume(folder, device="cpu")

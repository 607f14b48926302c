"""The recipes in docs/libraries learn, search and play, run as a user runs them.

The name of each test begins with that of its library. An illegal action would end a game with a
loss, so learning and winning show that masks are respected.
"""

import math

import numpy as np
import pytest

from shakespeare_agents.networks.checkpoint import bundled_checkpoint, load_checkpoint
from shakespeare_env import Batch
from shakespeare_env.core import registry
from tests.agents.networks import PlainNetwork
from tests.contract.command_line import output_of
from tests.ecosystem.libraries import run

# Warnings of other libraries are not errors.
pytestmark = pytest.mark.filterwarnings("default")


def test_sb3_learns_to_beat_random_play_with_only_legal_actions(monkeypatch):
    pytest.importorskip("sb3_contrib")
    recipe = run(monkeypatch, "sb3_ppo")
    assert recipe["before"] + 0.3 < recipe["after"] <= 1.0  # `win` pays at most 1
    assert recipe["after"] > 0.9
    assert 0.8 < recipe["single"] <= 1.0


def test_cleanrl_learns_to_beat_random_play(monkeypatch, tmp_path):
    pytest.importorskip("torch")
    weights = str(tmp_path / "net.pth")
    recipe = run(monkeypatch, "cleanrl_ppo", "--decisions", "65536", "--out", weights)
    assert recipe["won"]["random"] > 0.8
    assert math.isfinite(recipe["loss"])


def test_torchrl_learns_one_seat_and_plays_all_seats_with_only_legal_actions(monkeypatch):
    pytest.importorskip("torchrl")
    recipe = run(monkeypatch, "torchrl_ppo")
    scores = recipe["scores"]
    assert max(scores[-2:]) > scores[0]
    played = recipe["played"]
    seats = recipe["table"].group_map
    assert (sum(played[seat, "mask"].long() for seat in seats) == 1).all()
    for seat in seats:
        actions = played[seat, "action"].unsqueeze(-1)
        is_legal = played[seat, "action_mask"].gather(-1, actions)
        assert is_legal[played[seat, "mask"]].all()


def test_tianshou_learns_one_seat_and_joins_a_table_with_only_legal_actions(monkeypatch, capfd):
    pytest.importorskip("tianshou")
    recipe = run(monkeypatch, "tianshou_ppo")
    assert recipe["after"] > recipe["before"] > 0  # an illegal action costs ten points
    assert recipe["at_table"].shape == (2,)
    assert (recipe["at_table"] > 0).all()
    assert "Illegal move" not in capfd.readouterr().err


def test_rllib_learns_one_seat_and_all_seats_with_only_legal_actions(monkeypatch):
    pytest.importorskip("ray.rllib")
    recipe = run(monkeypatch, "rllib_ppo")
    for means in (recipe["one_seat"], recipe["all_seats"]):
        assert all(math.isfinite(mean) for mean in means)
        assert means[-1] > max(means[0], 0)


def test_supersuit_wraps_games_that_end_with_only_legal_actions(monkeypatch, capfd):
    pytest.importorskip("supersuit")
    recipe = run(monkeypatch, "supersuit_wrappers")
    assert recipe["decisions"] > 100
    assert (recipe["lowest"], recipe["highest"]) == (0.0, 1.0)
    assert recipe["finished"] > 3
    assert recipe["illegal"] == 0
    assert recipe["observations"].dtype == "float32"
    assert "Illegal move" not in capfd.readouterr().err


def test_openspiel_searches_and_beats_random_play(monkeypatch):
    pytest.importorskip("pyspiel")
    recipe = run(monkeypatch, "openspiel_ismcts")
    assert np.mean(recipe["margins"]) > 0


@pytest.mark.parametrize("name", ["shakespeare", "figaro"])
def test_onnxruntime_plays_the_game_that_the_network_plays(name, monkeypatch, tmp_path):
    pytest.importorskip("onnxruntime")
    arguments = ["network", "--game", name, "--onnx", "--out", str(tmp_path)]
    output_of("export", *arguments)
    position = run(monkeypatch, "onnxruntime_game", str(tmp_path))["position"]
    game = registry.game(name)
    loaded, _ = load_checkpoint(bundled_checkpoint(game), game)
    network = PlainNetwork(loaded.tensors, loaded.layout)
    batch = Batch(name, n=1, players=3, seed=7, autoreset=False)
    while batch.to_move[0] >= 0:
        legal = np.where(batch.mask, network.logits(batch.obs), -np.inf)
        batch.step(legal.argmax(axis=1))
    assert position.scores() == batch.scores()[0, :3].tolist()


def test_optuna_tries_settings_and_draws_them(monkeypatch, tmp_path):
    pytest.importorskip("optuna")
    arguments = ["--trials", "2", "--decisions", "4000", "--out", str(tmp_path)]
    recipe = run(monkeypatch, "optuna_tuning", *arguments)
    assert len({trial.params["gae_lambda"] for trial in recipe["study"].trials}) == 2
    assert (tmp_path / "tuning.png").read_bytes().startswith(b"\x89PNG")

"""Networks and rewards of users: they learn, are saved, are played with, and mislead nobody."""

from __future__ import annotations

import re
import tomllib
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from rich.console import Console
from safetensors.numpy import load_file

from shakespeare_agents import make
from shakespeare_agents.networks.checkpoint import read_card
from shakespeare_arena import evaluate
from shakespeare_env.checks import limits
from shakespeare_env.core import registry
from shakespeare_env.errors import CheckpointError, MemoryLimitError, TrainingError
from shakespeare_training.building import make_learner, needed_bytes
from shakespeare_training.config import (
    TrainingConfig,
    chosen_config,
    make_config,
    override,
    settings_of,
    train_command,
)
from shakespeare_training.exploit import ExploitSettings, exploit_by_ppo
from shakespeare_training.learners.ppo import PPO
from shakespeare_training.learners.reward import current_standing, standing_after_step
from shakespeare_training.learners.rollout import CHANGE
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.train import train
from tests.agents.networks import write_checkpoint
from tests.contract.command_line import output_of, refusal_of, run
from tests.training.short_runs import fingerprint, learn_quietly
from tests.training.toy_game import NAME, make_toy

pytestmark = pytest.mark.usefixtures("toy", "files")
CODE = """
import torch
from torch import nn
from shakespeare_training.networks.mlp import PolicyNetwork

class Net(nn.Module):
    def __init__(self, game, *, width=16):
        super().__init__()
        self.body = nn.Linear(game.layout.size, width)
        self.heads = nn.Linear(width, game.actions.size + 2 * game.max_seats)
        self.sizes = [game.actions.size, game.max_seats, game.max_seats]
        self.unused = nn.Linear(2, 2)

    def forward(self, observations):
        outputs = self.heads(self.body(observations).relu()).split(self.sizes, dim=1)
        return dict(zip(("logits", "win_logits", "changes"), outputs))

class Wrapped(nn.Module):
    def __init__(self, game, *, width=16):
        super().__init__()
        self.network = PolicyNetwork(game, width=width)

    def forward(self, observations):
        return self.network(observations * 1)

class PolicyAlone(Net):
    def forward(self, observations, masks):
        return super().forward(observations)["logits"].masked_fill(~masks, -9.0)

class OneSeat(Net):
    def forward(self, observations):
        outputs = super().forward(observations)
        return {**outputs, "changes": outputs["changes"][:, 0]}

class Counting(Net):
    def __init__(self, game):
        super().__init__(game)
        self.register_buffer("counts", torch.zeros(3, dtype=torch.int64))

class Fails(Net):
    def forward(self, observations):
        raise ZeroDivisionError("in the users' own code")

def frozen(game):
    return Net(game).requires_grad_(False)

def change_of_score(before, after):
    return after.scores - before.scores

def victory(before, after, *, worth=1.0):
    return worth * (after.shares - before.shares)

def one_number(before, after):
    return after.scores.sum()

def infinite(before, after):
    return (after.scores + 1) / 0

def last(observations, masks, rng):
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
"""
SETTINGS: dict[str, Any] = {
    "game": NAME,
    "players": [2, 3],
    "opponents": {"current": 0.4, "past": 0.3, "my.py:last": 0.3},
    "evaluation_opponents": ["random"],
    "network": "my.py:Net,width=32",
    "decisions": 3000,
    "snapshot_every": 800,
    "max_snapshots": 2,
    "n_envs": 32,
    "n_steps": 16,
    "batch_size": 128,
    "precision": "float32",
    "first_evaluation_games": 2,
    "final_evaluation_games": 2,
}
QUIET = Console(quiet=True)
PAGE = Path(__file__).resolve().parents[2] / "docs" / "training.md"


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Enter a folder with the code of the user's parts."""
    monkeypatch.chdir(tmp_path)
    Path("my.py").write_text(CODE)


def config_of(**settings):
    return make_config({**SETTINGS, **settings}, "here")


def trained(folder, **settings):
    """Return the settings of a complete run."""
    config = config_of(**settings)
    with Run.create(config, Path(folder), device="cpu") as run:
        assert train(run, QUIET)
    return config


def weights_of(learner):
    return torch.nn.utils.parameters_to_vector(learner.policy.parameters())


def test_a_module_learns_and_a_resumed_run_equals_one_that_never_stopped(tmp_path):
    trust = ["my.py:Net,width=32", "my.py:last"]
    with Run.create(config_of(), tmp_path / "whole", device="cpu") as whole:
        learn_quietly(whole)
    with Run.create(config_of(), tmp_path / "parts", device="cpu") as first:
        learn_quietly(first, save_at=1700)
    with Run.resume(tmp_path / "parts", device="cpu", trusted=trust) as second:
        assert 0 < second.decisions < whole.decisions
        assert second.learner.league.pool
        learn_quietly(second)
    assert fingerprint(second) == fingerprint(whole)


def test_its_weights_play_under_its_name_and_search_uses_its_forecasts(tmp_path):
    trained("run", decisions=20_000, opponents={"current": 1.0}, players=[2], learning_rate=3e-3)
    name = f"my.py:Net,width=32,weights={tmp_path}/run/weights.safetensors"
    win_rate: Any = evaluate([name, "random"], NAME, games=200, seed=1).agents[0].win_rate
    assert win_rate > 0.85
    agent: Any = make(name, registry.game(NAME))
    assert hasattr(agent, "forecasts")
    error = r"a network of one.s own.*my.py:NAME,weights=run/weights.safetensors"
    with pytest.raises(CheckpointError, match=error):
        make("run", registry.game(NAME))


def test_a_snapshot_stays_as_it_was_while_the_module_learns_on():
    learner = make_learner(config_of(), "cpu")
    learner.add_snapshot()
    (snapshot,) = learner.league.pool
    agent: Any = snapshot.agent
    batch = make_toy(8, players=3)
    before = agent.probabilities(batch.obs, batch.mask)
    weights = weights_of(learner)
    learner.learn(500)
    assert not torch.equal(weights_of(learner), weights)
    np.testing.assert_array_equal(agent.probabilities(batch.obs, batch.mask), before)


def test_a_seed_gives_the_weights_and_global_generators_are_left_alone():
    """A module draws from PyTorch's global generator, unlike the project's own network."""
    before = torch.random.get_rng_state()
    one, same, other = (make_learner(config_of(seed=seed), "cpu") for seed in (5, 5, 6))
    assert torch.equal(torch.random.get_rng_state(), before)
    assert torch.equal(weights_of(one), weights_of(same))
    assert not torch.equal(weights_of(one), weights_of(other))


def test_a_module_can_wrap_the_projects_own_network():
    """With the same seed it begins as that network does."""
    batch = make_toy(8, players=3)
    views = torch.from_numpy(batch.obs), torch.from_numpy(batch.mask.copy())
    networks = ({"network": "my.py:Wrapped,width=8"}, {"network": "mlp", "width": 8})
    ours, theirs = (make_learner(config_of(**network), "cpu").policy for network in networks)
    with torch.no_grad():
        for output, expected in zip(ours.outputs(*views), theirs.outputs(*views), strict=True):
            torch.testing.assert_close(output, expected)


def test_the_example_on_the_page_learns():
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    (code,) = [block for block in blocks if "class Net" in block]
    Path("my.py").write_text(code)
    parts = {"network": "my.py:Net,width=8", "reward": "my.py:reward,place=0.2"}
    learner = make_learner(config_of(**parts, opponents={"current": 1.0}), "cpu")
    before = weights_of(learner)
    learner.learn(500)
    assert not torch.equal(weights_of(learner), before)


@pytest.mark.parametrize(
    ("network", "error"),
    [
        ("my.py:PolicyAlone", r"no output win_logits and no output changes; .*\[n, 4\]"),
        ("my.py:OneSeat", r"`changes` has the shape \(2,\) .* must be \(2, 4\)"),
        ("my.py:Counting", "`counts` is torch.int64"),
        ("my.py:frozen", "no parameters"),
        ("my.py:Fails", r"line \d+: ZeroDivisionError: in the users' own code"),
        ("my.py:last", "from the game alone"),
        ("my.py:torch", "name a PyTorch module"),
        ("my.py:Net,widht=3", "did you mean 'width'"),
        ("my.py:Nett", "did you mean 'Net'"),
        ("my.py:Net,weights=net.pth", "--start my.py:Net,weights=net.pth"),
        ("network", "as my.py:NAME"),
        ("net.onnx", "as my.py:NAME"),
    ],
)
def test_the_error_says_why_a_module_cannot_learn(network, error):
    with pytest.raises((ValueError, TypeError), match=error):
        make_learner(config_of(network=network), "cpu")


def test_a_start_takes_the_weights_of_the_same_module_only(tmp_path):
    trained("run", decisions=500)
    weights = "run/weights.safetensors"
    words = ["train", "--game", NAME, "--start", f"my.py:Net,width=32,weights={weights}"]
    printed = tomllib.loads(output_of(*words, "--print-config"))
    assert printed["network"] == "my.py:Net,width=32"
    assert "width" not in printed
    config = config_of()
    with Run.create(config, tmp_path / "next", start=Path(weights), device="cpu") as run:
        agent: Any = make(f"my.py:Net,width=32,weights={weights}", registry.game(NAME))
        batch = make_toy(8, players=3)
        expected = agent.probabilities(batch.obs, batch.mask)
        found: Any = run.learner.policy.agent()
        np.testing.assert_array_equal(found.probabilities(batch.obs, batch.mask), expected)
        assert f"--start my.py:Net,width=32,weights={weights}" in run.commands[0]

    write_checkpoint(tmp_path / "ours", registry.game(NAME))
    refused = partial(refusal_of, "train", "--game", NAME, "--out", "none", "--start")
    assert "do not fit Net: body.weight" in refused(f"my.py:Net,width=8,weights={weights}")
    assert "names no weights" in refused("my.py:Net")
    assert "no file 'gone.pt'" in refused("my.py:Net,weights=gone.pt")
    assert "my.py:NAME,weights=run" in refused("run")
    both = "--set", "network=my.py:Net"
    assert "leave one out" in refused(f"my.py:Net,width=32,weights={weights}", *both)
    assert "weights=FILE" in refused("ours", *both)
    assert "adopt net.onnx makes a checkpoint" in refused("net.onnx")
    assert not Path("none").exists()


def test_a_function_of_arrays_does_not_learn_but_may_be_adopted():
    Path("arrays.py").write_text("def net(observations, masks):\n    return masks * 1.0\n")
    words = ("train", "--game", NAME, "--out", "none", "--set", "network=arrays.py:net")
    error = refusal_of(*words)
    assert "arrays.py:net takes (observations, masks)" in error
    assert "shakespeare adopt arrays.py:net" in error
    assert not Path("none").exists()


def test_responses_to_an_agent_start_from_a_module(tmp_path):
    trained("run", decisions=500, players=[2], opponents={"current": 1.0})
    names = ("n_envs", "n_steps", "precision", "first_evaluation_games", "final_evaluation_games")
    settings = ExploitSettings(
        decisions=300,
        players=2,
        games=4,
        start="my.py:Net,width=32,weights=run/weights.safetensors",
        training={name: SETTINGS[name] for name in names} | {"learning_rate": 1e-9},
    )
    first, same = (exploit_by_ppo("random", tmp_path / "found", settings, NAME) for _ in range(2))
    assert first is not None
    assert same is not None
    assert same.evaluation == first.evaluation
    folder = tmp_path / "found" / "seed0"
    found, start = (load_file(each / "weights.safetensors") for each in (folder, Path("run")))
    np.testing.assert_allclose(found["body.weight"], start["body.weight"], atol=1e-5)


def test_the_command_says_how_a_response_starts_from_the_weights_of_a_module(tmp_path):
    trained("run", decisions=500, players=[2], opponents={"current": 1.0})
    names = ("n_envs", "n_steps", "precision", "first_evaluation_games", "final_evaluation_games")
    agent = "my.py:Net,width=32,weights=run/weights.safetensors"
    words = ["exploit", agent, "--game", NAME, "--players", "2", "--decisions", "300"]
    words += [word for name in names for word in ("--set", f"{name}={SETTINGS[name]}")]
    done = run(*words, "--games", "4", "--out", "found")
    assert "by PPO from nothing" in done.stdout
    assert f"--start {agent}" in done.stderr


def test_python_of_a_run_is_trusted_by_name_and_must_not_have_changed(tmp_path):
    config = trained("run", decisions=500, reward="my.py:victory", opponents={"current": 1.0})
    refused = partial(pytest.raises, CheckpointError)
    trust = {config.network, config.reward}
    for missing in trust:
        with refused(match=f"{missing}.*--trust"):
            Run.resume(tmp_path / "run", device="cpu", trusted=trust - {missing})
    Run.resume(tmp_path / "run", device="cpu", trusted=trust).close()
    Path("my.py").write_text(f"{CODE}\n# another version\n")
    with refused(match="changed.*--start my.py:Net,width=32,weights="):
        Run.resume(tmp_path / "run", device="cpu", trusted=trust)


def test_a_module_that_needs_too_much_memory_is_refused(monkeypatch):
    small = needed_bytes(config_of(network="my.py:Net,width=8"))
    assert needed_bytes(config_of(network="my.py:Net,width=8000")) > 2 * small
    monkeypatch.setattr(limits, "total_memory", lambda: small)
    with pytest.raises(MemoryLimitError, match="the size of the network"):
        make_learner(config_of(network="my.py:Net,width=8000"), "cpu")


def test_expert_iteration_learns_with_a_module(tmp_path):
    searching = {
        "algorithm": "expert_iteration",
        "simulations": 2,
        "considered": 2,
        "horizon": 1,
        "warmup_decisions": 0,
    }
    settings = {name: value for name, value in SETTINGS.items() if name != "n_steps"}
    config = make_config({**settings, **searching, "n_envs": 8, "decisions": 60}, "here")
    with Run.create(config, tmp_path / "run", device="cpu") as run:
        before = weights_of(run.learner)
        learn_quietly(run)
        assert not torch.equal(weights_of(run.learner), before)


# ------------------------------------------------------------------------------------------ reward


def test_a_reward_that_is_the_change_of_the_score_teaches_the_same_as_the_projects_own():
    """The toy's scores are in units of the reward, so both add up to the same weights."""
    weighted = {"score_reward_coef": 1.0, "score_reward_coef_end": 1.0, "win_reward_coef": 0.0}
    assert registry.game(NAME).score_scale == 1.0
    learners = [
        make_learner(config_of(**settings), "cpu")
        for settings in (weighted, {"reward": "my.py:change_of_score"})
    ]
    for learner in learners:
        learner.learn(2000)
    assert torch.equal(weights_of(learners[0]), weights_of(learners[1]))


def test_a_reward_sees_the_standings_around_each_step():
    learner = make_learner(config_of(reward="my.py:victory,worth=0.5"), "cpu")
    assert isinstance(learner, PPO)
    games = learner.games
    batch = learner.league.batch
    ended = 0
    while ended < 20:
        before = current_standing(games)
        assert not before.over.any()
        assert not before.shares.any()
        np.testing.assert_array_equal(before.scores, batch.scores())
        games.step(torch.from_numpy(batch.random_actions()))
        after = standing_after_step(games)
        np.testing.assert_array_equal(after.over, batch.done)
        for row in np.flatnonzero(batch.done):
            players = int(batch.players[row])
            winners = batch.final_winners[row]
            np.testing.assert_array_equal(after.scores[row], batch.final_scores[row])
            # Each winner of the toy has 1 point, and the loser, who is last, has none.
            expected = np.where(winners, 1, players) * (np.arange(4) < players)
            np.testing.assert_array_equal(after.ranks[row], expected)
            np.testing.assert_allclose(after.shares[row], winners / winners.sum())
            ended += 1

    learner.collect()
    gains = learner.rollout.gains[..., CHANGE].sum(dim=2)
    assert set(gains.unique().tolist()) == {0.0, 0.5}
    assert (gains[learner.rollout.dones] == 0.5).all()


def test_forecasts_of_another_reward_are_not_taken_for_scores(capsys):
    """A search with such a network plays to the end, and the run says so."""
    game = registry.game(NAME)
    names = {}
    for network in ("mlp", "my.py:Net"):
        config = config_of(network=network, reward="my.py:victory", decisions=500)
        with Run.create(config, Path(f"run of {network[:2]}"), device="cpu") as run:
            train(run, Console(width=300))
            names[network] = run.agent_name
        assert "not of scores" in capsys.readouterr().out
    assert not hasattr(make(names["my.py:Net"], game), "forecasts")
    folder = Path(names["mlp"])
    assert read_card(folder).heads == []
    with Run.resume(folder, trusted=["my.py:victory", "my.py:last"], device="cpu") as run:
        assert run.learner.policy.tensors()["score.weight"].any(), "resuming keeps the heads"


@pytest.mark.parametrize(
    ("reward", "error"),
    [
        ("my.py:one_number", r"returned \(\); return a tensor \(32, 4\)"),
        ("my.py:infinite", "not finite"),
        ("my.py:victory,wroth=2", "did you mean 'worth'"),
        ("victory", "as my.py:NAME"),
    ],
)
def test_an_error_says_what_is_wrong_with_a_reward(reward, error):
    with pytest.raises((ValueError, TypeError, TrainingError), match=error):
        make_learner(config_of(reward=reward), "cpu").learn(1)


# ---------------------------------------------------------------------------------------- settings


def test_settings_of_the_projects_own_parts_go_with_them(tmp_path):
    """They are neither printed nor accepted beside the user's own."""
    parts = {"network": "my.py:Net", "reward": "my.py:victory"}
    gone = {"width", "win_reward_coef", "score_reward_coef", "score_reward_coef_end"}
    config = chosen_config(None, parts)
    assert set(settings_of(TrainingConfig())) - set(settings_of(config)) == gone
    assert chosen_config("ppo", parts) == config
    assert set(settings_of(chosen_config("gpu", parts))) == set(settings_of(config))
    assert override(config, seed=1).seed == 1
    command = train_command(config, "auto")
    assert "network=" in command
    assert "reward_coef" not in command
    with pytest.raises(ValueError, match=r"network = 'my\.py:Net,width=64'"):
        make_config({**parts, "width": 64}, "here")
    with pytest.raises(ValueError, match="your function returns all"):
        make_config({**parts, "win_reward_coef": 0.5}, "here")
    with pytest.raises(ValueError, match="algorithm = 'expert_iteration' has no such setting"):
        make_config({"algorithm": "expert_iteration", "reward": "my.py:victory"}, "here")

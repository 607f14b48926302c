"""The bundled checkpoints: small, documented, and as strong as they are said to be."""

import re
import shlex
import subprocess
import sys
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from shakespeare_agents import default, make
from shakespeare_agents.identity import agent_digest
from shakespeare_agents.networks.checkpoint import (
    LICENCE,
    bundled_checkpoint,
    bundled_versions,
    load_checkpoint,
)
from shakespeare_agents.networks.inference import ForwardPass
from shakespeare_arena import evaluate
from shakespeare_env import Batch
from shakespeare_env.core import registry
from shakespeare_research.calibration import forecasts
from shakespeare_training.config import chosen_config, parse_override
from shakespeare_training.runs.evaluation import OpponentResult
from tests.contract import knowledge

games = pytest.mark.parametrize("name", registry.names())
VERSIONS = {name: bundled_versions(registry.game(name)) for name in registry.names()}


@pytest.mark.parametrize(("name", "version"), [(n, v) for n in VERSIONS for v in VERSIONS[n]])
def test_it_fits_its_game_and_says_where_it_comes_from(name, version):
    game = registry.game(name)
    folder = bundled_checkpoint(game, version)
    _, card = load_checkpoint(folder, game)
    assert card.players == list(registry.seats(name))
    assert card.licence == LICENCE
    assert card.command.startswith("shakespeare train")
    history = [OpponentResult(**entry) for entry in card.figures["history"]]
    assert history[-1].decisions == card.figures["decisions"]
    assert card.figures["decisions"] >= card.settings["decisions"] or " --minutes " in card.command
    assert sum(path.stat().st_size for path in folder.iterdir()) < 6_000_000
    assert len(list(folder.iterdir())) == 2
    # Its command repeats its settings, whatever the defaults of today.
    runs = [part for part in re.split(" && |; ", card.command) if " --seed " in part]
    options = list(pairwise(shlex.split(runs[-1])))
    given = dict(parse_override(text) for option, text in options if option == "--set")
    named = dict(options)
    settings = {"game": name, "seed": int(named["--seed"]), **given}
    config = chosen_config(named.get("--config"), settings).to_json()
    same = (config.keys() & card.settings.keys()) - {"precision"}  # "auto" found out which
    assert {key: config[key] for key in same} == {key: card.settings[key] for key in same}


@games
def test_the_newest_plays_by_default_and_the_first_stays(name):
    game = registry.game(name)
    newest = f"network,version={VERSIONS[name][-1]}"
    assert default(game) == "network"
    # Figures in the training log and of users are about the first.
    _, card = load_checkpoint(bundled_checkpoint(game, 1), game)
    assert card.weights_digest == knowledge.of(name, "strength").FIRST_NETWORK
    digests = {agent_digest(text, make(text, game), game) for text in ("network", newest)}
    assert len(digests) == 1


@games
def test_its_forecasts_explain_games_it_never_saw(name):
    """Forecasts of every seat's victory and score, and the value of the own seat, are unbiased."""
    game = registry.game(name)
    network = ForwardPass(load_checkpoint(bundled_checkpoint(game), game)[0])
    unit = game.score_scale
    for players in registry.seats(name)[::3]:
        found = forecasts(name, players=players, games=200, seed=9, player="network")
        left = found.filter(pl.col("stage") < 5)
        score = left["score"].to_numpy()
        expected = left["expected"].to_numpy()
        assert np.square(score - expected).mean() < 0.95 * score.var(), players
        assert abs((score - expected).mean()) < 0.15 * unit, players
        if players > 1:
            won = left["won"].to_numpy().astype(float)
            chance = left["chance"].to_numpy()
            assert np.square(won - chance).mean() < won.var(), players
        batch = Batch(name, 64, players=players, seed=1, autoreset=False)
        for _ in range(20):
            batch.step(batch.random_actions())
        _, changes = network.forecasts(batch.obs, batch.players)
        assert np.abs(network.values(batch.obs) - changes[:, 0]).mean() < 0.1, players


@games
def test_it_beats_the_others(name):
    players = min(4, registry.game(name).max_seats)
    for rival, least in knowledge.of(name, "strength").NETWORK_WINS.items():
        found = evaluate(["network", *[rival] * (players - 1)], name, games=25 * players, seed=1)
        assert (found["network"].win_rate or 0) > least


def test_it_plays_without_pytorch_learners_and_the_command_line():
    program = """
import sys
from shakespeare_arena import evaluate
evaluate(["network"] * 3, "figaro", games=3)
unwanted = {"torch", "stable_baselines3", "sb3_contrib", "typer"}
print(sorted(unwanted & sys.modules.keys()))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr

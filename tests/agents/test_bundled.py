"""The bundled checkpoints are small, documented, and as strong as promised."""

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
    read_card,
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


every_version = pytest.mark.parametrize(
    ("name", "version"), [(name, version) for name in VERSIONS for version in VERSIONS[name]]
)


@every_version
def test_a_checkpoint_fits_its_game_is_small_and_has_a_history(name, version):
    game = registry.game(name)
    folder = bundled_checkpoint(game, version)
    _, card = load_checkpoint(folder, game)
    assert card.players == list(registry.seats(name))
    assert card.licence == LICENCE
    history = [OpponentResult(**entry) for entry in card.figures["history"]]
    assert history[-1].decisions == card.figures["decisions"]
    assert card.figures["decisions"] >= card.settings["decisions"] or " --minutes " in card.command
    assert sum(path.stat().st_size for path in folder.iterdir()) < 6_000_000
    assert len(list(folder.iterdir())) == 2


@every_version
def test_the_command_of_a_checkpoint_repeats_its_settings_even_if_defaults_change(name, version):
    card = read_card(bundled_checkpoint(registry.game(name), version))
    assert card.command.startswith("shakespeare train")
    runs = [part for part in re.split(" && |; ", card.command) if " --seed " in part]
    options = list(pairwise(shlex.split(runs[-1])))
    overrides = dict(parse_override(text) for option, text in options if option == "--set")
    value_of = dict(options)
    settings = {"game": name, "seed": int(value_of["--seed"]), **overrides}
    config = chosen_config(value_of.get("--config"), settings).to_json()
    # For "precision", the card has the value that "auto" stood for.
    keys = (config.keys() & card.settings.keys()) - {"precision"}
    assert {key: config[key] for key in keys} == {key: card.settings[key] for key in keys}


@games
def test_the_newest_version_plays_by_default(name):
    game = registry.game(name)
    newest = f"network,version={VERSIONS[name][-1]}"
    assert default(game) == "network"
    digests = {agent_digest(text, make(text, game), game) for text in ("network", newest)}
    assert len(digests) == 1


@games
def test_the_first_version_stays_the_same(name):
    """The training log, and users, have figures about it."""
    card = read_card(bundled_checkpoint(registry.game(name), 1))
    assert card.weights_digest == knowledge.of(name, "strength").FIRST_NETWORK


@games
def test_forecasts_explain_new_games_and_are_unbiased(name):
    unit = registry.game(name).score_scale
    for players in registry.seats(name)[::3]:
        table = forecasts(name, players=players, games=200, seed=9, player="network")
        before_the_end = table.filter(pl.col("stage") < 5)
        score = before_the_end["score"].to_numpy()
        expected = before_the_end["expected"].to_numpy()
        assert np.square(score - expected).mean() < 0.95 * score.var(), players
        assert abs((score - expected).mean()) < 0.15 * unit, players
        if players > 1:
            won = before_the_end["won"].to_numpy().astype(float)
            chance = before_the_end["chance"].to_numpy()
            assert np.square(won - chance).mean() < won.var(), players


@games
def test_the_value_agrees_with_the_forecast_of_the_own_score(name):
    game = registry.game(name)
    network, _ = load_checkpoint(bundled_checkpoint(game), game)
    forward = ForwardPass(network)
    for players in registry.seats(name)[::3]:
        batch = Batch(name, 64, players=players, seed=1, autoreset=False)
        for _ in range(20):
            batch.step(batch.random_actions())
        _, changes = forward.forecasts(batch.obs, batch.players)
        assert np.abs(forward.values(batch.obs) - changes[:, 0]).mean() < 0.1, players


@games
def test_the_network_beats_the_other_agents(name):
    players = min(4, registry.game(name).max_seats)
    for rival, least in knowledge.of(name, "strength").NETWORK_WINS.items():
        report = evaluate(["network", *[rival] * (players - 1)], name, games=25 * players, seed=1)
        assert (report["network"].win_rate or 0) > least


def test_the_network_plays_without_importing_pytorch_learners_or_the_command_line():
    program = """
import sys
from shakespeare_arena import evaluate
evaluate(["network"] * 3, "figaro", games=3)
unwanted = {"torch", "stable_baselines3", "sb3_contrib", "typer"}
print(sorted(unwanted & sys.modules.keys()))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr

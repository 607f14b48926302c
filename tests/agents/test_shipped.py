"""The trained players that come along: small, documented, and as strong as they are said to be."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

import pytest

import shakespeare_agents
from shakespeare_agents.checkpoint import LICENCE, load_checkpoint
from shakespeare_agents.registry import shipped_checkpoint
from shakespeare_env import Batch, registry
from tests.contract import knowledge
from shakespeare_training.config import make_config
from shakespeare_agents.arena.evaluate import Seated, evaluate
from shakespeare_training.runs.history import History

SHIPPED = [name for name in registry.names() if shipped_checkpoint(registry.game(name)).is_dir()]


def test_every_game_has_one():
    assert list(registry.names()) == SHIPPED


@pytest.mark.parametrize("name", SHIPPED)
def test_it_fits_its_game_and_says_where_it_comes_from(name):
    game = registry.game(name)
    folder = shipped_checkpoint(game)
    _, card = load_checkpoint(folder, game)
    assert card.players == list(registry.seats(name))
    assert card.licence == LICENCE
    assert card.command.startswith("shakespeare train")
    config = make_config(card.settings, "card")
    history = History.from_json(card.figures["history"])
    assert history[len(history) - 1].decisions == card.figures["decisions"] >= config.decisions
    assert sum(path.stat().st_size for path in folder.iterdir()) < 5_000_000
    assert len(list(folder.iterdir())) == 2
    assert shakespeare_agents.default(game) == "network"


@pytest.mark.parametrize("name", SHIPPED)
def test_it_beats_the_others(name):
    game = registry.game(name)
    players = min(4, game.max_seats)
    network = Seated("network", shakespeare_agents.make("network", game))
    for rival, least in knowledge.of(name, "strength").NETWORK_WINS.items():
        other = Seated(rival, shakespeare_agents.make(rival, game))
        table = [network, *[other] * (players - 1)]
        found = evaluate(table, partial(Batch, name), games=25 * players, seed=1)
        won = found["network"].win_rate
        assert won is not None
        assert won > least


@pytest.mark.parametrize("name", SHIPPED)
def test_it_plays_without_pytorch_and_learners(name):
    program = (
        "import sys, numpy, agents\n"
        "from shakespeare_env import Batch, registry\n"
        "name = sys.argv[1]\n"
        "batch = Batch(name, 4, players=registry.seats(name)[-1])\n"
        "agent = shakespeare_agents.make('network', batch.game)\n"
        "batch.step(agent.act(batch.obs, batch.mask, numpy.random.default_rng(0)))\n"
        "print(sorted({'torch', 'stable_baselines3', 'sb3_contrib'} & sys.modules.keys()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, name], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"

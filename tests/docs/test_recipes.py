"""The recipes in docs/recipes run as they are, on few games."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from torch.utils.data import DataLoader

from shakespeare_agents import make
from shakespeare_arena import Entrant, evaluate
from shakespeare_arena.dataset import write_dataset
from shakespeare_env.core import registry
from shakespeare_env.datasets import Batches
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch

FIGARO = registry.game("figaro")
RECIPES = Path(__file__).resolve().parents[2] / "docs" / "recipes"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A dataset of 24 games."""
    dataset = tmp_path_factory.mktemp("recipes") / "games"
    heuristic = Entrant("heuristic", make("heuristic", registry.game("shakespeare")))
    write_dataset(dataset, [heuristic] * 4, games=24, seed=1)
    return dataset


def test_a_recurrent_agent_learns_and_remembers_each_game_by_itself(tmp_path, monkeypatch):
    """Its moves do not depend on the games that are played beside it."""
    monkeypatch.syspath_prepend(str(RECIPES))
    recipe = import_module("recurrent")
    monkeypatch.setattr(recipe, "OPPONENTS", "random")
    shares: list[float] = []
    for updates in (0, 40):
        out = tmp_path / f"{updates}.pth"
        recipe.train(str(out), updates=updates)
        name = f"{RECIPES / 'recurrent.py'}:Recurrent,weights={out}"
        result = evaluate([name, "random"], "figaro", players=3, games=150)
        shares.append(result[name].win_rate or 0.0)
    assert shares[0] + 0.1 < shares[1]

    def played(n, **options):
        """Return the first of n games after 30 decisions against the agent."""
        opponents = make(name, FIGARO, **options)
        games = SingleAgentBatch("figaro", n, players=3, opponents=opponents, seed=1)
        for _ in range(30):
            _, over = games.step(games.action_masks().argmax(1))
            games.restart(np.flatnonzero(over))
        return games.batch.save([0]).tobytes()

    assert played(1) == played(9) != played(1, memory=False)


# On one processor, PyTorch warns of two worker processes.
@pytest.mark.filterwarnings("ignore:This DataLoader will create:UserWarning")
def test_processes_share_the_decisions(folder, monkeypatch):
    monkeypatch.syspath_prepend(str(RECIPES))
    recipe = import_module("loader_processes")
    decisions = recipe.RecordedDecisions(Batches(folder, size=2048, seed=0))
    loader = DataLoader(decisions, batch_size=None, num_workers=2, multiprocessing_context="spawn")
    keys: list[tuple[int, int]] = []
    for batch in loader:
        keys += zip(batch["game_ids"].tolist(), batch["numbers"].tolist(), strict=True)
    assert len(keys) == len(set(keys)) == decisions.batches.decisions
    batches = Batches(folder, size=256, seed=0)
    ranks = [recipe.RecordedDecisions(batches, rank=rank, ranks=2) for rank in range(2)]
    first, second = [[len(batch["actions"]) for batch in rank] for rank in ranks]
    assert len(first) == len(second)
    assert sum(first) + sum(second) == batches.decisions

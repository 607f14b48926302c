"""Digests of everything that seeded games show, and of the bundled networks' choices in them.

Equal digests before and after a change mean that rules, chance, records, masks, observations,
rewards and networks are the same, byte for byte. `python -m tests.golden.digests` compares those of
100,000 games of every table with `digests.json`; with `--keep` it writes them there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path

import numpy as np
from rich.progress import track

import shakespeare_agents as agents
from shakespeare_agents.networks.checkpoint import bundled_versions
from shakespeare_env import Batch
from shakespeare_env.core import registry
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.lineup import Lineup, play_out
from tests.contract.random_games import PLAIN_TABLES, TABLES, Table

KEPT = Path(__file__).parent / "digests.json"
FEW = 1_000
MANY = 100_000
AT_ONCE = 10_000
SEED = 1616
NETWORK_GAMES = 64


def games_at(table: Table, first: int, last: int) -> Batch:
    """Return the games numbered `first` to `last - 1` of the seed."""
    batch = table.batch(last - first, SEED, autoreset=False)
    batch.reset(SEED, deals=np.arange(first, last))
    return batch


def of_random_games(table: Table, games: int) -> str:
    """Return a digest of all records, masks, observations and rewards in random games."""
    digest = hashlib.sha256()
    for first in range(0, games, AT_ONCE):
        batch = games_at(table, first, min(first + AT_ONCE, games))
        while (batch.to_move >= 0).any():
            rows = np.flatnonzero(batch.to_move >= 0)
            for array in (batch.save(rows), batch.mask[rows], batch.obs[rows]):
                digest.update(array.tobytes())
            rewards, done = batch.step(batch.random_actions()[rows], rows)
            digest.update(rewards.tobytes() + done.tobytes())
        for array in (batch.save(slice(None)), batch.final_scores, batch.final_winners):
            digest.update(array.tobytes())
    return digest.hexdigest()


def of_networks(table: Table) -> str:
    """Return a digest of every action that each bundled network chooses in games with itself."""
    digest = hashlib.sha256()
    game = registry.game(table.game)
    for version in (min(bundled_versions(game)), max(bundled_versions(game))):
        batch = games_at(table, 0, NETWORK_GAMES)
        agent = agents.make(f"network,version={version}", game)
        generators = GameGenerators.of_games(SEED, np.arange(NETWORK_GAMES))
        places = np.zeros((NETWORK_GAMES, table.players), np.int64)
        play_out(
            batch,
            Lineup.seated([agent], places, game.max_seats, generators),
            before_step=lambda rows, actions: digest.update(actions.tobytes()),
        )
    return digest.hexdigest()


def few() -> dict[str, str]:
    """Return the digests that a test compares: of 1,000 games a table, and of networks."""
    of_few = {f"{table}, {FEW:,} games": of_random_games(table, FEW) for table in TABLES}
    return of_few | {f"{table}, networks": of_networks(table) for table in PLAIN_TABLES}


def many() -> dict[str, str]:
    """Return the digests of 100,000 games of every table."""
    tables = track(TABLES, description="playing", transient=True)
    return {f"{table}, {MANY:,} games": of_random_games(table, MANY) for table in tables}


def kept() -> dict[str, str]:
    """Return the digests in the file."""
    loaded: dict[str, str] = json.loads(KEPT.read_text("utf-8"))
    return loaded


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", action="store_true", help="write the digests to the file")
    keep = parser.parse_args().keep
    found = few() | many()
    if keep:
        KEPT.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    different = [name for name, digest in found.items() if kept().get(name) != digest]
    print("\n".join(f"differs: {name}" for name in different) or f"{len(found)} digests are equal")
    sys.exit(bool(different))

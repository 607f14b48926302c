"""Judge a network by the fixed panel: `make panel ARGS=CHECKPOINT`.

The panel is a fixed list of opponents, among them all versions of the bundled network. The judged
network plays one seat against copies of each opponent, at every number of seats. It also plays the
solo game, if there is one. `--card` writes the results to the network's card.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.console import Console
from rich.table import Table

from benchmarks.leaderboards.arenas import HERE
from shakespeare_agents.cli.playing import show_games_progress
from shakespeare_agents.making import make
from shakespeare_agents.networks.checkpoint import CARD_NAME, bundled_versions, read_card
from shakespeare_agents.storage import write_output
from shakespeare_arena import Entrant, evaluate
from shakespeare_env.core import registry
from shakespeare_env.core.game import Game
from shakespeare_env.play.agent import AnyAgent

SEED = 4242
MAIN_GAMES = 6000
"""Games against version 1 of the bundled network."""
OTHER_GAMES = 2000
"""Games against each other agent that does not search."""
SEARCH_GAMES = 400
"""Games against each searching agent."""
SOLO_GAMES = 1000
_SEARCH = "search,simulations=16,version=1,horizon=1000"
_TABLES = {"shakespeare": (4, 3, 2), "figaro": (3, 4, 5, 6)}
"""The numbers of seats at which a network meets opponents, by game."""


@dataclass(frozen=True)
class Judgement:
    """The share of games that a network wins in one seat against copies of an opponent.

    In the solo game `won` is the mean score.
    """

    opponent: str
    players: int
    games: int
    won: float
    low: float
    high: float

    @property
    def row(self) -> tuple[str, ...]:
        """The cells of a table: opponent, seats, games, share or score with interval, parity."""
        unit = 1 if self.players == 1 else 100
        interval = f"{unit * self.low:.1f} to {unit * self.high:.1f}"
        return (
            self.opponent,
            str(self.players),
            f"{self.games:,}",
            f"{unit * self.won:.1f} ({interval})",
            "" if self.players == 1 else f"{100 / self.players:.0f}",
        )


class Opponent(NamedTuple):
    """An opponent of the panel."""

    name: str
    agent: AnyAgent
    tables: tuple[int, ...]  # numbers of seats
    games: int  # at each table


def opponents(game: Game) -> Iterator[Opponent]:
    """Yield the panel's opponents."""
    tables = _TABLES[game.name]
    for version in bundled_versions(game):
        games = MAIN_GAMES if version == 1 else OTHER_GAMES
        network = make(f"network,version={version}", game)
        yield Opponent(f"version {version}", network, tables, games)
    # A network that was trained to beat version 2 of the bundled network.
    best_response = make(str(HERE / "best_response" / game.name), game)
    yield Opponent("best response", best_response, tables, OTHER_GAMES)
    yield Opponent("heuristic", make("heuristic", game), tables, OTHER_GAMES)
    yield Opponent("search, 16 playouts", make(_SEARCH, game), (4,), SEARCH_GAMES)


def judge(network: Path, game: Game, scale: float) -> Iterator[Judgement]:
    """Play the panel, or a share of its games, and yield each result as soon as it is known."""
    judged = Entrant("network", make(str(network), game))
    for opponent in opponents(game):
        rival = Entrant(opponent.name, opponent.agent)
        for players in opponent.tables:
            entrants = [judged, *[rival] * (players - 1)]
            count = max(1, round(opponent.games * scale))
            with show_games_progress(count) as on_progress:
                result = evaluate(
                    entrants,
                    game.name,
                    players=players,
                    games=count,
                    seed=SEED,
                    on_progress=on_progress,
                )
            own = result[judged.name]
            if own.win_rate is not None and own.low is not None and own.high is not None:
                yield Judgement(
                    opponent=opponent.name,
                    players=players,
                    games=own.games,
                    won=own.win_rate,
                    low=own.low,
                    high=own.high,
                )
    if 1 in registry.seats(game.name):
        solo = evaluate([judged], game.name, players=1, games=SOLO_GAMES, seed=SEED)
        own = solo[judged.name]
        if own.score_low is not None and own.score_high is not None:
            yield Judgement(
                opponent="alone, mean score",
                players=1,
                games=SOLO_GAMES,
                won=own.mean_score,
                low=own.score_low,
                high=own.score_high,
            )


def main(
    checkpoint: Annotated[Path, typer.Argument(help="The folder of the network, or of its run.")],
    scale: Annotated[float, typer.Option(help="The share of the panel's games to play.")] = 1.0,
    card: Annotated[bool, typer.Option("--card", help="Write the figures to the card.")] = False,
) -> None:
    """Judge a network by the fixed panel, and print a table."""
    game = registry.game(read_card(checkpoint).game)
    table = Table("Opponent", "Seats", "Games", "Won %, 95 % interval", "Parity")
    judgements = []
    for judgement in judge(checkpoint, game, scale):
        judgements.append(judgement)
        table.add_row(*judgement.row)
        Console(stderr=True).print(*judgement.row, highlight=False)
    Console().print(table)
    if card:
        path = checkpoint / CARD_NAME
        content = json.loads(path.read_text(encoding="utf-8"))
        content["figures"]["panel"] = {"seed": SEED, "judgements": list(map(asdict, judgements))}
        write_output(path, (json.dumps(content, indent=2) + "\n").encode())


if __name__ == "__main__":
    typer.run(main)

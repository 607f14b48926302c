"""Moves and gifts tried in positions of self-play, each played to the end.

The positions' agent holds every seat. A position's trials meet the same chance, of the game and the
agent, as long as their games draw alike.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shakespeare_agents.strategy.positions import Positions
from shakespeare_agents.strategy.self_play import at_all_seats, outcomes
from shakespeare_env.checks.values import is_whole
from shakespeare_env.core.batch import Batch
from shakespeare_env.play.agent import decide_among
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.lineup import play_out

OTHER = "another move"
"""The trial of `try_moves_and_other` beyond those of `try_moves`."""
_OTHER = np.uint64(0x07E2)
"""Separates that choice's draws from those of the games after it."""


def try_moves(positions: Positions) -> pl.DataFrame:
    """Try every legal move of the kinds looked for, one row per trial, by position.

    The columns: those of `positions.frame`; `move`, its text; `chosen`, whether the agent plays it;
    the decider's `score`, `lead` and `won` (see `self_play.outcomes`).
    """
    places, actions = _legal(positions)
    return _tried(positions, places, actions, _texts(positions, actions))


def try_moves_and_other(positions: Positions) -> pl.DataFrame:
    """Like `try_moves`, plus a trial `OTHER`, the agent's choice among all other moves.

    Positions without other moves are dropped.

    Raises:
        ValueError: no position has other moves.
    """
    rest = positions.games.mask.copy()
    rest[:, positions.kinds] = False
    open_to = np.flatnonzero(rest.any(axis=1))
    if not len(open_to):
        raise ValueError("no position has moves of other kinds; use `try_moves`")
    asked = positions.games.copies(open_to)
    generators = GameGenerators(positions.states[open_to] ^ _OTHER)
    others = decide_among(positions.agent, asked, rest[open_to], generators)
    places, actions = _legal(positions)
    among = np.isin(places, open_to)
    places, actions = places[among], actions[among]
    texts = [*_texts(positions, actions), *[OTHER] * len(others)]
    places, actions = np.append(places, open_to), np.append(actions, others)
    tried = _tried(positions, places, actions, texts)
    return tried.sort("position", maintain_order=True)


def try_gift(positions: Positions, what: str, amount: int) -> pl.DataFrame:
    """Give the decider more of something; two rows per position, without and with it.

    The columns: those of `positions.frame`; `gift`, 0 or the amount; the decider's `score`, `lead`
    and `won`. `what` is a per-seat field of the game's record, such as `pounds`; `amount` is 0 or
    more. Where the game has a supply (`supply_tokens`) the gift comes from it, and positions whose
    supply has less are dropped.

    Raises:
        ValueError: the record has no such field, or no room for so much.
    """
    game = positions.games.game
    if what not in (game.state.names or ()) or game.state[what].shape != (game.max_seats,):
        raise ValueError(f"{game.name} has no field {what!r} with a number for each seat")
    records = positions.games.save(slice(None))
    held = records[what][np.arange(len(records)), positions.games.to_move]
    room = game.ranges[what].high - int(held.max())
    supply = f"supply_{what}" if f"supply_{what}" in (game.state.names or ()) else None
    if supply is not None:
        room = min(room, int(records[supply].max()))
    if not is_whole(amount) or not 0 <= amount <= room:
        raise ValueError(f"amount={amount!r}: give a whole number of {what} from 0 to {room}")
    able = np.arange(len(records)) if supply is None else np.flatnonzero(records[supply] >= amount)
    places = np.repeat(able, 2)
    gifts = np.tile(np.array([0, amount]), len(able))
    games = positions.games.copies(places)
    records = records[places]
    given = gifts.astype(game.state[what].base)
    records[what][np.arange(games.n), games.to_move] += given
    if supply is not None:
        records[supply] -= given
    games.load(slice(None), records)
    return positions.frame[places].with_columns(gift=gifts).hstack(_end(positions, games, places))


def _legal(positions: Positions) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Positions and ids of the legal moves of the kinds looked for."""
    places, kinds = positions.games.mask[:, positions.kinds].nonzero()
    return places, positions.kinds[kinds]


def _texts(positions: Positions, actions: NDArray[np.int64]) -> list[str]:
    texts = positions.games.game.actions.texts
    return [texts[action] for action in actions]


def _tried(
    positions: Positions, places: NDArray[np.int64], actions: NDArray[np.int64], texts: list[str]
) -> pl.DataFrame:
    games = positions.games.copies(places)
    games.step(actions)
    moves = {"move": texts, "chosen": positions.choices[places] == actions}
    tried = positions.frame[places].hstack(pl.DataFrame(moves))
    return tried.hstack(_end(positions, games, places))


def _end(positions: Positions, games: Batch, places: NDArray[np.int64]) -> pl.DataFrame:
    """Play games out: the deciders' `score`, `lead` and `won`."""
    generators = GameGenerators(positions.states[places])
    play_out(games, at_all_seats(positions.agent, games, generators))
    deciders = np.arange(games.n) * games.players + positions.frame["seat"].to_numpy()[places]
    ends: pl.DataFrame = outcomes(games)[deciders].drop("seat")
    return ends

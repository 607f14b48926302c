"""What all environments share: spaces, the state as an array, outcomes of episodes, drawing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from shakespeare_env.checks.values import did_you_mean
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.game import Game, Record
from shakespeare_env.drawing.raster import pixels

RENDER_MODES = ("ansi", "rgb_array", "human")
RENDER_FPS = 4
"""Frames per second, a decision each, that people can follow."""
_FIRST, _LAST = np.iinfo(np.int16).max, np.iinfo(np.int16).min


def observation_space(game: Game) -> spaces.Box[np.int8]:
    """Box of int8[D] with the layout's bounds."""
    return spaces.Box(game.layout.low, game.layout.high, dtype=np.int8)


def action_space(game: Game) -> spaces.Discrete:
    """Discrete: the ids of the action table."""
    return spaces.Discrete(game.actions.size)


class StateView:
    """Every field of a game's record but its random state, for learners that may see everything.

    Attributes:
        fields: Field name -> slice of the array.
        space: Box of int32[K], bounded by the fields' types.
    """

    def __init__(self, game: Game) -> None:
        fields = [game.ranges[name] for name in game.state.names or () if name != "random"]
        sizes = [field.size for field in fields]
        ends = zip(fields, np.cumsum(sizes).tolist(), strict=True)
        self.fields = {field.name: slice(end - field.size, end) for field, end in ends}
        limits = [np.iinfo(field.kind) for field in fields]
        low = np.repeat([limit.min for limit in limits], sizes).astype(np.int32)
        high = np.repeat([limit.max for limit in limits], sizes).astype(np.int32)
        self.space = spaces.Box(low, high, dtype=np.int32)

    def __call__(self, record: Record) -> NDArray[np.int32]:
        """int32[K], the state of a game."""
        parts: list[Any] = [np.ravel(record[name]) for name in self.fields]
        return np.concatenate(parts, dtype=np.int32)


def episode_outcomes(
    batch: Batch, rows: NDArray[np.int64], seats: NDArray[np.integer]
) -> dict[str, NDArray[Any]]:
    """How games that are over, int[m], maybe the same ones, ended for a seat each, int[m].

    An illegal action is not played: a game that it has ended still waits for the offender.

    Returns:
        Arrays [m], or [m, L] where the longest table of the batch has L seats. `seat`, `players`,
        `score`; `won`, the seat's share of the victory, alone 1 for passing the game's solo target;
        `is_success`, the same, which Stable-Baselines3 logs; `rank`, 1 for winners, for others one
        more than the seats that did better, the offender last; `final_scores` and `winners`, by
        seat; `illegal_action`, whether the seat is the offender.
    """
    game, seats, players = batch.game, seats.astype(np.int64), batch.players[rows].astype(np.int64)
    length, offenders = int(batch.players.max()), batch.to_move[rows]
    distinct, places = np.unique(rows, return_inverse=True)
    scores = batch.scores(distinct)[places, :length]
    winners = (batch.final_winners[rows] & (offenders < 0)[:, None])[:, :length]
    own_places = np.arange(0, scores.size, length) + seats
    own = scores.take(own_places).astype(np.int64)
    won = winners.take(own_places) / np.maximum(np.add.reduce(winners, 1), 1)
    if game.solo_target is not None and (alone := players == 1).any():
        won[alone & (own <= game.solo_target)] = 0.0
    # The winners rank first, whatever their scores, and the offender last.
    standing = scores.copy()
    standing[winners] = _FIRST
    seat = np.arange(length)
    standing[(seat >= players[:, None]) | (seat == offenders[:, None])] = _LAST
    better = standing > standing.take(own_places)[:, None]
    return {
        "seat": seats,
        "players": players,
        "won": won,
        "is_success": won,
        "score": own,
        "rank": 1 + np.add.reduce(better, 1),
        "final_scores": scores,
        "winners": winners,
        "illegal_action": seats == offenders,
    }


def as_infos(ends: dict[str, NDArray[Any]]) -> list[dict[str, Any]]:
    """An info for each of m games, of Python numbers, and arrays where there are more."""
    columns = [list(values) if values.ndim > 1 else values.tolist() for values in ends.values()]
    return [dict(zip(ends, row, strict=True)) for row in zip(*columns, strict=True)]


class Renderer:
    """Draws a game, secrets included, in the mode it is given.

    "ansi": `render` returns text; "rgb_array": it returns a picture, uint8[height, width, 3];
    "human": it prints the text; None: it warns.  ValueError for a mode that is not among `modes`.
    """

    def __init__(self, game: Game, mode: str | None, modes: Sequence[str] = RENDER_MODES) -> None:
        if mode is not None and mode not in modes:
            known = ", ".join(map(repr, modes))
            question = did_you_mean(str(mode), modes)
            raise ValueError(f"render_mode={mode!r}{question}: choose None or one of {known}")
        self.mode = mode
        self._game = game.name  # a game's own functions cannot always be pickled

    def render(self, record: Record) -> str | NDArray[np.uint8] | None:
        """Draw a position; ImportError if a picture needs the extra `render`."""
        if self.mode is None:
            modes = ", ".join(RENDER_MODES)
            gymnasium.logger.warn(f"render() without a render_mode: make it with one of {modes}")
            return None
        game = registry.game(self._game)
        position = game.to_dict(record)
        if self.mode == "rgb_array":
            return pixels(game.presentation.picture(position))
        text = game.presentation.draw(position)
        if self.mode == "ansi":
            return text
        print(text)
        return None

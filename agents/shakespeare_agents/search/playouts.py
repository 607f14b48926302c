"""Possible games, played on by a policy to the end, or until they are valued; on threads."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.networks.inference import Scratch, Weights
from shakespeare_agents.search.halving import Ends, Playouts
from shakespeare_agents.search.playouts import Choose, Room, write_forecast
from shakespeare_env.checks.values import shown
from shakespeare_env.compile.decorators import kernel, rule
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.game import Game, Records
from shakespeare_env.core.rng import GOLDEN, mix
from shakespeare_env.core.row_rules import forced_moves_of
from shakespeare_env.core.thread_pool import MOST_THREADS, ThreadPool

TO_THE_END = 1_000_000
"""A horizon beyond any game's end."""
_FEW = 16
"""The number of playouts below which one thread plays them."""
_11, _TO_UNIT = np.uint64(11), 2.0**-53


@cache
def playouts_of(game: Game, choose: Choose) -> Callable[..., int]:
    """A game's kernel of playouts in which every seat follows one policy."""
    rules = game.rules
    rules_play, rules_observe, rules_scores = rules.play, rules.observe, rules.scores
    rules_rewind = rules.rewind
    play_forced_moves = forced_moves_of(game)

    @rule
    def choose_again(game: Any, state: Any, weights: Any, scratch: Any, room: Any) -> Any:
        """Redraw others' secret choices by the policy; returns the random state.

        Each seat chooses from what it saw before these choices, in the possible game.
        """
        mover = game["to_move"]
        if rules_rewind(game):
            play_forced_moves(game, room.mask)
            while game["to_move"] != mover:
                room.seen[:] = 0
                rules_observe(game, game["to_move"], room.seen)
                state += GOLDEN
                number = np.float64(mix(state) >> _11) * _TO_UNIT
                rules_play(game, choose(game, weights, scratch, room, 1.0, number))
                play_forced_moves(game, room.mask)
        return state

    @kernel(
        game.name,
        rules_play,
        rules_observe,
        rules_scores,
        rules.legal,
        rules_rewind,
        choose,
        purpose=f"{game.name.capitalize()}'s rules (playouts of a search)",
    )
    def play_on(
        records: Any,
        sources: Any,
        roots: Any,
        actions: Any,
        chance: Any,
        first: int,
        last: int,
        horizon: int,
        temperature: float,
        unit: float,
        network: Any,
        for_network: Any,
        for_games: Any,
        win: Any,
        score: Any,
    ) -> int:
        """Play some of k playouts and return the number of decisions.

        Args:
            records: Possible games[d].
            sources: int64[k], the possible game that each starts from.
            roots: int64[k], equal for playouts of one true game, which stand together.
            actions: int64[k], the first actions.
            chance: uint64[k], the random states of policies.
            first: The first playout to play.
            last: One more than the last playout.
            horizon: Decisions of each seat after that until the game is valued.
            temperature: The temperature of the policy.
            unit: Points in a unit of the network's scores.
            network: `Weights`.
            for_network: `Scratch`.
            for_games: `Room`.
            win: float32[k, S], written: shares of the victory.
            score: float32[k, S], written: final scores in points.
        """
        weights, scratch, room = Weights(*network), Scratch(*for_network), Room(*for_games)
        decisions = 0
        root = -1
        for k in range(first, last):
            if k == first or roots[k] != root:
                root = roots[k]
                room.begun[0, :] = False
            room.begun[1, :] = False
            room.games[0] = records[sources[k]]
            game = room.games[0]
            players = game["players"]
            state = choose_again(game, chance[k], weights, scratch, room)
            rules_play(game, actions[k])
            play_forced_moves(game, room.mask)
            left = horizon * int(players)
            while game["to_move"] >= 0:
                room.seen[:] = 0
                rules_observe(game, game["to_move"], room.seen)
                if left <= 0:
                    break
                state += GOLDEN
                number = np.float64(mix(state) >> _11) * _TO_UNIT
                action = choose(game, weights, scratch, room, temperature, number)
                rules_play(game, action)
                play_forced_moves(game, room.mask)
                left -= 1
                decisions += 1
            rules_scores(game, room.scores)
            winners = 0
            for other in range(players):
                score[k, other] = room.scores[other]
                winners += game["winners"][other]
            if game["to_move"] >= 0:
                write_forecast(game, weights, scratch, room, unit, win[k], score[k])
                decisions += 1
            elif winners > 0:
                for other in range(players):
                    win[k, other] = game["winners"][other] / winners
        return decisions

    return play_on


class Player:
    """Plays possible games on.

    Args:
        game: The game played.
        choose: The policy of all seats.
        weights: The weights of its network.
        horizon: See `playouts_of`, as is `temperature`.
        threads: The threads that share the playouts; they change no result.

    Attributes:
        decisions: The decisions made and valued so far, each by the network if there is one.

    Raises:
        TypeError: an option is no number.
        ValueError: one is out of range.
    """

    def __init__(
        self,
        game: Game,
        choose: Choose,
        weights: Weights,
        *,
        horizon: int,
        temperature: float,
        threads: int = 1,
    ) -> None:
        checked_count("threads", threads, MOST_THREADS)
        if horizon < 0 or not temperature >= 0:
            raise ValueError(
                f"horizon={shown(horizon)}, temperature={shown(temperature)}: give numbers from 0"
            )
        if len(weights.heads) == 1 and horizon < TO_THE_END:
            raise ValueError(
                f"horizon={horizon}: without heads that forecast all seats, playouts go to the end"
            )
        self.game = game
        self.decisions = 0
        self.horizon, self.temperature = horizon, float(temperature)
        self._weights = weights
        self._play_on = playouts_of(game, choose)
        self._pool = ThreadPool(threads)
        self._rooms: SimpleQueue[tuple[Any, Any]] = SimpleQueue()
        for _ in range(threads):
            width = len(weights.gain)
            self._rooms.put((tuple(Scratch.of(weights)), tuple(Room.of(game, width))))

    def play(self, played: Playouts, records: Records, chance: NDArray[np.uint64]) -> Ends:
        """Play the playouts and return their ends.

        Args:
            played: k playouts.
            records: Possible games[d].
            chance: uint64[d], the random states of policies in each of them.
        """
        size = len(played.sources)
        win = np.zeros((size, self.game.max_seats), np.float32)
        score = np.zeros_like(win)
        unit = float(self.game.score_scale)
        draws = chance[played.sources]
        made: list[int] = []

        def play(first: int, last: int) -> None:
            scratch, room = self._rooms.get()
            try:
                found = self._play_on(
                    records,
                    played.sources,
                    played.games,
                    played.actions,
                    draws,
                    first,
                    last,
                    self.horizon,
                    self.temperature,
                    unit,
                    tuple(self._weights),
                    scratch,
                    room,
                    win,
                    score,
                )
                made.append(found)
            finally:
                self._rooms.put((scratch, room))

        if size < _FEW:
            play(0, size)
        else:
            self._pool.share(size, play)
        self.decisions += sum(made)
        roots = played.sources
        return Ends(
            win,
            score / np.float32(unit),
            records["to_move"][roots].astype(np.int64),
            records["players"][roots].astype(np.int64),
        )

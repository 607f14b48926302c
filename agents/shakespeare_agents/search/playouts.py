"""Possible games, played on by a policy to the end, or until they are valued; compiled."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from shakespeare_agents.networks.inference import Scratch, Weights
from shakespeare_agents.search.policies import Choose, Room, write_forecast
from shakespeare_env.compile.decorators import kernel, rule
from shakespeare_env.core.game import Game
from shakespeare_env.core.rng import GOLDEN, mix
from shakespeare_env.core.row_rules import forced_moves_of

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

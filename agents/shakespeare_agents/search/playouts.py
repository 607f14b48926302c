"""Possible games, played on by compiled policies to the end or until they are valued."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.networks.inference import (
    Scratch,
    Weights,
    normalise,
    update_sums,
    write_first_sums,
    write_heads,
    write_logits,
)
from shakespeare_agents.search.halving import Outcomes, Playouts
from shakespeare_env.checks.values import short_repr
from shakespeare_env.compile.decorators import kernel, rule
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.game import Game, Records
from shakespeare_env.core.rng import GOLDEN, mix
from shakespeare_env.core.row_rules import forced_moves_of
from shakespeare_env.core.thread_pool import MOST_THREADS, ThreadPool

TO_THE_END = 1_000_000  # a horizon beyond any game's end
_FEW = 16  # the number of playouts below which one thread plays them
_11, _TO_UNIT = np.uint64(11), 2.0**-53


class PlayoutScratch(NamedTuple):
    """Room for one playout."""

    games: Records  # one record
    mask: NDArray[np.bool_]  # bool[A]
    seen: NDArray[np.int8]  # int8[D], by the seat to move
    change: NDArray[np.int16]  # int16[D]
    begun: NDArray[np.bool_]
    """bool[2, S], the seats that have seen a position: at the root, and in this playout."""
    seen_by: NDArray[np.int8]  # int8[2, S, D], what they saw last
    sums: NDArray[np.int32]  # int32[2, S, W], the first layer of that
    scores: NDArray[np.int16]  # int16[S]

    @classmethod
    def of(cls, game: Game, width: int) -> PlayoutScratch:
        """Room for a game and a network's width."""
        seats, numbers = game.max_seats, game.layout.size
        return cls(
            np.zeros(1, game.state),
            np.zeros(game.actions.size, np.bool_),
            np.zeros(numbers, np.int8),
            np.zeros(numbers, np.int16),
            np.zeros((2, seats), np.bool_),
            np.zeros((2, seats, numbers), np.int8),
            np.zeros((2, seats, width), np.int32),
            np.zeros(seats, np.int16),
        )


PlayoutPolicy = Callable[[Any, Any, Any, Any, float, float], int]
"""Compiled (record, weights, scratch, room, temperature, number): a legal action.

The room's `mask` and `seen` are those of the seat to move; the number is random, from 0 up to 1.
"""


@rule
def copy_into(source: Any, out: Any) -> None:
    """Copy one array into another; assigning slices would allocate."""
    for i in range(len(out)):
        out[i] = source[i]


@rule
def write_features(game: Any, weights: Any, scratch: Any, room: Any) -> None:
    """Compute features of what the seat to move sees, updating those of its last view."""
    seat = game["to_move"]
    if not room.begun[1, seat]:
        if not room.begun[0, seat]:
            write_first_sums(room.seen, weights, scratch.inputs, room.sums[0, seat])
            copy_into(room.seen, room.seen_by[0, seat])
            room.begun[0, seat] = True
        copy_into(room.seen_by[0, seat], room.seen_by[1, seat])
        copy_into(room.sums[0, seat], room.sums[1, seat])
        room.begun[1, seat] = True
    before, sums = room.seen_by[1, seat], room.sums[1, seat]
    update_sums(room.seen, before, room.change, weights, scratch.inputs, sums)
    normalise(sums, weights, scratch)


@rule
def sample_action(mask: Any, logits: Any, temperature: float, number: float) -> int:
    """A legal action drawn from the softmax of logits; the likeliest at temperature 0."""
    best = -1
    for action in range(len(mask)):
        if mask[action] and (best < 0 or logits[action] > logits[best]):
            best = action
    if temperature <= 0.0:
        return best
    total = 0.0
    for action in range(len(mask)):
        if mask[action]:
            total += np.exp((logits[action] - logits[best]) / temperature)
    left = number * total
    for action in range(len(mask)):
        if mask[action]:
            left -= np.exp((logits[action] - logits[best]) / temperature)
            if left < 0.0:
                return action
    return best


@rule
def by_network(
    game: Any, weights: Any, scratch: Any, room: Any, temperature: float, number: float
) -> int:
    """An action drawn from the network's policy."""
    write_features(game, weights, scratch, room)
    write_logits(room.mask, weights, scratch)
    return sample_action(room.mask, scratch.logits, temperature, number)


@rule
def at_random(
    game: Any, weights: Any, scratch: Any, room: Any, temperature: float, number: float
) -> int:
    """Any legal action."""
    left = int(number * room.mask.sum())
    last = -1
    for action in range(len(room.mask)):
        if room.mask[action]:
            last = action
            if left == 0:
                return action
            left -= 1
    return last


@cache
def by_heuristic(score: Callable[[Any, int], float]) -> PlayoutPolicy:
    """The action of the highest score, compiled (observation, action) -> float."""

    @rule
    def choose(
        game: Any, weights: Any, scratch: Any, room: Any, temperature: float, number: float
    ) -> int:
        best, highest, equals = -1, 0.0, 0
        for action in range(len(room.mask)):
            if room.mask[action]:
                worth = score(room.seen, action)
                if best < 0 or worth > highest:
                    best, highest, equals = action, worth, 1
                elif worth == highest:
                    # The number is used up step by step, so that ties are equally likely.
                    equals += 1
                    number *= equals
                    if number < 1.0:
                        best = action
                    else:
                        number = (number - 1.0) / (equals - 1)
        return best

    return choose


@rule
def write_forecast(
    game: Any, weights: Any, scratch: Any, room: Any, unit: float, win: Any, score: Any
) -> None:
    """Write float32[S] shares of the victory, and add expected changes of the scores.

    The forecast is the mover's.
    """
    write_features(game, weights, scratch, room)
    write_heads(weights, scratch)
    heads, mover, players = scratch.heads, game["to_move"], game["players"]
    most = heads[1]
    for place in range(1, players):
        most = max(most, heads[1 + place])
    total = 0.0
    for place in range(players):
        total += np.exp(heads[1 + place] - most)
    for place in range(players):
        seat = (mover + place) % players
        win[seat] = np.exp(heads[1 + place] - most) / total
        score[seat] += heads[1 + len(score) + place] * unit


@cache
def playout_kernel(game: Game, choose: PlayoutPolicy) -> Callable[..., int]:
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

    @kernel(game.name, f"{game.name.capitalize()}'s rules (playouts of a search)")
    def play_on(
        records: Any,  # possible games[d]
        sources: Any,  # int64[k], the possible game that each playout starts from
        roots: Any,  # int64[k], equal for playouts of one true game, which stand together
        actions: Any,  # int64[k], the first actions
        chance: Any,  # uint64[k], the random states of policies
        first: int,  # the first playout to play
        last: int,  # one more than the last
        horizon: int,  # decisions of each seat after that until the game is valued
        temperature: float,  # of the policy
        unit: float,  # points in a unit of the network's scores
        network: Any,  # Weights
        for_network: Any,  # Scratch
        for_games: Any,  # Room
        win: Any,  # float32[k, S], written: shares of the victory
        score: Any,  # float32[k, S], written: final scores in points
    ) -> int:
        """Play some of k playouts; returns the number of decisions."""
        weights, scratch, room = (
            Weights(*network),
            Scratch(*for_network),
            PlayoutScratch(*for_games),
        )
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


class PlayoutRunner:
    """Plays possible games on, by a policy of all seats and the weights of its network.

    After `horizon` decisions of each seat a game is valued. Threads change no result. `decisions`
    counts those made and valued so far.
    """

    def __init__(
        self,
        game: Game,
        choose: PlayoutPolicy,
        weights: Weights,
        *,
        horizon: int,
        temperature: float,
        threads: int = 1,
    ) -> None:
        checked_count("threads", threads, MOST_THREADS)
        if horizon < 0 or not temperature >= 0:
            raise ValueError(
                f"horizon={short_repr(horizon)}, temperature={short_repr(temperature)}: give "
                "numbers from 0"
            )
        if len(weights.heads) == 1 and horizon < TO_THE_END:
            raise ValueError(
                f"horizon={horizon}: without heads that forecast all seats, playouts go to the end"
            )
        self.game = game
        self.decisions = 0
        self.horizon, self.temperature = horizon, float(temperature)
        self._weights = weights
        self._play_on = playout_kernel(game, choose)
        self._pool = ThreadPool(threads)
        self._own = threading.local()  # each thread has room of its own

    def play(self, played: Playouts, records: Records, chance: NDArray[np.uint64]) -> Outcomes:
        """The ends of playouts from possible games[d], uint64[d] the policies' random states."""
        size = len(played.sources)
        win = np.zeros((size, self.game.max_seats), np.float32)
        score = np.zeros_like(win)
        unit = float(self.game.score_scale)
        draws = chance[played.sources]
        made: list[int] = []

        def play(first: int, last: int) -> None:
            if not hasattr(self._own, "rooms"):
                room = PlayoutScratch.of(self.game, len(self._weights.gain))
                self._own.rooms = tuple(Scratch.of(self._weights)), tuple(room)
            made.append(
                self._play_on(
                    *(records, played.sources, played.games, played.actions, draws),
                    *(first, last, self.horizon, self.temperature, unit),
                    *(tuple(self._weights), *self._own.rooms, win, score),
                )
            )

        if size < _FEW:
            play(0, size)
        else:
            self._pool.share(size, play)
        self.decisions += sum(made)
        roots = played.sources
        return Outcomes(
            win,
            score / np.float32(unit),
            records["to_move"][roots].astype(np.int64),
            records["players"][roots].astype(np.int64),
        )

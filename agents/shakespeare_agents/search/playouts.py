"""Playouts of possible games by compiled policies, to the end or until a network values a game."""

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
_FEW = 16  # fewer playouts than this are played by one thread
_SHIFT = np.uint64(11)  # keeps the highest 53 of 64 random bits
_TO_UNIT = 2.0**-53  # makes 53 random bits a number in [0, 1)


class PlayoutScratch(NamedTuple):
    """Memory for one playout."""

    games: Records  # two records: the game that is played, and the same before its latest move
    mask: NDArray[np.bool_]  # bool[A], the legal actions of the seat to move
    seen: NDArray[np.int8]  # int8[D], the observation of the seat to move
    change: NDArray[np.int16]  # int16[D], differences between two observations
    begun: NDArray[np.bool_]
    """bool[2, S], the seats that have an entry in `seen_by` and `sums`.

    Index 0 of these three arrays is for the searched game, and index 1 is for the current playout.
    """
    seen_by: NDArray[np.int8]
    """int8[2, S, D], the first observation of each seat in any playout of the searched game, and
    its last observation in the current playout."""
    sums: NDArray[np.int32]  # int32[2, S, W], the first layer's sums for these observations
    scores: NDArray[np.int16]  # int16[S]

    @classmethod
    def of(cls, game: Game, width: int) -> PlayoutScratch:
        """Allocate memory for a game and a network's width."""
        seats = game.max_seats
        numbers = game.layout.size
        return cls(
            games=np.zeros(2, game.state),
            mask=np.zeros(game.actions.size, np.bool_),
            seen=np.zeros(numbers, np.int8),
            change=np.zeros(numbers, np.int16),
            begun=np.zeros((2, seats), np.bool_),
            seen_by=np.zeros((2, seats, numbers), np.int8),
            sums=np.zeros((2, seats, width), np.int32),
            scores=np.zeros(seats, np.int16),
        )


class PlayoutTask(NamedTuple):
    """The k playouts that a kernel plays from d possible games. Kernels take it as a tuple."""

    records: Records  # [d], the possible games
    sources: NDArray[np.int64]  # int64[k], the possible game from which each playout starts
    roots: NDArray[np.int64]  # int64[k], the searched game of each playout, in ascending order
    actions: NDArray[np.int64]  # int64[k], the first actions
    chance: NDArray[np.uint64]  # uint64[k], the policy's random states (SplitMix64)


class KeptMoves(NamedTuple):
    """The moves of k playouts that explain their results. Kernels take it as a tuple.

    These are the first two moves, those of the searching seat, those that change its score, and
    those that begin a new chapter, such as a round. A playout with more than M of them is counted
    to M + 1.
    """

    records: Records  # [k, M], the games before these moves
    actions: NDArray[np.int64]  # int64[k, M]
    is_turning: NDArray[np.bool_]  # bool[k, M], whether the score or the chapter changes
    counts: NDArray[np.int64]  # int64[k]
    ends: Records  # [k], the games where the playouts stopped

    @classmethod
    def of(cls, game: Game, playouts: int, most: int) -> KeptMoves:
        """Allocate memory for a number of playouts and the most moves of each."""
        return cls(
            records=np.zeros((playouts, most), game.state),
            actions=np.zeros((playouts, most), np.int64),
            is_turning=np.zeros((playouts, most), np.bool_),
            counts=np.zeros(playouts, np.int64),
            ends=np.zeros(playouts, game.state),
        )


class PlayoutLimits(NamedTuple):
    """The length of playouts, and the scales of policy and scores. Kernels take it as a tuple."""

    horizon: int  # the decisions of each seat after the first action, until the game is valued
    valued_chapter: int  # the day or round at whose beginning an earlier game is valued
    temperature: float  # the temperature of the policy
    unit: float  # the points in one unit of the network's scores


PlayoutPolicy = Callable[[Any, Any, Any, Any, float, float], int]
"""Compiled (record, weights, scratch, playout, temperature, number) -> a legal action.

`scratch` is the `Scratch` of the forward pass, `playout` is a `PlayoutScratch`, and `number` is a
random number in [0, 1).
"""


@rule
def copy_into(source: Any, out: Any) -> None:
    """Copy one array into another, without the memory that assigning slices allocates."""
    for i in range(len(out)):
        out[i] = source[i]


@rule
def write_features(game: Any, weights: Any, scratch: Any, playout: Any) -> None:
    """Write the network's features for the observation of the seat to move.

    The sums of the first layer are not computed anew. The seat's last sums are updated by the
    difference between its last observation and this one. In a new playout, a seat starts from the
    first observation that it made in any playout of the same searched game.
    """
    seat = game["to_move"]
    if not playout.begun[1, seat]:
        if not playout.begun[0, seat]:
            write_first_sums(playout.seen, weights, scratch.inputs, playout.sums[0, seat])
            copy_into(playout.seen, playout.seen_by[0, seat])
            playout.begun[0, seat] = True
        copy_into(playout.seen_by[0, seat], playout.seen_by[1, seat])
        copy_into(playout.sums[0, seat], playout.sums[1, seat])
        playout.begun[1, seat] = True
    before = playout.seen_by[1, seat]
    sums = playout.sums[1, seat]
    update_sums(playout.seen, before, playout.change, weights, scratch.inputs, sums)
    normalise(sums, weights, scratch)


@rule
def sample_action(mask: Any, logits: Any, temperature: float, number: float) -> int:
    """Sample a legal action from the softmax of logits. At temperature 0, return the likeliest."""
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
    game: Any, weights: Any, scratch: Any, playout: Any, temperature: float, number: float
) -> int:
    """Sample an action from the network's policy."""
    write_features(game, weights, scratch, playout)
    write_logits(playout.mask, weights, scratch)
    return sample_action(playout.mask, scratch.logits, temperature, number)


@rule
def at_random(
    game: Any, weights: Any, scratch: Any, playout: Any, temperature: float, number: float
) -> int:
    """Sample a legal action uniformly."""
    left = int(number * playout.mask.sum())
    last = -1
    for action in range(len(playout.mask)):
        if playout.mask[action]:
            last = action
            if left == 0:
                return action
            left -= 1
    return last


@cache
def by_heuristic(score: Callable[[Any, int], float]) -> PlayoutPolicy:
    """Return a policy that plays the action with the highest score. Ties break at random.

    Args:
        score: Compiled (observation, action) -> float.
    """

    @rule
    def choose(
        game: Any, weights: Any, scratch: Any, playout: Any, temperature: float, number: float
    ) -> int:
        best = -1
        highest = 0.0
        equals = 0
        for action in range(len(playout.mask)):
            if playout.mask[action]:
                worth = score(playout.seen, action)
                if best < 0 or worth > highest:
                    best = action
                    highest = worth
                    equals = 1
                elif worth == highest:
                    # Replace the choice with probability 1 / equals, so that ties are equally
                    # likely, and rescale the number so that it stays uniform in [0, 1).
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
    game: Any, weights: Any, scratch: Any, playout: Any, unit: float, win: Any, score: Any
) -> None:
    """Write the mover's forecast: shares of the victory, and expected changes of scores.

    Shares are written into `win`, and changes are added to `score`. Both are float32[S].
    """
    write_features(game, weights, scratch, playout)
    write_heads(weights, scratch)
    # `heads` holds the value, then a logit of the victory share for each place clockwise from the
    # mover, then a change of score for each place.
    heads = scratch.heads
    mover = game["to_move"]
    players = game["players"]
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
def chapter_rule(game: Game) -> Callable[[Any], int]:
    """Return the rule (record) -> the chapter of the game, 0 in games with only one."""
    key = game.chapter_field
    if key is None:

        @rule
        def same(record: Any) -> int:
            return 0

        return same

    @rule
    def chapter(record: Any) -> int:
        return int(record[key])

    return chapter


@cache
def playout_kernel(game: Game, choose: PlayoutPolicy) -> Callable[..., int]:
    """Compile a game's kernel of playouts in which every seat follows one policy."""
    rules_play = game.rules.play
    rules_observe = game.rules.observe
    rules_scores = game.rules.scores
    rules_rewind = game.rules.rewind
    play_forced_moves = forced_moves_of(game)
    chapter_of = chapter_rule(game)

    @rule
    def play_move(k: int, seat: int, action: int, playout: Any, kept: Any) -> None:
        """Play an action and forced moves. Keep the move if it may explain the result."""
        game = playout.games[0]
        records, actions, is_turning, counts, _ = kept
        if len(counts) == 0:
            rules_play(game, action)
            play_forced_moves(game, playout.mask)
            return
        playout.games[1] = playout.games[0]
        is_own = game["to_move"] == seat
        chapter = chapter_of(game)
        rules_scores(game, playout.scores)
        before = playout.scores[seat]
        rules_play(game, action)
        play_forced_moves(game, playout.mask)
        rules_scores(game, playout.scores)
        turns = playout.scores[seat] != before or chapter_of(game) != chapter
        count = counts[k]
        if (is_own or turns or count < 2) and count <= actions.shape[1]:
            if count < actions.shape[1]:
                records[k, count] = playout.games[1]
                actions[k, count] = action
                is_turning[k, count] = turns
            counts[k] += 1

    @rule
    def choose_again(game: Any, state: Any, weights: Any, scratch: Any, playout: Any) -> Any:
        """Redraw the secret choices of other seats by the policy, and return the random state.

        Each seat chooses from what it observed in the possible game before these choices.
        """
        mover = game["to_move"]
        if rules_rewind(game):  # it took secret choices back
            play_forced_moves(game, playout.mask)
            while game["to_move"] != mover:
                playout.seen[:] = 0
                rules_observe(game, game["to_move"], playout.seen)
                state += GOLDEN
                number = np.float64(mix(state) >> _SHIFT) * _TO_UNIT
                rules_play(game, choose(game, weights, scratch, playout, 1.0, number))
                play_forced_moves(game, playout.mask)
        return state

    @kernel(game.name, purpose=f"{game.name.capitalize()}'s rules (playouts of a search)")
    def play_on(
        task: Any,  # PlayoutTask
        first: int,  # the index of the first playout to play
        end: int,  # the index after that of the last playout to play
        limits: Any,  # PlayoutLimits
        network: Any,  # Weights
        memory: Any,  # Scratch and PlayoutScratch
        kept: Any,  # KeptMoves, with room for k playouts or for none
        results: Any,  # two float32[k, S] to fill: shares of the victory, final scores in points
    ) -> int:
        """Play some of k playouts, and return the number of decisions that were made."""
        records, sources, roots, actions, chance = task
        horizon, valued_chapter, temperature, unit = limits
        win, score = results
        weights = Weights(*network)
        scratch = Scratch(*memory[0])
        playout = PlayoutScratch(*memory[1])

        decisions = 0
        root = -1
        for k in range(first, end):
            if k == first or roots[k] != root:
                root = roots[k]
                playout.begun[0, :] = False
            playout.begun[1, :] = False
            playout.games[0] = records[sources[k]]
            game = playout.games[0]
            players = game["players"]
            state = choose_again(game, chance[k], weights, scratch, playout)
            searching = game["to_move"]
            last_chapter = max(chapter_of(game), valued_chapter - 1)
            play_move(k, searching, actions[k], playout, kept)

            left = horizon * int(players)
            while game["to_move"] >= 0:  # it is negative when the game is over
                playout.seen[:] = 0
                rules_observe(game, game["to_move"], playout.seen)
                if left <= 0 or chapter_of(game) > last_chapter:
                    break
                state += GOLDEN
                number = np.float64(mix(state) >> _SHIFT) * _TO_UNIT
                action = choose(game, weights, scratch, playout, temperature, number)
                play_move(k, searching, action, playout, kept)
                left -= 1
                decisions += 1

            if len(kept[3]):
                kept[4][k] = game
            rules_scores(game, playout.scores)
            winners = 0
            for seat in range(players):
                score[k, seat] = playout.scores[seat]
                winners += game["winners"][seat]
            if game["to_move"] >= 0:  # the playout stopped at its horizon
                write_forecast(game, weights, scratch, playout, unit, win[k], score[k])
                decisions += 1
            elif winners > 0:  # a solo game has no winner, so its shares stay 0
                for seat in range(players):
                    win[k, seat] = game["winners"][seat] / winners
        return decisions

    return play_on


class PlayoutRunner:
    """Runs playouts of possible games, in which one policy plays all seats.

    Args:
        game: The game.
        policy: The compiled policy.
        weights: The weights of the policy's network, or `placeholder_weights` if it has none.
        horizon: The decisions of each seat after which the network values the game.
        temperature: The temperature of the policy.
        threads: The number of threads that share the playouts. It changes no result.

    Attributes:
        decisions: The number of decisions made and games valued so far.
        valued_chapter: The day or round (`Game.chapter_field`) at whose beginning the network
            values a game that began before it. A game that began in it or later is valued where
            its own day or round ends. At first the number is beyond any game's end.

    Raises:
        ValueError: a number is out of range, or the network has no heads to value games with.
    """

    def __init__(
        self,
        game: Game,
        policy: PlayoutPolicy,
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
                "numbers of at least 0"
            )
        if len(weights.heads) == 1 and horizon < TO_THE_END:
            raise ValueError(
                f"horizon={horizon}: the network has no heads that forecast all seats, so playouts "
                "must go on to the end; drop horizon"
            )
        self.game = game
        self.decisions = 0
        self.horizon = horizon
        self.valued_chapter = TO_THE_END
        self.temperature = float(temperature)
        self._weights = weights
        self._play_on = playout_kernel(game, policy)
        self._pool = ThreadPool(threads)
        self._thread_local = threading.local()  # each thread has scratch memory of its own

    def play(
        self,
        playouts: Playouts,
        records: Records,
        chance: NDArray[np.uint64],
        kept: KeptMoves | None = None,
    ) -> Outcomes:
        """Play playouts, and return their outcomes.

        Args:
            playouts: The playouts.
            records: The d possible games from which playouts start.
            chance: uint64[d], the random state of the policy in each possible game.
            kept: Receives the moves that explain the results, if given.
        """
        if kept is None:
            kept = KeptMoves.of(self.game, 0, 0)
        size = len(playouts.sources)
        win = np.zeros((size, self.game.max_seats), np.float32)
        score = np.zeros_like(win)
        unit = float(self.game.score_scale)
        task = PlayoutTask(
            records=records,
            sources=playouts.sources,
            roots=playouts.games,
            actions=playouts.actions,
            chance=chance[playouts.sources],
        )
        limits = PlayoutLimits(self.horizon, self.valued_chapter, self.temperature, unit)
        decision_counts: list[int] = []

        def play_share(first: int, end: int) -> None:
            decisions = self._play_on(
                tuple(task),
                first,
                end,
                tuple(limits),
                tuple(self._weights),
                self._memory(),
                tuple(kept),
                (win, score),
            )
            decision_counts.append(decisions)

        if size < _FEW:
            play_share(0, size)
        else:
            self._pool.share(size, play_share)
        self.decisions += sum(decision_counts)
        return Outcomes.of(playouts, records, win, score / np.float32(unit))

    @property
    def may_forecast(self) -> bool:
        """Whether games may be valued before their end."""
        return min(self.horizon, self.valued_chapter) < TO_THE_END

    def _memory(self) -> tuple[Any, Any]:
        """Return the scratch memory of the current thread, for the kernel."""
        if not hasattr(self._thread_local, "memory"):
            forward = Scratch.of(self._weights)
            playout = PlayoutScratch.of(self.game, len(self._weights.gain))
            self._thread_local.memory = (tuple(forward), tuple(playout))
        memory: tuple[Any, Any] = self._thread_local.memory
        return memory

"""The playouts of a position, which more playouts refine, and the evaluation that they give."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cmp_to_key
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.search.halving import Playouts
from shakespeare_agents.search.playouts import KeptMoves
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.consequences import Continuation, KeptMove
from shakespeare_env.core.position import Position
from shakespeare_env.core.rng import GOLDEN
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.information_sets import InformationSets
from shakespeare_research.counterfactual import batch_of
from shakespeare_table.analysis.analyst import Analyst
from shakespeare_table.analysis.evaluation import (
    LOST_BELOW,
    POINTS_PER_PLACE,
    WON_ABOVE,
    Difference,
    Evaluation,
    Floats,
    MoveWorth,
    mean_and_margin,
)
from shakespeare_table.analysis.reasons import (
    MOST_SENTENCES,
    NO_REASONS,
    Continuations,
    Finding,
    Reasons,
    RowGain,
    findings,
    score_rows,
)


class Budget(NamedTuple):
    """The most playouts of a position.

    Attributes:
        of_all: Those of all moves together, for hints and reviews.
        of_two: Those of each of two moves, if one of them may be a mistake.
    """

    of_all: int
    of_two: int


COMPLETE = Budget(1024, 1024)
"""The budget where all playouts are complete games."""
VALUED = Budget(1024, 2048)
"""The budget where a network values the playouts.

Their results vary little, so more playouts hardly find more mistakes.
"""
LAST = Budget(4096, 16384)
"""The budget in the last round of a game whose earlier rounds a network values.

Playouts go on to the end there, so their results vary much, but they are short. So many tell a loss
of 1.5 % of the victory.
"""
_MIN_PROBABILITY = 1e-3  # less likely moves are not tried
_MIN_CANDIDATES = 3  # at least so many moves are tried, however unlikely they are
_MAX_CANDIDATES = 8
_FIRST_PLAYOUTS = 16  # of each move in the first round; each further round doubles them
_FIRST_PLAYOUTS_OF_MANY = 4  # of each move, if all legal ones are tried
_FIRST_PLAYOUTS_OF_TWO = 64  # of each, if a move is compared with a given one
_BEST_PLAYOUTS = 128  # of a best move, since its chance of victory is shown as a number
_TOLD_PLAYOUTS = 256  # of each, before a move is called a mistake, since the first ones overstate
_HOPE = 0.25  # the part of its margin by which a difference may still grow
_LOOKS = 3
"""Intervals are as wide as if they were looked at so many times.

They are looked at up to eight times, with twice as many playouts each time. These looks share
playouts, and most comparisons end early. In simulations of `_settle`, at least 96 % of the
intervals held, for true differences of 0 to 20 % of the victory and the spreads of Figaro's rounds.
"""
_FIRST_EXPLAINED_PLAYOUTS = 16  # of each of two moves whose difference is explained
_EXPLAINED_PLAYOUTS = 64  # at most
_MOST_KEPT_MOVES = 256  # of a playout that is explained
_STEPS_PER_SHARE = 6000  # shares are kept as whole numbers, which up to six winners divide
_STEPS_PER_UNIT = 1000  # so are scores, in steps of a unit of `Game.score_scale`
_MAX_STORED_BYTES = 1 << 24
_BUDGET = "budget"  # the name of the most playouts of `refine` among the stored arrays
_MAX_BUDGET = 1 << 16


class PositionPlayouts:
    """The playouts of the moves of a position.

    Args:
        analyst: The analyst that plays.
        position: The position.
        stored: What `to_bytes` has returned for this position and analyst before, if anything.

    Raises:
        ValueError: The game is over.
    """

    def __init__(self, analyst: Analyst, position: Position, stored: bytes = b"") -> None:
        if position.to_move is None:
            raise ValueError("the game is over; ask about a position that waits for a seat")
        self.analyst = analyst
        self.position = position
        self.seat = position.to_move
        self._players = position.players
        self._games = InformationSets(
            batch_of(position.game, [position.record()]), np.zeros(1, np.int64)
        )
        self._seed = int(evaluation_key(position, analyst.name)[:15], 16)
        probabilities = analyst.prior.probabilities(self._games.observations, self._games.masks)
        self._prior = probabilities[0].astype(np.float64)
        self._budget = 0  # the most playouts that `refine` was allowed
        self._sizes: dict[int, int] = {}  # by action, the playouts in the rounds of `refine`
        # By action, float32[2, n, P]: shares of the victory and final scores of its playouts.
        self._outcomes: dict[int, NDArray[np.float32]] = {}
        if stored:
            self._load(stored)

    def probability(self, move: str) -> float:
        """Return how likely the analyst finds a move."""
        return float(self._prior[self.position.action_id(move)])

    def outcomes(self, move: str, count: int) -> Floats:
        """Return the first playouts of a move, float64[2, count, P]: shares and final scores."""
        action = self.position.action_id(move)
        self._play_up_to(action, count)
        return self._outcomes[action][:, :count].astype(np.float64)

    @property
    def count(self) -> int:
        """The number of playouts of all moves together."""
        return sum(self._size(action) for action in self._outcomes)

    def refine(self, playouts: int | None = None) -> Iterator[Evaluation]:
        """Play rounds of playouts, and yield the evaluation after each that was not known.

        A round plays all contenders equally often, in the same possible games and with the same
        chance. Then those that are clearly worse, and at least the worse half, drop out. The rounds
        end before they would need more playouts than given, or once it is settled whether the last
        two differ. The best moves are then played until their worth is known well. The evaluation
        rests on these playouts alone, whatever else has been compared.

        Args:
            playouts: The most playouts of these rounds. If an earlier call was allowed more, that
                number counts. The default depends on how the playouts end.
        """
        if playouts is None:
            playouts = self._most.of_all
        self._budget = max(self._budget, checked_count("playouts", playouts))
        self._sizes = {}
        contenders = self._candidates()
        is_many = len(contenders) > _MAX_CANDIDATES
        size = _FIRST_PLAYOUTS_OF_MANY if is_many else _FIRST_PLAYOUTS
        spent = len(contenders) * size
        known = self.count
        has_told = False
        while True:
            for action in contenders:
                self._play_up_to(action, size)
                self._sizes[action] = size
            if self.count > known:
                has_told = True
                yield self._evaluation()
            contenders = self._next_contenders(contenders, size)
            spent += len(contenders) * size
            if len(contenders) == 1 or spent > self._budget:
                break
            size *= 2
        known = self.count
        self._play_best_moves()
        if self.count > known or not has_told:
            yield self._evaluation()

    def judged(self, *moves: str, playouts: int | None = None) -> Evaluation:
        """Return the evaluation after `refine`, with some moves compared with the best one.

        Moves between which the evaluation finds no clear difference stay as they are, so that
        nobody is told that a move is as good as the best one, and then that it was a mistake. A
        move that turns out to be better than the best one counts as equal to it.

        Args:
            moves: The moves to compare.
            playouts: The most playouts of each of two moves. The default depends on how they end.
        """
        if playouts is None:
            playouts = self._most.of_two
        evaluation = self._evaluation()
        leader = self._leader()
        worths = {worth.move: worth for worth in evaluation.moves}
        equals = {worth.move for worth in evaluation.equals}
        for move in moves:
            if move not in equals:
                action = self.position.action_id(move)
                size = self._settle(leader, action, playouts)
                worths[move] = self._worth(action, leader, size)
        return replace(evaluation, moves=_in_order(worths.values(), evaluation.equals))

    def compare(self, first: str, second: str, playouts: int = COMPLETE.of_two) -> Difference:
        """Return how much better a move is than another.

        Both are played more often until it is settled whether one of them is a mistake.

        Args:
            first: A move.
            second: The other move.
            playouts: The most playouts of each.
        """
        actions = self.position.action_id(first), self.position.action_id(second)
        return self._difference(*actions, self._settle(*actions, playouts))

    def reasons(self, better: str, worse: str, pairs: int = _EXPLAINED_PLAYOUTS) -> Reasons:
        """Return findings and rows of the score sheet that explain how two moves differ.

        They come from the first playouts of both moves. More of them are looked at until there are
        two findings, or one that explains something after half of them. Chance has up to three
        tries, but findings only say what speaks for the better move. In simulations without any
        difference, 2 to 3 % of the reasons had a clear effect, and as many a clear cause.

        The sum of the rows over all playouts is known more exactly, and the rows are corrected by
        what it differs. So they add up to the difference that the evaluation gives, with a row for
        the place where points decide.

        Args:
            better: A move that has been tried.
            worse: Another one.
            pairs: The most playouts of each that are explained.
        """
        actions = self.position.action_id(better), self.position.action_id(worse)
        common = min(self._size(action) for action in actions)
        scores = [self._outcomes[action][1, :common, self.seat] for action in actions]
        total = float((scores[0].astype(np.float64) - scores[1]).mean())
        ours: list[Continuation] = []
        theirs: list[Continuation] = []
        found: tuple[Finding, ...] = ()
        while len(ours) < min(pairs, common):
            size = min(max(2 * len(ours), _FIRST_EXPLAINED_PLAYOUTS), pairs, common)
            for action, known in zip(actions, (ours, theirs), strict=True):
                played_on = self._continuations(action, len(known), size)
                if played_on is None:
                    return NO_REASONS
                known += played_on
            after_better = Continuations(ours, scores[0][:size].astype(np.float64))
            after_worse = Continuations(theirs, scores[1][:size].astype(np.float64))
            found = findings(self.position, after_better, after_worse, total)
            is_explained = bool(found) and found[0].explained > 0
            if len(found) == MOST_SENTENCES or (is_explained and size >= pairs // 2):
                break
        is_forecast = self.analyst.runner.may_forecast
        rows = score_rows(self.position, after_better, after_worse, total, is_forecast=is_forecast)
        if self._difference(*actions, common).in_points and self._players > 1:
            places = self._places(actions[1])[:common] - self._places(actions[0])[:common]
            gain, margin = mean_and_margin(places * self._place_points, 0.0, 1)
            rows.append(RowGain("the final place", gain, margin))
        rows.sort(key=lambda row: -abs(row.gain))
        return Reasons(tuple(rows), found)

    def to_bytes(self) -> bytes:
        """Return the playouts so far in a compact form, which `stored` takes."""
        arrays = {
            str(action): self._in_steps(outcomes) for action, outcomes in self._outcomes.items()
        }
        arrays[_BUDGET] = np.array(self._budget)
        buffer = io.BytesIO()
        np.savez(buffer, allow_pickle=False, **arrays)
        return zlib.compress(buffer.getvalue())

    def _load(self, stored: bytes) -> None:
        """Read playouts. A stranger may have written them, so anything amiss is left out."""
        try:
            unpacker = zlib.decompressobj()
            content = io.BytesIO(unpacker.decompress(stored, _MAX_STORED_BYTES))
            with np.load(content, allow_pickle=False) as arrays:
                budget = int(arrays[_BUDGET])
                found = {int(name): arrays[name] for name in arrays.files if name != _BUDGET}
        except (
            ValueError,
            TypeError,
            OverflowError,
            OSError,
            zlib.error,
            zipfile.BadZipFile,
            EOFError,
            KeyError,
        ):
            return
        for action, kept in found.items():
            is_legal = 0 <= action < len(self._prior) and bool(self._games.masks[0, action])
            shape_fits = kept.ndim == 3 and kept.shape[0] == 2 and kept.shape[2] == self._players
            if is_legal and shape_fits and kept.dtype == np.int16:
                self._outcomes[action] = self._from_steps(kept)
        self._budget = min(max(budget, 0), _MAX_BUDGET)

    def _in_steps(self, outcomes: NDArray[np.float32]) -> NDArray[np.int16]:
        """Return shares and scores as whole numbers, int16[2, n, P]."""
        steps = np.array([_STEPS_PER_SHARE, _STEPS_PER_UNIT / self._scale])
        whole: NDArray[np.int16] = (outcomes * steps[:, None, None]).round().astype(np.int16)
        return whole

    def _from_steps(self, kept: NDArray[np.int16]) -> NDArray[np.float32]:
        """Return the shares and scores that `_in_steps` made whole, float32[2, n, P]."""
        steps = np.array([_STEPS_PER_SHARE, _STEPS_PER_UNIT / self._scale])
        outcomes: NDArray[np.float32] = (kept / steps[:, None, None]).astype(np.float32)
        return outcomes

    def _candidates(self) -> list[int]:
        """Return the likeliest actions, or all legal ones if the analyst has no preferences."""
        legal = np.flatnonzero(self._games.masks[0])
        if not self.analyst.has_preferences:
            return list(legal.tolist())
        order = legal[np.argsort(-self._prior[legal], kind="stable")][:_MAX_CANDIDATES]
        is_likely = self._prior[order] >= _MIN_PROBABILITY
        is_likely[:_MIN_CANDIDATES] = True
        return list(order[is_likely].tolist())

    def _play_best_moves(self) -> None:
        """Play the moves that may be best until the numbers shown of them are known well."""
        size = min(_BEST_PLAYOUTS, self._budget)
        if self._sizes[self._leader()] >= size:
            return
        for worth in self._evaluation().equals:
            action = self.position.action_id(worth.move)
            self._play_up_to(action, size)
            self._sizes[action] = size

    def _next_contenders(self, contenders: Sequence[int], size: int) -> list[int]:
        """Return the better half of the contenders that may be best, the best first."""
        ranked = self._ranked(contenders, size)
        kept = ranked[: max(2, (len(ranked) + 1) // 2)]
        leads = {action: self._difference(ranked[0], action, size) for action in kept[1:]}
        kept = [action for action in kept if action == ranked[0] or not leads[action].is_clear]
        if len(kept) == 2 and not self._is_open(leads[kept[1]], size, self._budget):
            return kept[:1]
        return kept

    def _settle(self, first: int, second: int, playouts: int) -> int:
        """Play two moves until their difference is settled, and return the playouts of each.

        Args:
            first: A move.
            second: The other move.
            playouts: The most playouts of each.
        """
        in_rounds = min(self._sizes.get(action, 0) for action in (first, second))
        size = max(_FIRST_PLAYOUTS_OF_TWO, in_rounds)
        was_certain = False
        while True:
            for action in (first, second):
                self._play_up_to(action, size)
            lead = self._difference(first, second, size)
            is_certain = replace(lead, amount=abs(lead.amount)).is_mistake(self._scale)
            # A mistake has to be certain twice running, as chance makes one of many seem so once.
            is_told = was_certain and size >= _TOLD_PLAYOUTS
            is_settled = is_told if is_certain else not self._is_open(lead, size, playouts)
            if is_settled or 2 * size > playouts:
                return size
            was_certain = is_certain
            size *= 2

    def _is_open(self, lead: Difference, size: int, playouts: int) -> bool:
        """Return whether more playouts may show that a move is a mistake.

        They may not if the difference is so small that the move would not be one after all
        playouts, even if the difference grew by a part of its margin.

        Args:
            lead: The difference so far.
            size: The playouts of each of the two moves so far.
            playouts: The most playouts of each.
        """
        hoped = replace(lead, amount=abs(lead.amount) + _HOPE * lead.margin)
        at_last = lead.margin * (size / playouts) ** 0.5
        return hoped.is_mistake(self._scale, at_last)

    @property
    def _most(self) -> Budget:
        """The most playouts of the position."""
        if not self.analyst.runner.may_forecast:
            return COMPLETE
        key = self.position.game.chapter_field
        chapter = 0 if key is None else int(self.position.record()[key])
        is_valued = chapter < self.analyst.runner.valued_chapter
        return VALUED if is_valued else LAST

    @property
    def _scale(self) -> float:
        return float(self.analyst.game.score_scale)

    def _leader(self) -> int:
        """Return the best of the moves that the rounds tried most often."""
        most = max(self._sizes.values())
        often = [action for action, size in self._sizes.items() if size == most]
        return self._ranked(often, most)[0]

    def _ranked(self, actions: Sequence[int], size: int) -> list[int]:
        """Return actions from the best to the worst by their first `size` playouts."""

        def compare(first: int, second: int) -> int:
            amount = self._difference(first, second, size).amount
            return -1 if amount > 0 else 1 if amount < 0 else 0

        return sorted(actions, key=cmp_to_key(compare))

    def _difference(self, first: int, second: int, size: int | None = None) -> Difference:
        """Return how much better an action is than another, by their common playouts."""
        common = min(self._size(first), self._size(second))
        size = common if size is None else min(size, common)
        shares = [self._outcomes[action][0, :size, self.seat] for action in (first, second)]
        chances = [float(share.mean()) for share in shares]
        is_lost = max(chances) < LOST_BELOW
        is_won = min(chances) > WON_ABOVE
        in_points = self._players == 1 or is_lost or is_won
        if in_points:
            values = [self._points(action)[:size] for action in (first, second)]
            unseen = 1.0
        else:
            values = [share.astype(np.float64) for share in shares]
            unseen = float(np.ptp(values))  # less where a network forecasts
        if first == second:
            return Difference(0.0, 0.0, in_points)
        amount, margin = mean_and_margin(values[0] - values[1], unseen, _LOOKS)
        return Difference(amount, margin, in_points)

    @property
    def _place_points(self) -> float:
        return POINTS_PER_PLACE * self._scale

    def _points(self, action: int) -> Floats:
        """Return the worth of playouts in points, float64[n]: the score, and more by place."""
        scores = self._outcomes[action][1, :, self.seat].astype(np.float64)
        return scores - self._place_points * self._places(action)

    def _places(self, action: int) -> Floats:
        """Return the seat's place in the ranking of each playout, from 1, float64[n].

        Where a network forecasts the result, it is the expected place: of two seats, each is ahead
        as likely as it would win without the others (the Plackett-Luce model).
        """
        shares, scores = self._outcomes[action].astype(np.float64)
        own = scores[:, [self.seat]]
        ahead = (scores > own).sum(axis=1)
        level = (scores == own).sum(axis=1) - 1
        is_winner = shares == shares.max(axis=1, keepdims=True)
        is_over = (is_winner | (shares == 0)).all(axis=1)
        odds = shares + 1 / _STEPS_PER_SHARE
        chances_ahead = odds / (odds + odds[:, [self.seat]])
        expected = 0.5 + chances_ahead.sum(axis=1)  # the seat itself adds one half
        places: Floats = np.where(is_over, 1.0 + ahead + 0.5 * level, expected)
        return places

    def _evaluation(self) -> Evaluation:
        """Return the evaluation by the rounds of the last `refine`."""
        leader = self._leader()
        most = self._sizes[leader]
        best = self._outcomes[leader][:, :most].astype(np.float64).mean(axis=1)
        worths = [self._worth(action, leader, size) for action, size in self._sizes.items()]
        first = self.position.move_text(leader)
        equals = [
            worth
            for worth in worths
            if worth.move == first or (worth.playouts == most and not worth.loss.is_clear)
        ]
        equals.sort(key=lambda worth: (worth.move != first, worth.loss.amount))
        return Evaluation(
            seat=self.seat,
            moves=_in_order(worths, equals),
            equal_count=len(equals),
            chances=tuple(best[0].tolist()),
            scores=tuple(best[1].tolist()),
            playouts=sum(self._sizes.values()),
        )

    def _worth(self, action: int, leader: int, size: int) -> MoveWorth:
        """Return the worth of an action by its first `size` playouts and those of the leader.

        It is as much below the best one as in these games. The best one's own worth is that of all
        its playouts in the rounds.
        """
        most = self._sizes[leader]
        best = self._outcomes[leader][:, :most, self.seat].astype(np.float64).mean(axis=1)
        outcomes = self._outcomes[action][:, :size, self.seat].astype(np.float64)
        of_leader = self._outcomes[leader][:, :size, self.seat].astype(np.float64)
        behind = (of_leader - outcomes).mean(axis=1)
        places = self._places(leader)
        place = places[:most].mean() + (self._places(action)[:size] - places[:size]).mean()
        loss = self._difference(leader, action, size)
        is_better = loss.amount < 0
        return MoveWorth(
            move=self.position.move_text(action),
            probability=self._prior[action] if self.analyst.has_preferences else None,
            playouts=size,
            chance=float(np.clip(best[0] - (0.0 if is_better else behind[0]), 0.0, 1.0)),
            score=float(best[1] - (0.0 if is_better else behind[1])),
            place=float(np.clip(place, 1, self._players)),
            loss=replace(loss, amount=max(loss.amount, 0.0)),
        )

    def _size(self, action: int) -> int:
        return self._outcomes[action].shape[1] if action in self._outcomes else 0

    def _play_up_to(self, action: int, size: int) -> None:
        """Play an action until it has `size` playouts."""
        played = self._size(action)
        if played >= size:
            return
        new = self._play(action, played, size)
        if played:
            new = np.concatenate([self._outcomes[action], new], axis=1)
        self._outcomes[action] = new

    def _play(
        self, action: int, first: int, end: int, kept: KeptMoves | None = None
    ) -> NDArray[np.float32]:
        """Play the playouts `first` to `end` of an action, float32[2, end - first, P].

        Playout i of every action has the same possible game and the same chance.
        """
        numbers = np.arange(end - first)
        root = np.zeros_like(numbers)
        possible, chance = GameGenerators.of_games(self._seed, np.arange(2)).states
        with np.errstate(over="ignore"):
            skipped = np.uint64(first) * GOLDEN  # each playout takes one random word of a stream
            draws = GameGenerators(np.array([possible + skipped]))
            words = GameGenerators(np.array([chance + skipped])).words(root)
        records = self._games.records(root, draws)
        playouts = Playouts(
            source_games=root,
            sources=numbers,
            games=root,
            candidates=root,
            actions=np.full_like(numbers, action),
        )
        results = self.analyst.runner.play(playouts, records, words, kept)
        outcomes = np.stack([results.win, results.score * np.float32(self._scale)])
        return self._from_steps(self._in_steps(outcomes[:, :, : self._players]))

    def _continuations(self, action: int, first: int, end: int) -> list[Continuation] | None:
        """Return the playouts `first` to `end` of an action, move by move.

        None means that a playout has more moves than can be followed.
        """
        game = self.analyst.game
        kept = KeptMoves.of(game, end - first, _MOST_KEPT_MOVES)
        self._play(action, first, end, kept)
        if (kept.counts > _MOST_KEPT_MOVES).any():
            return None
        events = game.presentation.events
        played_on = []
        for number, count in enumerate(kept.counts.tolist()):
            moves = []
            for at in range(count):
                record = kept.records[number, at]
                played = int(kept.actions[number, at])
                is_told = at == 0 or kept.is_turning[number, at]
                told = events(record, played, record, None) if is_told else []
                moves.append(KeptMove(record, played, told))
            played_on.append(Continuation(self.seat, moves, kept.ends[number]))
        return played_on


class Found(NamedTuple):
    """The state of an analysis of a position.

    Attributes:
        evaluation: The evaluation.
        reasons: Why the best move is better than the next best one; empty at first.
        stored: The playouts in a compact form, from which later analyses go on.
    """

    evaluation: Evaluation
    reasons: Reasons
    stored: bytes


def think(
    position: Position, analyst: Analyst, *, stored: bytes = b"", playouts: int | None = None
) -> Iterator[Found]:
    """Yield what an analyst finds out about a position, after each round of playouts.

    Args:
        position: The position.
        analyst: The analyst.
        stored: The playouts of earlier analyses of the position by this analyst.
        playouts: The most playouts of all moves together, as `PositionPlayouts.refine` takes it.

    Raises:
        ValueError: The game is over, or a number is out of range.
    """
    known = PositionPlayouts(analyst, position, stored)
    for evaluation in known.refine(playouts):
        yield Found(evaluation, NO_REASONS, known.to_bytes())


def advise(
    position: Position, analyst: Analyst, *, stored: bytes = b"", playouts: int | None = None
) -> Found:
    """Evaluate a position, and explain how the best move differs from the next best one.

    The arguments are those of `think`.
    """
    known = PositionPlayouts(analyst, position, stored)
    *_, evaluation = known.refine(playouts)
    first, second, *_ = evaluation.moves
    return Found(evaluation, known.reasons(first.move, second.move), known.to_bytes())


def evaluation_key(position: Position, agent: str) -> str:
    """Return a digest of all that the seat to move knows, and of the agent that evaluates it."""
    seat = position.to_move
    assert seat is not None
    known = json.dumps(position.seen_by(seat), sort_keys=True)
    digest = hashlib.blake2b(digest_size=16)
    for part in (agent, position.game.name, known):
        digest.update(part.encode() + b"\0")
    digest.update(position.observation(seat).tobytes())
    return digest.hexdigest()


def _in_order(worths: Iterable[MoveWorth], equals: Sequence[MoveWorth]) -> tuple[MoveWorth, ...]:
    """Return moves with those between which there is no clear difference at the front."""
    rest = [worth for worth in worths if worth not in equals]
    # A clear loss of chances of victory weighs more than one of points, whatever their sizes.
    rest.sort(key=lambda worth: (worth.loss.is_clear, not worth.loss.in_points, worth.loss.amount))
    return (*equals, *rest)

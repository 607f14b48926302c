"""Checks that a view shows the games of a batch, decision by decision.

A `Batch` plays by a rule on what the mover sees, so that views of one seat play the same games if
its opponents follow the rule. Gymnasium's vector environment is compared with its single one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from shakespeare_env import Batch, Position, env
from shakespeare_env.wrappers.gym import SingleAgentEnv
from shakespeare_env.wrappers.sb3 import SB3SingleAgentVecEnv
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from tests.contract.random_games import Table
from tests.wrappers.learners import ObservationHashAgent

ROWS = 3
GAMES = 2
"""The number of games that are compared in each row."""
PLAYER = ObservationHashAgent(5)


@dataclass
class Decision:
    """A decision as the batch showed it, and its consequences.

    A view of one seat pays `reward`, and its scores and winners are those of the finished game.

    Attributes:
        seat: The seat that decides.
        observation: int8[D], what it sees.
        mask: bool[A], its legal actions.
        action: The action that it plays.
        rewards: float32[S], what the action pays each seat.
        scores: int16[S], the scores after the action.
        winners: bool[S], the winners, if the action ends the game.
        is_last: Whether the action ends the game; for views of one seat, whether the seat does not
            decide again.
        final: What every seat sees at the end of the game; empty before.
        reward: What the seat receives until its next decision or the end.
    """

    seat: int
    observation: npt.NDArray[np.int8]
    mask: npt.NDArray[np.bool_]
    action: int
    rewards: npt.NDArray[np.float32]
    scores: npt.NDArray[np.int16]
    winners: npt.NDArray[np.bool_]
    is_last: bool
    final: list[npt.NDArray[np.int8]]
    reward: float | np.float32 = 0.0


Rows = list[list[Decision]]
"""The decisions of each row of a batch, game after game."""


def check_view(view: str, table: Table, *, seed: int = 0, reward: str = "win") -> None:
    """Assert that a view shows the games that a batch plays from the same seed."""
    rows = decisions_of_batch(table, seed, reward)
    CHECKS[view](rows, table.players, seed, {**table.arguments, "reward": reward})


def decisions_of_batch(table: Table, seed: int, reward: str) -> Rows:
    """Play games in a batch and return all decisions."""
    batch = table.batch(ROWS, seed, autoreset=False, reward=reward)
    rows: Rows = [[] for _ in range(ROWS)]
    games_left = np.full(ROWS, GAMES)
    while games_left.any():
        seats = batch.to_move.copy()
        observations = batch.obs.copy()
        masks = batch.mask.copy()
        actions = PLAYER.act(observations, masks)
        rewards, done = batch.step(actions)
        scores = batch.scores()
        for row in np.flatnonzero(games_left).tolist():
            seats_at_end = range(table.players if done[row] else 0)
            rows[row].append(
                Decision(
                    seat=int(seats[row]),
                    observation=observations[row],
                    mask=masks[row],
                    action=int(actions[row]),
                    rewards=rewards[row].copy(),
                    scores=scores[row],
                    winners=batch.final_winners[row] & done[row],
                    is_last=bool(done[row]),
                    final=[batch.observe([seat], [row])[0] for seat in seats_at_end],
                )
            )
        batch.restart(np.flatnonzero(done))
        games_left -= done & (games_left > 0)
    return rows


def decisions_of_learners(rows: Rows, players: int) -> Rows:
    """Return the decisions of a learner in each row.

    Its seat is i in the first game of row i, and the next seat in each further game.
    """
    learners: Rows = []
    for row, decisions in enumerate(rows):
        own: list[Decision] = []
        for number, game in enumerate(_games(decisions)):
            own += _decisions_of_seat(game, (row + number) % players)
        learners.append(own)
    return learners


def _games(decisions: list[Decision]) -> Iterator[list[Decision]]:
    """Yield the decisions of each finished game."""
    game: list[Decision] = []
    for decision in decisions:
        game.append(decision)
        if decision.is_last:
            yield game
            game = []


def _decisions_of_seat(game: list[Decision], seat: int) -> Iterator[Decision]:
    """Yield the decisions of one seat in a game as a view of that seat shows them.

    The first one pays what the seat has received before it, too.
    """
    places = [place for place, decision in enumerate(game) if decision.seat == seat]
    starts = [0, *places[1:]]
    ends = [*places[1:], len(game)]
    for place, start, end in zip(places, starts, ends, strict=False):
        earned = sum((decision.rewards[seat] for decision in game[start:end]), np.float32(0))
        yield replace(
            game[place],
            is_last=place == places[-1],
            reward=np.float32(earned),
            scores=game[-1].scores,
            winners=game[-1].winners,
            final=game[-1].final,
        )


def assert_equal(shown: Any, expected: Any) -> None:
    """Assert that arrays are equal in type, shape and every element."""
    shown = np.asarray(shown)
    expected = np.asarray(expected)
    assert shown.dtype == expected.dtype
    np.testing.assert_array_equal(shown, expected, strict=True)


def assert_same_views(decisions: Sequence[Decision], observations: Any, masks: Any) -> None:
    assert_equal(observations, [decision.observation for decision in decisions])
    assert_equal(masks, [decision.mask for decision in decisions])


def assert_same_end(info: dict[str, Any], decision: Decision, players: int) -> None:
    assert_equal(info["final_scores"], decision.scores[:players])
    assert_equal(info["winners"], decision.winners[:players])
    assert not info["illegal_action"]


def _check_position(rows: Rows, players: int, seed: int, arguments: Any) -> None:
    """Play the first game of the first row."""
    own = {name: value for name, value in arguments.items() if name != "reward"}
    view = Position.new(seed=seed, **own)
    for decision in rows[0]:
        assert view.to_move == decision.seat
        assert_equal(view.observation(decision.seat), decision.observation)
        assert_equal(view.action_mask(), decision.mask)
        view.push(view.move_text(decision.action))
        assert view.scores() == decision.scores[:players].tolist()
        if decision.is_last:
            assert view.winners == np.flatnonzero(decision.winners).tolist()
            return


def _check_batch_with_autoreset(rows: Rows, players: int, seed: int, arguments: Any) -> None:
    """Play all rows until one of them has played its games."""
    view = Batch(n=ROWS, seed=seed, threads=2, **arguments)
    for decisions in zip(*rows, strict=False):
        assert view.to_move.tolist() == [decision.seat for decision in decisions]
        assert_same_views(decisions, view.obs, view.mask)
        rewards, done = view.step([decision.action for decision in decisions])
        assert_equal(rewards, [decision.rewards for decision in decisions])
        assert done.tolist() == [decision.is_last for decision in decisions]
        for row in np.flatnonzero(done).tolist():
            assert_equal(view.final_scores[row], decisions[row].scores)
            assert_equal(view.final_winners[row], decisions[row].winners)


def _check_pettingzoo(rows: Rows, players: int, seed: int, arguments: Any) -> None:
    """Play the games of the first row until all agents have left."""
    view = env(**arguments)
    decisions = iter(rows[0])
    for game in range(GAMES):
        view.reset(seed=seed if game == 0 else None)
        owed = np.zeros(players)
        last: Decision | None = None
        for agent in view.agent_iter():
            seat = view.possible_agents.index(agent)
            shown, reward, terminated, truncated, info = view.last()
            assert reward == owed[seat]
            assert terminated == (last is not None)
            assert not truncated
            assert_equal(info["action_mask"], shown["action_mask"])
            if last is not None:
                assert_equal(shown["observation"], last.final[seat])
                assert_same_end(info, last, players)
                assert info["seat"] == seat
                view.step(None)
                continue
            decision = next(decisions)
            assert decision.seat == seat
            assert_equal(shown["observation"], decision.observation)
            assert_equal(shown["action_mask"], decision.mask.astype(np.int8))
            view.step(decision.action)
            owed[seat] = 0.0
            owed += decision.rewards[:players]
            last = decision if decision.is_last else None


def _check_gymnasium(rows: Rows, players: int, seed: int, arguments: Any) -> None:
    """Play the learner's games of the first row."""
    view = SingleAgentEnv(opponents=PLAYER, **arguments)
    observation, info = view.reset(seed=seed)
    for decision in decisions_of_learners(rows, players)[0]:
        assert view.seat == decision.seat
        assert_equal(observation, decision.observation)
        assert_equal(info["action_mask"], decision.mask.astype(np.int8))
        assert_equal(view.action_masks(), decision.mask)
        observation, reward, terminated, truncated, info = view.step(decision.action)
        assert reward == float(decision.reward)
        assert terminated is decision.is_last
        assert truncated is False
        if decision.is_last:
            assert_equal(observation, decision.final[decision.seat])
            assert_same_end(info, decision, players)
            observation, info = view.reset()


def _check_sb3(rows: Rows, players: int, seed: int, arguments: Any) -> None:
    """Play the learner's games of all rows until one of them has played its games."""
    view = SB3SingleAgentVecEnv(SingleAgentBatch(n=ROWS, opponents=PLAYER, **arguments))
    view.seed(seed)
    observations: Any = view.reset()
    for decisions in zip(*decisions_of_learners(rows, players), strict=False):
        assert_same_views(decisions, observations, view.action_masks())
        actions = np.array([decision.action for decision in decisions])
        observations, rewards, done, infos = view.step(actions)
        assert_equal(rewards, [decision.reward for decision in decisions])
        assert done.tolist() == [decision.is_last for decision in decisions]
        for row in np.flatnonzero(done).tolist():
            decision = decisions[row]
            assert_equal(infos[row]["terminal_observation"], decision.final[decision.seat])
            assert_same_end(infos[row], decision, players)


CHECKS = {
    "Position": _check_position,
    "Batch": _check_batch_with_autoreset,
    "PettingZoo": _check_pettingzoo,
    "Gymnasium": _check_gymnasium,
    "SB3 one seat": _check_sb3,
}
"""The check of each view, by the view's name."""

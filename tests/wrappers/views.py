"""A test of views, which must show the games of a batch, decision by decision.

A `Batch` plays by a rule on what the mover sees, so that views of one seat play the same games if
its opponents follow the rule.  Gymnasium's vector environment is compared with its single one.
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
PLAYER = ObservationHashAgent(5)


@dataclass
class Decision:
    """A decision as the batch showed it, and its consequences by seat.

    For views of one seat, `reward` is all that it received until its next decision or the end,
    `last` whether it did not decide again, scores and winners are final.
    """

    seat: int
    observation: npt.NDArray[np.int8]
    mask: npt.NDArray[np.bool_]
    action: int
    rewards: npt.NDArray[np.float32]
    scores: npt.NDArray[np.int16]
    winners: npt.NDArray[np.bool_]
    last: bool
    final: list[npt.NDArray[np.int8]]  # what every seat saw at the end; empty before
    reward: float | np.float32 = 0.0


Rows = list[list[Decision]]


def played(table: Table, seed: int, reward: str) -> Rows:
    """Play games and return the decisions of every row, game after game."""
    batch = table.batch(ROWS, seed, autoreset=False, reward=reward)
    rows: Rows = [[] for _ in range(ROWS)]
    left = np.full(ROWS, GAMES)
    while left.any():
        seats = batch.to_move.copy()
        observations = batch.obs.copy()
        masks = batch.mask.copy()
        actions = PLAYER.act(observations, masks)
        rewards, done = batch.step(actions)
        scores = batch.scores()
        for row in np.flatnonzero(left).tolist():
            at_table = range(table.players if done[row] else 0)
            rows[row].append(
                Decision(
                    seat=int(seats[row]),
                    observation=observations[row],
                    mask=masks[row],
                    action=int(actions[row]),
                    rewards=rewards[row].copy(),
                    scores=scores[row],
                    winners=batch.final_winners[row] & done[row],
                    last=bool(done[row]),
                    final=[batch.observe([seat], [row])[0] for seat in at_table],
                )
            )
        batch.restart(np.flatnonzero(done))
        left -= done & (left > 0)
    return rows


def of_one_seat(rows: Rows, players: int) -> Rows:
    """Return what a learner sees of each row, its seat moving round from seat i in row i."""
    learners: Rows = [[] for _ in rows]
    for row, decisions in enumerate(rows):
        ends = [place + 1 for place, decision in enumerate(decisions) if decision.last]
        for number, (first, end) in enumerate(zip([0, *ends], ends, strict=False)):
            game = decisions[first:end]
            seat = (row + number) % players
            places = [place for place, decision in enumerate(game) if decision.seat == seat]
            bounds = [0, *places[1:], len(game)]
            for place, since, until in zip(places, bounds, bounds[1:], strict=False):
                earned = sum((g.rewards[seat] for g in game[since:until]), np.float32(0))
                end_of = {name: getattr(game[-1], name) for name in ("scores", "winners", "final")}
                last = place == places[-1]
                decision = replace(game[place], last=last, reward=np.float32(earned), **end_of)
                learners[row].append(decision)
    return learners


def same(shown: Any, expected: Any) -> None:
    """Assert that arrays are equal in type, shape and every element."""
    one = np.asarray(shown)
    other = np.asarray(expected)
    assert one.dtype == other.dtype
    np.testing.assert_array_equal(one, other, strict=True)


def same_end(info: dict[str, Any], decision: Decision, players: int) -> None:
    same(info["final_scores"], decision.scores[:players])
    same(info["winners"], decision.winners[:players])
    assert not info["illegal_action"]


def api_test(view: str, table: Table, *, seed: int = 0, reward: str = "win") -> None:
    """Step a view through two games in each of three rows, or in one."""
    rows = played(table, seed, reward)
    VIEWS[view](rows, table.players, seed, {**table.arguments, "reward": reward})


def _position(rows: Rows, players: int, seed: int, arguments: Any) -> None:
    view = Position.new(seed=seed, **{k: v for k, v in arguments.items() if k != "reward"})
    for one in rows[0]:
        assert view.to_move == one.seat
        same(view.observation(one.seat), one.observation)
        same(view.action_mask(), one.mask)
        view.push(view.move_text(one.action))
        assert view.scores() == one.scores[:players].tolist()
        if one.last:
            assert view.winners == np.flatnonzero(one.winners).tolist()
            return


def _resetting_batch(rows: Rows, players: int, seed: int, arguments: Any) -> None:
    view = Batch(n=ROWS, seed=seed, threads=2, **arguments)
    for made in _together(rows):
        assert view.to_move.tolist() == [one.seat for one in made]
        _same_views(made, view.obs, view.mask)
        rewards, ended = view.step([one.action for one in made])
        same(rewards, [one.rewards for one in made])
        assert ended.tolist() == [one.last for one in made]
        for row in np.flatnonzero(ended).tolist():
            same(view.final_scores[row], made[row].scores)
            same(view.final_winners[row], made[row].winners)


def _aec(rows: Rows, players: int, seed: int, arguments: Any) -> None:
    """Step the first row, every game to its last dead step."""
    view = env(**arguments)
    decisions = iter(rows[0])
    for game in range(GAMES):
        view.reset(seed=seed if game == 0 else None)
        owed = np.zeros(players)
        last: Decision | None = None
        for agent in view.agent_iter():
            seat = view.possible_agents.index(agent)
            shown, reward, terminated, truncated, info = view.last()
            assert (reward, terminated, truncated) == (owed[seat], last is not None, False)
            same(info["action_mask"], shown["action_mask"])
            if last is not None:
                same(shown["observation"], last.final[seat])
                same_end(info, last, players)
                assert info["seat"] == seat
                view.step(None)
                continue
            one = next(decisions)
            assert one.seat == seat
            same(shown["observation"], one.observation)
            same(shown["action_mask"], one.mask.astype(np.int8))
            view.step(one.action)
            owed[seat] = 0.0
            owed += one.rewards[:players]
            last = one if one.last else None


def _gymnasium(rows: Rows, players: int, seed: int, arguments: Any) -> None:
    view = SingleAgentEnv(opponents=PLAYER, **arguments)
    observation, info = view.reset(seed=seed)
    for one in of_one_seat(rows, players)[0]:
        assert view.seat == one.seat
        same(observation, one.observation)
        same(info["action_mask"], one.mask.astype(np.int8))
        same(view.action_masks(), one.mask)
        observation, *rest, info = view.step(one.action)
        assert rest == [float(one.reward), one.last, False]
        if one.last:
            same(observation, one.final[one.seat])
            same_end(info, one, players)
            observation, info = view.reset()


def _sb3_one_seat(rows: Rows, players: int, seed: int, arguments: Any) -> None:
    view = SB3SingleAgentVecEnv(SingleAgentBatch(n=ROWS, opponents=PLAYER, **arguments))
    view.seed(seed)
    observations: Any = view.reset()
    for made in _together(of_one_seat(rows, players)):
        _same_views(made, observations, view.action_masks())
        observations, rewards, ended, infos = view.step(np.array([one.action for one in made]))
        same(rewards, [one.reward for one in made])
        assert ended.tolist() == [one.last for one in made]
        for row in np.flatnonzero(ended).tolist():
            same(infos[row]["terminal_observation"], made[row].final[made[row].seat])
            same_end(infos[row], made[row], players)


VIEWS = {
    "Position": _position,
    "Batch": _resetting_batch,
    "PettingZoo": _aec,
    "Gymnasium": _gymnasium,
    "SB3 one seat": _sb3_one_seat,
}


def _together(rows: Rows) -> Iterator[tuple[Decision, ...]]:
    """Yield the decisions of all rows until one ends."""
    yield from zip(*rows, strict=False)


def _same_views(made: Sequence[Decision], observations: Any, masks: Any) -> None:
    same(observations, [one.observation for one in made])
    same(masks, [one.mask for one in made])

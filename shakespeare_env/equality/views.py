"""Each view stepped through a trace, which it must show bit for bit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.batch import Batch
from shakespeare_env.core.position import Position
from shakespeare_env.equality.trace import (
    Decision,
    SeatDecision,
    Setting,
    Trace,
    choose,
    seat_trace,
)
from shakespeare_env.errors import ShakespeareEnvError
from shakespeare_env.wrappers.aec import env
from shakespeare_env.wrappers.gym import SingleAgentEnv
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from shakespeare_env.wrappers.vector import SingleAgentVectorEnv

Decisions = tuple[Any, ...]
"""A `Decision`, or `SeatDecision`, for each row."""


class DifferenceError(ShakespeareEnvError, AssertionError):
    """Two views differ, or a promise of the rules is broken; the message says where and how."""


@dataclass
class Comparison:
    """Compares a view with the batch and counts equal decisions."""

    view: str
    setting: Setting
    decisions: int = 0

    def same(self, what: str, expected: object, found: object, row: int = 0) -> None:
        """Raise `DifferenceError` unless two values are equal in elements and type."""
        one, other = np.asarray(expected), np.asarray(found)
        if one.shape == other.shape and one.dtype == other.dtype and (one == other).all():
            return
        where = ""
        if one.shape == other.shape and one.ndim:
            where = f", first at {np.argwhere(one != other)[:1].tolist()}"
        raise DifferenceError(
            f"{self.view}: {what} differs from the batch's in row {row} after {self.decisions} "
            f"decisions of {self.setting}{where}: expected {expected!r}, found {found!r}"
        )

    def holds(self, holds: bool, otherwise: str) -> None:
        """Raise `DifferenceError` unless something holds."""
        if not holds:
            raise DifferenceError(
                f"{self.view}: after {self.decisions} decisions of {self.setting} {otherwise}"
            )

    def same_rows(self, what: str, expected: Iterable[object], found: Iterable[object]) -> None:
        """Raise `DifferenceError` unless all rows are the same."""
        for row, (one, other) in enumerate(zip(expected, found, strict=True)):
            self.same(what, one, other, row)


def position(setting: Setting, trace: Trace, compare: Comparison) -> None:
    """The first game of the first row, in text."""
    view = Position.new(setting.game, players=setting.players, seed=setting.seed, **setting.options)
    for decision in trace[0]:
        compare.same("the seat to move", decision.seat, view.to_move)
        compare.same("the observation", decision.observation, view.observation(decision.seat))
        compare.same("the mask", decision.mask, view.action_mask())
        view.push(view.move_text(decision.action))
        scores = np.array(view.scores(), np.int16)
        compare.same("the score", decision.scores[: setting.players], scores)
        compare.decisions += 1
        if decision.last:
            compare.same("the winners", np.flatnonzero(decision.winners), np.array(view.winners))
            return


def resetting_batch(setting: Setting, trace: Trace, compare: Comparison) -> None:
    """A batch with autoreset, on two threads."""
    view = Batch(n=setting.rows, seed=setting.seed, threads=2, **setting.arguments)
    for decisions in _steps(trace, compare):
        compare.same_rows("the seat to move", _seats(decisions), view.to_move)
        _compare_views(compare, decisions, view.obs, view.mask)
        rewards, ended = view.step(_actions(decisions))
        compare.same_rows("the rewards", [made.rewards for made in decisions], rewards)
        for row in _compare_ended(compare, decisions, ended):
            compare.same("the final score", decisions[row].scores, view.final_scores[row], row)
            compare.same("the winners", decisions[row].winners, view.final_winners[row], row)


def aec(setting: Setting, trace: Trace, compare: Comparison) -> None:
    """The PettingZoo environment, first row, every game to its last dead step."""
    view = env(**setting.arguments)
    decisions = iter(trace[0])
    for game in range(setting.games):
        view.reset(seed=setting.seed if game == 0 else None)
        owed = np.zeros(setting.players, np.float64)
        last: Decision | None = None
        for agent in view.agent_iter():
            seat = view.possible_agents.index(agent)
            shown, reward, terminated, truncated, info = view.last()
            compare.same("the reward", owed[seat], np.float64(reward))
            compare.same("the mask in the info", shown["action_mask"], info["action_mask"])
            compare.same("the end", (last is not None, False), (terminated, truncated))
            if last is not None:
                compare.same("the last observation", last.final[seat], shown["observation"])
                view.step(None)
                continue
            decision = next(decisions)
            compare.same("the agent", decision.seat, seat)
            compare.same("the observation", decision.observation, shown["observation"])
            compare.same("the mask", decision.mask.astype(np.int8), shown["action_mask"])
            view.step(decision.action)
            owed[seat] = 0.0
            owed += decision.rewards[: setting.players]
            last = decision if decision.last else None
            compare.decisions += 1


def seat_env(setting: Setting, trace: Trace, compare: Comparison) -> None:
    """The Gymnasium environment, first row, the learner's seat moving round."""
    view = SingleAgentEnv(opponents=choose, **setting.arguments)
    observation, info = view.reset(seed=setting.seed)
    for decision in seat_trace(setting, trace)[0]:
        compare.same("the seat", decision.seat, view.seat)
        compare.same("the observation", decision.observation, observation)
        compare.same("the mask", decision.mask.astype(np.int8), info["action_mask"])
        compare.same("action_masks()", decision.mask, view.action_masks())
        observation, reward, terminated, truncated, info = view.step(decision.action)
        compare.same("the reward", float(decision.reward), reward)
        compare.same("the end", (decision.last, False), (terminated, truncated))
        compare.decisions += 1
        if decision.last:
            _compare_ends(compare, setting, decision, observation, info)
            observation, info = view.reset()


def seat_vector_env(setting: Setting, trace: Trace, compare: Comparison) -> None:
    """Gymnasium's native vector environment, which loses no step between games."""
    view = SingleAgentVectorEnv(
        setting.rows, opponents=choose, autoreset_mode="SAME_STEP", **setting.arguments
    )
    observations, infos = view.reset(seed=setting.seed)
    for decisions in _steps(seat_trace(setting, trace), compare):
        masks = infos["action_mask"].astype(np.bool_)
        compare.same("action_masks()", masks, view.action_masks())
        _compare_views(compare, decisions, observations, masks)
        observations, rewards, ended, cut_short, infos = view.step(_actions(decisions))
        compare.same("the truncation", np.zeros(setting.rows, np.bool_), cut_short)
        compare.same_rows("the reward", [made.reward for made in decisions], rewards)
        for row in _compare_ended(compare, decisions, ended):
            final = {name: values[row] for name, values in infos["final_info"].items()}
            seen = infos["final_obs"][row]
            _compare_ends(compare, setting, decisions[row], seen, final, row)


def seat_vec_env(setting: Setting, trace: Trace, compare: Comparison) -> None:
    """The stable-baselines3 environment of one seat against opponents."""
    from shakespeare_env.wrappers.sb3 import SB3SingleAgentVecEnv

    games = SingleAgentBatch(n=setting.rows, opponents=choose, **setting.arguments)
    view = SB3SingleAgentVecEnv(games)
    view.seed(setting.seed)
    observations: Any = view.reset()
    for decisions in _steps(seat_trace(setting, trace), compare):
        _compare_views(compare, decisions, observations, view.action_masks())
        observations, rewards, ended, infos = view.step(_actions(decisions))
        compare.same_rows("the reward", [made.reward for made in decisions], rewards)
        for row in _compare_ended(compare, decisions, ended):
            seen = infos[row]["terminal_observation"]
            _compare_ends(compare, setting, decisions[row], seen, infos[row], row)


def batch_vec_env(setting: Setting, trace: Trace, compare: Comparison) -> None:
    """The stable-baselines3 environment for self-play."""
    from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv

    batch = Batch(n=setting.rows, seed=setting.seed, autoreset=False, **setting.arguments)
    view = SB3SelfPlayVecEnv(batch)
    observations: Any = view.reset()
    for decisions in _steps(trace, compare):
        compare.same_rows("the seat to move", _seats(decisions), view.seats)
        _compare_views(compare, decisions, observations, view.action_masks())
        observations, rewards, ended, infos = view.step(_actions(decisions))
        compare.same_rows("the rewards", [made.rewards for made in decisions], view.seat_rewards)
        movers = [made.rewards[made.seat] for made in decisions]
        compare.same_rows("the mover's reward", movers, rewards)
        for row in _compare_ended(compare, decisions, ended):
            decision, info = decisions[row], infos[row]
            seen = decision.final[decision.seat]
            compare.same("the last observation", seen, info["terminal_observation"], row)
            _compare_results(compare, setting, decision, info, row)


def _steps(trace: Sequence[Sequence[Any]], compare: Comparison) -> Iterator[Decisions]:
    """Decisions of all rows until one ends, counted once compared."""
    for decisions in zip(*trace, strict=False):
        yield decisions
        compare.decisions += len(decisions)


def _actions(decisions: Decisions) -> NDArray[np.int64]:
    return np.array([made.action for made in decisions])


def _seats(decisions: Decisions) -> NDArray[np.int8]:
    return np.array([made.seat for made in decisions], np.int8)


def _compare_views(
    compare: Comparison,
    decisions: Decisions,
    observations: NDArray[np.int8],
    masks: NDArray[np.bool_],
) -> None:
    compare.same_rows("the observation", [made.observation for made in decisions], observations)
    compare.same_rows("the mask", [made.mask for made in decisions], masks)


def _compare_ended(compare: Comparison, decisions: Decisions, ended: NDArray[np.bool_]) -> Any:
    compare.same_rows("the end", [made.last for made in decisions], ended)
    return np.flatnonzero(ended).tolist()


def _compare_ends(
    compare: Comparison,
    setting: Setting,
    decision: SeatDecision,
    observation: NDArray[np.int8],
    info: dict[str, Any],
    row: int = 0,
) -> None:
    compare.same("the last observation", decision.final, observation, row)
    _compare_results(compare, setting, decision, info, row)


def _compare_results(
    compare: Comparison, setting: Setting, decision: Decision, info: dict[str, Any], row: int
) -> None:
    seats = slice(setting.players)
    compare.same("the final score", decision.scores[seats], info["final_scores"], row)
    compare.same("the winners", decision.winners[seats], info["winners"], row)
    compare.same("illegal_action", False, info["illegal_action"], row)

"""Rollouts of PPO: stored decisions, their targets and advantages, and minibatches of them.

After a move it is another seat's turn, so the usual recursion over steps would credit the wrong
seat. Here each seat's trajectory consists of its own decisions. A seat's gains are its rewards:
changes of its score, and its share of the victory at the end. Gains between two decisions of the
seat count towards the earlier one, whoever caused them. Gains after its last decision count towards
that one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch

from shakespeare_env.core.game import Game
from shakespeare_training.group import ALONE, ProcessGroup
from shakespeare_training.learners.games import TOO_LARGE

NO_DECISION = -1
"""Stands for the deciding seat in a step in which the learner does not decide."""
SHARE = 0
"""Index, in the last axis of gains, forecasts and targets, of a seat's share of the victory."""
CHANGE = 1
"""Index, in the same axis, of the change of a seat's score, in units of `Game.score_scale`, or of a
reward of the user's own in its place."""
NEAR_CERTAIN = 0.99
"""The probability above which a move is near-certain. Most moves of a trained network are, and they
teach little. To save time, the network may be run on only some of a minibatch's near-certain
decisions. Its outputs for these are then repeated (`Repetition`), so that near-certain decisions
keep their weight in expectation."""


class Repetition(NamedTuple):
    """How the last rows of a minibatch are repeated, to stand for more decisions.

    Attributes:
        n_rows: The number of rows at the end that are repeated.
        n_decisions: The number of decisions that these rows stand for.
    """

    n_rows: int
    n_decisions: int

    @property
    def repeats_nothing(self) -> bool:
        """Whether each row stands for one decision."""
        return self.n_rows == self.n_decisions

    def repeat(self, rows: torch.Tensor) -> torch.Tensor:
        """Return one value per decision, [n, ...], from one per row, [k, ...]."""
        if self.repeats_nothing:
            return rows
        first = len(rows) - self.n_rows
        copies = math.ceil(self.n_decisions / self.n_rows)
        # Unlike indexing, `repeat` makes the backward pass sum gradients in a fixed order.
        repeated = rows[first:].repeat(copies, *[1] * (rows.ndim - 1))
        return torch.cat([rows[:first], repeated[: self.n_decisions]])


NO_REPETITION = Repetition(0, 0)
"""Leaves every row as it is."""


class Minibatch(NamedTuple):
    """n decisions to learn from. The network is run on k of them, whose outputs are repeated."""

    observations: torch.Tensor  # int8[k, D]
    masks: torch.Tensor  # bool[k, A]
    actions: torch.Tensor  # int64[k]
    repetition: Repetition
    log_probs: torch.Tensor  # float32[n], of the actions when they were chosen
    advantages: torch.Tensor  # float32[n], normalised among tables of each size
    players: torch.Tensor  # int64[n], seats at the table
    # Targets of the forecasts. Seats are counted clockwise from the one that decided.
    shares: torch.Tensor  # float32[n, S], shares of the victory
    changes: torch.Tensor  # float32[n, S], changes of scores until the end


class ClosedDecisions(NamedTuple):
    """The k decisions of a rollout whose targets are known.

    Attributes:
        rows: int64[k], indices into the rollout's tensors, flattened to [(S + steps) * n, ...].
        players: int64[k], seats at the table.
        targets: float32[k, S, 2], targets of the forecasts, clockwise from the seat that decided.
        own_errors: float32[k, 2], targets less forecasts, for the seat that decided.
        advantages: float32[k], from the function `normalised_advantages`.
    """

    rows: torch.Tensor
    players: torch.Tensor
    targets: torch.Tensor
    own_errors: torch.Tensor
    advantages: torch.Tensor


class Rollout:
    """Steps of n games, in tensors [S + steps, n, ...] on the games' device.

    A rollout ends in mid-game, when the gains after each seat's last decision are not known yet.
    The next rollout carries these open decisions, with their gains so far, in its first
    S = `max_seats` rows: row s holds those of seat s. So every decision is used for learning
    exactly once. The network has changed since a carried decision was made, but its stored
    log-probability keeps the ratio of PPO right.

    Args:
        steps: Steps of each game.
        players: int64[n], seats at the tables.
        game: The game.

    Attributes:
        decisions: Tensors by name, with the observations, masks, actions and network outputs.
        seats: int8[S + steps, n], the seat that decided, or `NO_DECISION`.
        gains: float32[S + steps, n, S, 2], what every seat gained in the step.
        dones: bool[S + steps, n], whether the next row belongs to another game.
        open_decisions: Tensors by name, with one row for each open decision: those of `decisions`,
            the deciding `seats`, their gains so far (`gained`) and the indices of their `games`.
    """

    def __init__(self, steps: int, players: torch.Tensor, game: Game) -> None:
        seats = game.max_seats
        self.players = players
        self._max_seats = seats

        def zeros(*more: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
            shape = seats + steps, len(players), *more
            return torch.zeros(shape, dtype=dtype, device=players.device)

        self.decisions = {
            "observations": zeros(game.layout.size, dtype=torch.int8),
            "masks": zeros(game.actions.size, dtype=torch.bool),
            "actions": zeros(dtype=torch.int64),
            "forecasts": zeros(seats, 2),  # the deciding seat's, for each seat by its number
            "log_probs": zeros(),
        }
        self.seats = zeros(dtype=torch.int8).fill_(NO_DECISION)
        self.gains = zeros(seats, 2)
        self.dones = zeros(dtype=torch.bool)
        self._carried_gains = self.gains[:seats].clone()
        no_decision = torch.zeros_like(self.dones)
        self.open_decisions = self._decisions_at(no_decision, self.gains)

    def row(self, step: int) -> int:
        """Return the row of a step, which comes after those of carried decisions."""
        return self._max_seats + step

    def begin(self) -> None:
        """Carry over the open decisions of the last rollout into the first S rows.

        From here until `end`, `open_decisions` is empty. So a rollout that is interrupted leaves no
        decisions to carry over.
        """
        carried = self.open_decisions.copy()
        no_decisions = {name: tensor[:0] for name, tensor in carried.items()}
        self.open_decisions.update(no_decisions)
        rows = carried["seats"].long()  # row s holds the decision of seat s
        games = carried["games"]
        for name, store in self.decisions.items():
            store[rows, games] = carried[name]
        self.seats[: self._max_seats] = NO_DECISION
        self.seats[rows, games] = carried["seats"]
        self._carried_gains[rows, games] = carried["gained"]

    def _decisions_at(self, chosen: torch.Tensor, gained: torch.Tensor) -> dict[str, torch.Tensor]:
        """Return the decisions where `chosen`, bool[S + steps, n], is True, with their gains."""
        rows, games = torch.nonzero(chosen, as_tuple=True)
        stores = {**self.decisions, "seats": self.seats, "gained": gained}
        found = {name: store[rows, games] for name, store in stores.items()}
        return {**found, "games": games}

    def end(
        self, gae_lambda: float, *, win_coef: float, score_coef: float, group: ProcessGroup
    ) -> ClosedDecisions:
        """Return the closed decisions, with their targets and advantages; keep the open ones.

        Advantages are normalised over the decisions of all processes of the group.

        Raises:
            FloatingPointError: a log-probability is not finite.
        """
        if not torch.isfinite(self.decisions["log_probs"]).all():
            raise FloatingPointError(TOO_LARGE)
        forecasts = self.decisions["forecasts"]
        found = seat_targets(
            self.gains, forecasts, self.seats, self.dones, self._carried_gains, gae_lambda
        )
        is_open = (self.seats != NO_DECISION) & ~found.closed
        self.open_decisions.update(self._decisions_at(is_open, found.gained))

        rows = torch.nonzero(found.closed.flatten()).flatten()
        players = self.players[rows % len(self.players)]
        seats = self.seats.flatten()[rows].long()
        targets = found.targets.flatten(0, 1)[rows]
        errors = targets - forecasts.flatten(0, 1)[rows]
        # Of the errors for all seats, keep those of the deciding seat.
        own_errors = errors.gather(1, seats[:, None, None].expand(-1, 1, 2)).squeeze(1)
        return ClosedDecisions(
            rows=rows,
            players=players,
            targets=rotate_seats(targets, players, seats),
            own_errors=own_errors,
            advantages=normalised_advantages(
                own_errors, players, self._max_seats, win_coef, score_coef, group
            ),
        )

    def minibatches(
        self,
        closed: ClosedDecisions,
        n_minibatches: int,
        batch_size: int | None,
        near_certain_share: float,
        generator: torch.Generator,
    ) -> Iterator[Minibatch]:
        """Yield the closed decisions in random order, in `n_minibatches` of `batch_size`.

        The last minibatch takes the rest. If `batch_size` is None, all are of about equal size.
        With a `near_certain_share` below 1, minibatches are of
        about equal size and hold about equally many near-certain decisions. The network is run on
        this share of the near-certain ones only.
        """
        count = len(closed.rows)
        order = torch.randperm(count, generator=generator, device=closed.rows.device)
        if near_certain_share == 1.0:
            parts: list[int] | int = n_minibatches
            if batch_size is not None:
                parts = [batch_size * (number + 1) for number in range(n_minibatches - 1)]
            for indices in order.tensor_split(parts):
                yield self._minibatch(closed, indices, NO_REPETITION)
            return

        log_probs = self.decisions["log_probs"].flatten()[closed.rows[order]]
        is_near_certain = log_probs > math.log(NEAR_CERTAIN)
        # Reversed, so that longer parts of one kind are joined with shorter parts of the other.
        uncertain_parts = order[~is_near_certain].tensor_split(n_minibatches)
        certain_parts = order[is_near_certain].tensor_split(n_minibatches)[::-1]
        for uncertain, certain in zip(uncertain_parts, certain_parts, strict=True):
            n_rows = math.ceil(near_certain_share * len(certain))
            indices = torch.cat([uncertain, certain[:n_rows]])
            yield self._minibatch(closed, indices, Repetition(n_rows, len(certain)))

    def _minibatch(
        self, closed: ClosedDecisions, indices: torch.Tensor, repetition: Repetition
    ) -> Minibatch:
        """Return the minibatch of the closed decisions with the indices int64[k]."""
        stores = {name: store.flatten(0, 1) for name, store in self.decisions.items()}
        rows = closed.rows[indices]
        repeated = repetition.repeat(indices)
        targets = closed.targets[repeated]
        return Minibatch(
            # On the CPU, `index_select` is twenty times as fast as an index.
            observations=stores["observations"].index_select(0, rows),
            masks=stores["masks"].index_select(0, rows),
            actions=stores["actions"][rows],
            repetition=repetition,
            log_probs=stores["log_probs"][closed.rows[repeated]],
            advantages=closed.advantages[repeated],
            players=closed.players[repeated],
            shares=targets[..., SHARE],
            changes=targets[..., CHANGE],
        )


def rotate_seats(
    by_seat: torch.Tensor, players: torch.Tensor, first_seats: torch.Tensor
) -> torch.Tensor:
    """Return values by seat, [n, S, 2], with the seats of each table renumbered clockwise.

    Values of absent seats become 0.

    Args:
        by_seat: [n, S, 2], values by seat.
        players: int64[n], seats at the tables.
        first_seats: int[n], the seat of each table that becomes number 0. The negative of this seat
            undoes the rotation.
    """
    places = torch.arange(by_seat.shape[1], device=by_seat.device)
    seats = (places + first_seats[:, None]) % players[:, None]
    is_present = places < players[:, None]
    return by_seat.gather(1, seats[..., None].expand(-1, -1, 2)) * is_present[..., None]


class SeatTargets(NamedTuple):
    """Targets of the forecasts in R rows of n games (`seat_targets`).

    Attributes:
        targets: float32[R, n, S, 2], targets of the deciding seat's forecasts.
        gained: float32[R, n, S, 2], gains until the deciding seat's next decision or the end of
            the game.
        closed: bool[R, n], whether the rows include that next decision or end, so that the decision
            is closed and not open.
    """

    targets: torch.Tensor
    gained: torch.Tensor
    closed: torch.Tensor


def seat_targets(
    gains: torch.Tensor,
    forecasts: torch.Tensor,
    seats: torch.Tensor,
    dones: torch.Tensor,
    carried_gains: torch.Tensor,
    gae_lambda: float,
) -> SeatTargets:
    """Compute the targets of forecasts by TD(lambda) along each seat's own decisions.

    A target less its forecast is the generalised advantage estimate (Schulman et al. 2016) without
    discount, one for the share of the victory and one for the score. In a game that continues after
    the last row, each seat's latest decision is open. The target of the decision before it
    bootstraps from the forecast of the open one.

    Args:
        gains: float32[R, n, S, 2], every seat's gains in each row.
        forecasts: float32[R, n, S, 2], the deciding seat's forecasts for each seat.
        seats: int8[R, n], the seat that decided, or `NO_DECISION`.
        dones: bool[R, n], whether the next row belongs to another game.
        carried_gains: float32[C, n, S, 2], gains in earlier rollouts since the carried decisions,
            which are in the first C rows.
        gae_lambda: The lambda of TD(lambda), from 0 (least variance) to 1 (no bias).
    """
    n_rows, n, n_seats, _ = gains.shape
    every_game = torch.arange(n, device=gains.device)
    places = torch.arange(n_seats, device=gains.device)
    targets = torch.zeros_like(gains)
    gained = torch.zeros_like(gains)
    closed = torch.zeros_like(dones)

    # Rows are visited from the last to the first. For each seat (axis 1), these tensors hold what
    # follows the current row: all seats' gains until its next decision, and the forecasts and
    # targets of that decision.
    gains_ahead = gains.new_zeros(n, n_seats, n_seats, 2)
    next_forecast = torch.zeros_like(gains_ahead)
    next_target = torch.zeros_like(gains_ahead)
    # Whether the rows hold the seat's next decision or the end of the game.
    has_next = dones.new_zeros(n, n_seats)
    for row in reversed(range(n_rows)):
        has_next = has_next | dones[row][:, None]
        for following in (gains_ahead, next_forecast, next_target):
            following.masked_fill_(dones[row][:, None, None, None], 0.0)
        gains_ahead += gains[row][:, None]
        is_mover = seats[row][:, None] == places
        # Where the learner does not decide, this is 0. Such rows are never closed.
        mover = is_mover.long().argmax(dim=1)

        # Added up in double precision, so that the sum is rounded only once.
        gain = gains_ahead[every_game, mover].double()
        if row < len(carried_gains):
            gain += carried_gains[row]
        target = gain + next_forecast[every_game, mover].double() * (1.0 - gae_lambda)
        target += next_target[every_game, mover].double() * gae_lambda
        gained[row] = gain
        closed[row] = (has_next & is_mover).any(dim=1)
        # For an open decision, the forecast stands in as the target.
        targets[row] = torch.where(closed[row][:, None, None], target.float(), forecasts[row])

        movers = is_mover[..., None, None]
        gains_ahead.masked_fill_(movers, 0.0)
        next_forecast = torch.where(movers, forecasts[row][:, None], next_forecast)
        next_target = torch.where(movers, targets[row][:, None], next_target)
        has_next = has_next | is_mover
    return SeatTargets(targets, gained, closed)


def normalised_advantages(
    own_errors: torch.Tensor,
    players: torch.Tensor,
    max_seats: int,
    win_coef: float,
    score_coef: float,
    group: ProcessGroup = ALONE,
) -> torch.Tensor:
    """Return advantages in units of the reward, float32[k], normalised for each table size.

    The reward has two parts. The share of the victory is mapped linearly, so that a whole victory
    becomes +1, and the share that equal players expect becomes 0. The result is multiplied by
    `win_coef`. The change of the score is multiplied by `score_coef`. In solo games the reward is
    the change of the score times the sum of both coefficients.

    Args:
        own_errors: float32[k, 2], targets less forecasts of the deciding seats.
        players: int64[k], seats at their tables.
        max_seats: The most seats at a table.
        win_coef: Coefficient of the share of the victory.
        score_coef: Coefficient of the change of the score.
        group: The processes over whose decisions advantages are normalised.
    """
    has_opponents = players > 1
    # The share of equal players, 1 / players, cancels in a target less its forecast. Only the scale
    # remains.
    win = win_coef * torch.where(has_opponents, players / (players - 1).clamp(min=1), 0.0)
    score = torch.where(has_opponents, score_coef, score_coef + win_coef)
    advantages = win * own_errors[:, SHARE] + score * own_errors[:, CHANGE]
    tables = [players == size for size in range(1, max_seats + 1)]
    sums = [torch.stack([at_table.sum(), (advantages * at_table).sum()]) for at_table in tables]
    counts, totals = group.all_reduce(torch.stack(sums)).unbind(dim=1)
    means = totals / counts  # NaN for a size without decisions, which is never looked at
    squares = [
        ((advantages - mean) * at_table).square().sum()
        for mean, at_table in zip(means, tables, strict=True)
    ]
    deviations = (group.all_reduce(torch.stack(squares)) / counts).sqrt()
    for at_table, mean, deviation in zip(tables, means, deviations, strict=True):
        # A single advantage has deviation 0.
        normalised = (advantages - mean) / (deviation + 1e-8)
        advantages = torch.where(at_table, normalised, advantages)
    return advantages


def explained_variance(closed: ClosedDecisions, change: str = "score") -> dict[str, float]:
    """Return the share of the targets' variance that the deciding seats' forecasts explain.

    There is one for each table size and each kind of forecast.

    Args:
        closed: The decisions.
        change: What the numbers at index `CHANGE` are called in the keys of the result.
    """
    explained = {}
    for size in torch.unique(closed.players).tolist():
        at_table = closed.players == size
        # Targets go clockwise from the seat that decided, so its own are at index 0.
        variance = closed.targets[at_table, 0].var(dim=0, correction=0)
        shares = 1.0 - closed.own_errors[at_table].square().mean(dim=0) / variance
        explained[f"win_{size}_seats"] = shares[SHARE].item()
        explained[f"{change}_{size}_seats"] = shares[CHANGE].item()
    return explained

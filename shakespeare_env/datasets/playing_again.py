"""Recorded games, played again from their deals and actions, many at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.game import Records
from shakespeare_env.core.position import Position
from shakespeare_env.datasets.recorded_columns import NOBODY, RecordedColumns, Table

See = Callable[[Batch, NDArray[np.int64], NDArray[np.int64]], None]
"""Called before every step with a batch, its games to be stepped, int64[k], ascending, and the
indices of their decisions among all, int64[k]."""


def seen(
    games: RecordedColumns, at: NDArray[np.int64], wanted: Collection[str]
) -> tuple[dict[str, NDArray[Any]], Records]:
    """Play all games; what there was to see before the decisions `at`, int64[k], by name.

    `wanted` are some of "seats" (who decides), "observations", "masks", "scores" and "records".

    Returns:
        The arrays, [k, ...], and the last records, [g].

    Raises:
        DatasetError: see `play_again`.
    """
    game = games.game
    whole = np.dtype((np.void, game.state.itemsize))  # copied many times as fast as by field
    ways: dict[str, tuple[Any, Any, Callable[[Batch, NDArray[np.int64]], Any]]] = {
        "seats": ((), np.int64, lambda batch, rows: batch.to_move[rows]),
        "observations": ((game.layout.size,), np.int8, lambda batch, rows: batch.obs[rows]),
        "masks": ((game.actions.size,), np.bool_, lambda batch, rows: batch.mask[rows]),
        "scores": ((game.max_seats,), np.int16, lambda batch, rows: batch.scores(rows)),
        "records": ((), whole, lambda batch, rows: batch.save(rows).view(whole)),
    }
    found = {name: np.empty((len(at), *ways[name][0]), ways[name][1]) for name in wanted}
    goals = np.full(len(games.actions), NOBODY)
    goals[at] = np.arange(len(at))

    def see(batch: Batch, rows: NDArray[np.int64], places: NDArray[np.int64]) -> None:
        goal = goals[places]
        if len(at) < len(goals):
            asked = goal >= 0
            goal, rows = goal[asked], rows[asked]
        for name, values in found.items():
            values[goal] = ways[name][2](batch, rows)

    last = play_again(games, see)
    if "records" in found:
        found["records"] = found["records"].view(game.state)
    return found, last


def play_again(games: RecordedColumns, see: See) -> Records:
    """Play all games to their end or forfeit; the last records, [g].

    Raises:
        DatasetError: an action is not legal, or a game does not end as recorded.
    """
    last = np.zeros(games.size, games.game.state)
    for index, table in enumerate(games.tables):
        rows = np.flatnonzero(games.table == index)
        if len(rows):
            batch = _dealt(games, rows, table)
            _play(games, rows, batch, see)
            _check_ends(games, rows, batch)
            last[rows] = batch.save(slice(None))
    return last


def _dealt(games: RecordedColumns, rows: NDArray[np.int64], table: Table) -> Batch:
    """The games of one table at their first decision."""
    options: dict[str, Any] = dict.fromkeys(table.variants, True)
    players = table.players
    batch = Batch(games.game.name, len(rows), players=players, autoreset=False, **options)
    seeds = games.seeds[rows]
    for seed in np.unique(seeds):
        of_seed = np.flatnonzero(seeds == seed)
        batch.reset(int(seed), games.deals[rows[of_seed]], of_seed)
    return batch


def _play(games: RecordedColumns, rows: NDArray[np.int64], batch: Batch, see: See) -> None:
    starts, lengths = games.starts[rows], games.lengths[rows]
    playing = np.flatnonzero(lengths)
    number = 0
    while len(playing):
        places = starts[playing] + number
        actions = games.actions[places].astype(np.int32)
        # A batch accepts -1 for a game that is over, but nobody can have chosen that.
        actions[actions < 0] = batch.actions.size
        wrong = batch.first_illegal(actions, playing)
        if wrong >= 0:
            action = games.actions[places[wrong]]
            words = f"action {number} is {action}, which is not legal there"
            raise games.fault(int(rows[playing[wrong]]), words)
        see(batch, playing, places)
        batch.step(actions, playing)
        number += 1
        playing = playing[lengths[playing] > number]


def _check_ends(games: RecordedColumns, rows: NDArray[np.int64], batch: Batch) -> None:
    """DatasetError unless games are over with their scores and winners, or where forfeited."""
    forfeited_by, players = games.forfeited_by[rows], int(batch.players[0])
    if len(wrong := np.flatnonzero(batch.to_move != forfeited_by)):
        row = int(wrong[0])
        seat, by = batch.to_move[row], forfeited_by[row]
        found = "over" if seat == NOBODY else f"for seat {seat} to go on"
        ending = "it was played to the end" if by == NOBODY else f"seat {by} forfeited it"
        actions = games.lengths[rows[row]]
        words = f"after its {actions} actions the game is {found}, but {ending}"
        raise games.fault(int(rows[row]), words)
    scores, recorded = batch.scores()[:, :players], games.scores[rows, :players]
    if len(wrong := np.flatnonzero((scores != recorded).any(1))):
        row = int(wrong[0])
        words = f"it ends with {scores[row].tolist()}, not {recorded[row].tolist()}"
        raise games.fault(int(rows[row]), words)
    first = games.places[rows, :players] == 1
    others = (batch.final_winners[:, :players] != first).any(1) & (forfeited_by == NOBODY)
    if players > 1 and len(wrong := np.flatnonzero(others)):
        row = int(wrong[0])
        won, said = (np.flatnonzero(won[row]).tolist() for won in (batch.final_winners, first))
        raise games.fault(int(rows[row]), f"it is won by seats {won}, not {said}")


def dealt(game: str, players: int, seed: int, deal: int, variants: Iterable[str]) -> Position:
    """The start of game `deal` of `Batch(seed=seed)`.

    Raises:
        TypeError, ValueError: there is no such game, or not with these seats or variants.
    """
    named: dict[str, Any] = dict.fromkeys(variants, True)
    # Variants are checked here, because a batch also has other arguments.
    registry.game(game).option_bits(named, [players])
    if deal < 0:
        raise ValueError(f"deal {deal} is below 0")
    batch = Batch(game, 1, players=players, autoreset=False, **named)
    batch.reset(seed, [deal])
    return Position.of_record(batch.game, batch.save(slice(None))[0])

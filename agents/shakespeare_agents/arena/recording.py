"""Games of agents, recorded as the columns of a dataset.

Stepping keeps copies of records; they become text once the games are over.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.arena.deals import deal, parts
from shakespeare_env.agent import AnyAgent, Estimator
from shakespeare_env.batch import Batch
from shakespeare_env.datasets.manifest import Settings
from shakespeare_env.datasets.schema import DECISIONS, GAMES
from shakespeare_env.game import Game, Records
from shakespeare_env.lineup import Lineup, play_out

Row = dict[str, Any]
Columns = dict[str, list[Any]]
"""The rows of a table, column by column."""
OnGame = Callable[[int], None]
"""Called for every game recorded, with its number of decisions."""
_ESTIMATED_TOGETHER = 2048
"""Observations an agent estimates at once."""


@dataclass(frozen=True)
class Steps:
    """Decisions, grouped by game in the order they were made.

    Attributes:
        rows: int64[m], the game in its batch.
        seats: int8[m], who moved.
        actions: int64[m].
        values: float32[m], the agent's estimates; NaN where it gives none.
        masks: bool[m, A], the legal actions.
        records: [m], the games before the action.
    """

    rows: NDArray[np.int64]
    seats: NDArray[np.int8]
    actions: NDArray[np.int64]
    values: NDArray[np.float32]
    masks: NDArray[np.bool_]
    records: Records


def record_shard(
    settings: Settings,
    agents: Sequence[AnyAgent],
    shard: int,
    on_game: OnGame | None = None,
    *,
    threads: int = 1,
) -> dict[str, Columns]:
    """Play the games of a shard into the columns of `games` and `decisions`.

    `agents` are those of `settings.entrants`, one per seat; an object may hold several.
    """
    games: list[Row] = []
    decisions: list[Row] = []
    # Rounding in a network depends on how many rows pass through it: games are played in the same
    # groups whatever the size of a shard, so that their rows do not depend on it.
    for deals in parts(settings.deals_of(shard), settings.deals_together):
        batch, lineup = deal(
            agents,
            settings.game,
            deals,
            settings.seed,
            options=dict.fromkeys(settings.variants, True),
            threads=threads,
            names=settings.entrants,
        )
        first = batch.save(slice(None))
        steps = _play(batch, lineup)
        for game, made in _rows(settings, deals, batch, first, steps):
            games.append(game)
            decisions += made
            if on_game is not None:
                on_game(len(made))
    return {
        "games": {column.name: [row[column.name] for row in games] for column in GAMES},
        "decisions": {column.name: [row[column.name] for row in decisions] for column in DECISIONS},
    }


def _play(batch: Batch, lineup: Lineup) -> Steps:
    kept: list[tuple[NDArray[Any], ...]] = []

    def keep(rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        seats, agents = batch.to_move[rows], lineup.to_move(batch, rows)
        state = agents, batch.obs[rows], batch.mask[rows], batch.save(rows)
        kept.append((rows, seats, actions, *state))

    play_out(batch, lineup, before_step=keep)
    columns = [np.concatenate(column) for column in zip(*kept, strict=True)]
    order = columns[0].argsort(kind="stable")
    rows, seats, actions, agents, seen, masks, records = (column[order] for column in columns)
    return Steps(rows, seats, actions, _estimates(lineup.agents, agents, seen), masks, records)


def _estimates(
    agents: Sequence[AnyAgent], deciding: NDArray[Any], seen: NDArray[np.int8]
) -> NDArray[np.float32]:
    """float32[m]: the deciding agents' estimates; NaN where they give none."""
    values = np.full(len(deciding), np.nan, np.float32)
    for index, agent in enumerate(agents):
        if isinstance(agent, Estimator):
            own = np.flatnonzero(deciding == index)
            for start in range(0, len(own), _ESTIMATED_TOGETHER):
                some = own[start : start + _ESTIMATED_TOGETHER]
                values[some] = agent.values(seen[some])
    return values


def _rows(
    settings: Settings, deals: range, batch: Batch, first: Records, steps: Steps
) -> Iterator[tuple[Row, list[Row]]]:
    """A row for every finished game, and one for each of its decisions."""
    game, players = batch.game, settings.players
    last = batch.save(slice(None))
    ends = np.searchsorted(steps.rows, np.arange(batch.n), side="right")
    for index, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        rotation = index % players
        names = [settings.entrants[(seat - rotation) % players] for seat in range(players)]
        winners = np.flatnonzero(batch.final_winners[index]).tolist() if players > 1 else []
        row: Row = {
            "game_id": deals.start * players + index,
            "game": settings.game,
            "seed": settings.seed,
            "deal": deals.start + index // players,
            "rotation": rotation,
            "players": players,
            "variants": list(settings.variants),
            "agents": names,
            "first_position": _json(game.to_dict(first[index])),
            "last_position": _json(game.to_dict(last[index])),
            "final_scores": batch.final_scores[index, :players].tolist(),
            "winners": winners,
            "decisions": int(end - start),
            "package_version": settings.package_version,
            "box_digest": settings.box_digest,
        }
        made = [_decision(game, steps, step, step - start, row) for step in range(start, end)]
        yield {**row, "moves": [decision["move"] for decision in made]}, made


def _decision(game: Game, steps: Steps, step: int, number: int, about: Row) -> Row:
    record, seat, value = steps.records[step], int(steps.seats[step]), steps.values[step]
    players = about["players"]
    texts = game.actions.texts_for(seat, players)
    position, move = game.to_dict(record), texts[steps.actions[step]]
    return {
        "game_id": about["game_id"],
        "number": number,
        "seat": seat,
        "agent": about["agents"][seat],
        "phase": game.phase(record),
        "position": _json(position),
        "legal_moves": [texts[action] for action in steps.masks[step].nonzero()[0]],
        "move": move,
        "is_secret": game.is_secret(position, move),
        "value": None if np.isnan(value) else float(value),
        "final_score": about["final_scores"][seat],
        "won": seat in about["winners"] if players > 1 else None,
    }


def _json(position: Mapping[str, Any]) -> str:
    return json.dumps(position, ensure_ascii=False, separators=(",", ":"))

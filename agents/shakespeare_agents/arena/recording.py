"""Games that agents play, put down decision by decision as the columns of a dataset.

All games of a shard are stepped together and leave copies of their records behind; texts are made
from those once the games are over.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.agent import AnyAgent, Estimator
from shakespeare_env.lineup import decide_together
from shakespeare_env.batch import Batch
from shakespeare_env.datasets.manifest import Settings
from shakespeare_env.datasets.schema import DECISIONS, GAMES
from shakespeare_env.game import Game, Record, Records
from shakespeare_env.kernels import kernels_of
from shakespeare_env.rng import check_seed

Columns = dict[str, list[Any]]
"""The rows of a table, column by column."""
OnGame = Callable[[int], None]
"""Is told of every game that has been put into rows, how many decisions it had."""
_ESTIMATED_TOGETHER = 2048
"""Observations that an agent is asked about at once."""


def tell_nobody(_decisions: int) -> None:
    """Where nobody wants to know."""


@dataclass(frozen=True)
class Steps:
    """Decisions in the order of their games, those of a game in the order they were taken.

    Attributes:
        rows: int64[m], the game of each in its shard.
        seats: int8[m], who decides.
        actions: int64[m], what was chosen.
        values: float32[m], what the deciding agent expected; NaN where it does not say.
        masks: bool[m, A], the legal actions.
        records: [m], the games before the action.
    """

    rows: NDArray[np.int64]
    seats: NDArray[np.int8]
    actions: NDArray[np.int64]
    values: NDArray[np.float32]
    masks: NDArray[np.bool_]
    records: Records


@dataclass(frozen=True)
class Ended:
    """How the games of a shard began and ended.

    Attributes:
        first: [n], the games before the first action.
        last: [n], the games at the end.
        scores: int16[n, S].
        winners: bool[n, S].
    """

    first: Records
    last: Records
    scores: NDArray[np.int16]
    winners: NDArray[np.bool_]


def record_shard(
    settings: Settings,
    agents: Sequence[AnyAgent],
    shard: int,
    on_game: OnGame = tell_nobody,
    *,
    threads: int = 1,
) -> dict[str, Columns]:
    """Play the games of a shard.

    Args:
        settings: Of the dataset.
        agents: One a seat, as `settings.table` names them; the same object may hold several.
        shard: Its number.
        on_game: Is told how far the rows are.
        threads: That step the games.

    Returns:
        The tables `games` and `decisions`, their rows in order.
    """
    batch = deal(settings, settings.deals_of(shard), threads)
    steps, ended = _play(settings, agents, settings.deals_of(shard)[0], batch)
    return _columns(settings, settings.deals_of(shard)[0], batch.game, steps, ended, on_game)


def deal(settings: Settings, deals: range, threads: int = 1) -> Batch:
    """The games of some deals, each deal once for each seat, at their first decision.

    Deal d is game d of `Batch(seed=settings.seed)`, as in `shakespeare_agents.arena.evaluate`.
    """
    variants: dict[str, Any] = dict.fromkeys(settings.variants, True)
    batch = Batch(
        settings.game,
        len(deals) * settings.players,
        players=settings.players,
        threads=threads,
        autoreset=False,
        **variants,
    )
    chance = np.zeros(deals[-1] + 1, np.uint64)
    kernels_of(batch.game).streams(check_seed(settings.seed), chance)
    records = batch.save(slice(None))
    records["random"] = np.repeat(chance[deals[0] :], settings.players)
    batch.load(slice(None), records)
    batch.restart(np.arange(batch.n))
    return batch


def _play(
    settings: Settings, agents: Sequence[AnyAgent], first_deal: int, batch: Batch
) -> tuple[Steps, Ended]:
    """Play all games to their end, keeping every decision."""
    distinct = list({id(agent): agent for agent in agents}.values())
    place = np.array([next(i for i, a in enumerate(distinct) if a is b) for b in agents])
    game_of = np.arange(batch.n)
    rotation = game_of % settings.players
    # Games that are played together have agents with a generator of their own.
    group = game_of // settings.players // settings.deals_together
    asked = distinct * (int(group[-1]) + 1)
    first_group = first_deal // settings.deals_together
    generators = [
        np.random.default_rng([settings.seed, first_group + one, index])
        for one in range(len(asked) // len(distinct))
        for index in range(len(distinct))
    ]
    first = batch.save(slice(None))
    scores, winners = np.zeros_like(batch.final_scores), np.zeros_like(batch.final_winners)
    kept: list[tuple[NDArray[Any], ...]] = []
    while len(rows := np.flatnonzero(batch.to_move >= 0)):
        seats = batch.to_move[rows]
        who = group[rows] * len(distinct) + place[(seats - rotation[rows]) % settings.players]
        actions = decide_together(asked, generators, batch, rows, who)
        state = who, batch.obs[rows], batch.mask[rows], batch.save(rows)
        kept.append((rows, seats, actions, *state))
        _, done = batch.step(actions, rows)
        scores[done], winners[done] = batch.final_scores[done], batch.final_winners[done]
    columns = [np.concatenate(column) for column in zip(*kept, strict=True)]
    order = columns[0].argsort(kind="stable")
    in_rows, seated, chosen, deciders, seen, masks, records = (column[order] for column in columns)
    values = _estimates(asked, deciders, seen)
    steps = Steps(in_rows, seated, chosen, values, masks, records)
    return steps, Ended(first, batch.save(slice(None)), scores, winners)


def _estimates(
    agents: Sequence[AnyAgent], deciders: NDArray[Any], seen: NDArray[np.int8]
) -> NDArray[np.float32]:
    """float32[m]: what each decision's agent expected of what it saw; NaN if it is no estimator.

    An agent is asked for all decisions of a group in the same runs, whatever else is in the shard.
    """
    values = np.full(len(deciders), np.nan, np.float32)
    for index in np.unique(deciders):
        agent = agents[index]
        if isinstance(agent, Estimator):
            own = np.flatnonzero(deciders == index)
            for start in range(0, len(own), _ESTIMATED_TOGETHER):
                some = own[start : start + _ESTIMATED_TOGETHER]
                values[some] = agent.values(seen[some])
    return values


def _columns(
    settings: Settings, first_deal: int, game: Game, steps: Steps, ended: Ended, on_game: OnGame
) -> dict[str, Columns]:
    """What was kept, as rows."""
    games: Columns = {column.name: [] for column in GAMES}
    decisions: Columns = {column.name: [] for column in DECISIONS}
    ends = np.searchsorted(steps.rows, np.arange(len(ended.first)), side="right")
    players = settings.players
    for index, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        rotation = index % players
        names = [settings.table[(seat - rotation) % players] for seat in range(players)]
        winners = np.flatnonzero(ended.winners[index]).tolist() if players > 1 else []
        about = {
            "game_id": first_deal * players + index,
            "final_scores": ended.scores[index, :players].tolist(),
            "winners": winners,
            "agents": names,
        }
        before = len(decisions["move"])
        for step in range(start, end):
            _add(decisions, _decision(game, steps, step, step - start, about, players))
        _add(
            games,
            {
                "game_id": about["game_id"],
                "game": settings.game,
                "seed": settings.seed,
                "deal": first_deal + index // players,
                "rotation": rotation,
                "players": players,
                "variants": list(settings.variants),
                "agents": names,
                "first_position": _text(game, ended.first[index]),
                "moves": decisions["move"][before:],
                "last_position": _text(game, ended.last[index]),
                "final_scores": about["final_scores"],
                "winners": winners,
                "decisions": int(end - start),
                "package_version": settings.package_version,
                "box_digest": settings.box_digest,
            },
        )
        on_game(int(end - start))
    return {"games": games, "decisions": decisions}


def _decision(
    game: Game, steps: Steps, step: int, number: int, about: Mapping[str, Any], players: int
) -> dict[str, Any]:
    """A row of the table of decisions."""
    record, seat, value = steps.records[step], int(steps.seats[step]), steps.values[step]
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


def _add(columns: Columns, row: Mapping[str, Any]) -> None:
    for name, column in columns.items():
        column.append(row[name])


def _text(game: Game, record: Record) -> str:
    return _json(game.to_dict(record))


def _json(position: Mapping[str, Any]) -> str:
    return json.dumps(position, ensure_ascii=False, separators=(",", ":"))

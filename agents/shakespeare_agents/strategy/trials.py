"""What is good play worth?  Games of agents with themselves, observed, and moves tried in them.

Two kinds of evidence: `self_play` observes who wins how, and `try_moves` and `try_gift` go back to
positions of such games, change one thing and play on from there.  The first finds what goes
together with winning, the second what causes it.  Every fact is a field of the observation's
layout, by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.arena.evaluate import play_out
from shakespeare_agents.registry import Player, make
from shakespeare_agents.strategy.facts import field
from shakespeare_agents.strategy.groups import Sample
from shakespeare_agents.strategy.positions import Decisions, ids_of, positions_of
from shakespeare_env import registry
from shakespeare_env.agent import AnyAgent, decide
from shakespeare_env.batch import Batch
from shakespeare_env.game import Game, Records

OTHER = "another move"
"""Stands in `try_moves` for the agent's choice among the moves that are not tried one by one."""
_THREADS = 1


def self_play(
    name: str,
    *,
    players: int,
    games: int,
    seed: int = 0,
    player: Player = "network",
    start: Mapping[str, str] | None = None,
    end: Mapping[str, str] | None = None,
) -> Sample:
    """Play games in which one agent holds all seats, each game a deal of its own.

    Args:
        name: The game.
        players: Seats.
        games: How many.
        seed: Of the deals and of the agent's draws.
        player: Who plays, as `shakespeare_agents.registry.make` takes it.
        start: Facts to be noted as the game begins: column -> name of `field`, as
            each seat sees it.
        end: The same when it is over.

    Returns:
        One row a seat a game: `deal`, `players`, `seat`, `score`, `lead` (over the best other seat;
        no number alone), `won` (1, a share of a shared victory, or 0), and the facts.
    """
    game = registry.game(name)
    batch = Batch(name, games, players=players, seed=seed, threads=_THREADS, autoreset=False)
    facts = _seat_facts(batch, players, start or {})
    scores, winners = play_out(batch, [make(player, game)] * players, np.zeros(games, int), seed)
    facts |= _seat_facts(batch, players, end or {})
    return Sample(
        {
            "deal": np.repeat(np.arange(games), players),
            "players": np.full(games * players, players),
            "seat": np.tile(np.arange(players), games),
            **_outcome(scores[:, :players], winners[:, :players], None),
            **facts,
        }
    )


def _seat_facts(
    batch: Batch, players: int, facts: Mapping[str, str]
) -> dict[str, NDArray[np.int16]]:
    """Facts of every seat of every game, the seats of a game after each other."""
    seen = [batch.observe(np.full(batch.n, seat, np.int8)) for seat in range(players)]
    return {
        column: np.stack(
            [field(batch.game.layout, name, of_seat) for of_seat in seen], axis=1
        ).reshape(-1)
        for column, name in facts.items()
    }


def _outcome(
    scores: NDArray[np.int16], winners: NDArray[np.bool_], seats: NDArray[Any] | None
) -> dict[str, NDArray[Any]]:
    """Score, lead and share of the victory of one seat a game, or of all of them in turn."""
    rows, players = scores.shape
    shares = winners / winners.sum(axis=1, keepdims=True).clip(1)
    lead = np.full((rows, players), np.nan)
    for seat in range(players if players > 1 else 0):
        others = np.delete(scores, seat, axis=1)
        lead[:, seat] = scores[:, seat] - others.max(axis=1)
    found = {"score": scores.astype(float), "lead": lead, "won": shares}
    if seats is None:
        return {column: values.reshape(-1) for column, values in found.items()}
    return {column: values[np.arange(rows), seats] for column, values in found.items()}


def try_moves(
    name: str,
    blocks: Sequence[str],
    *,
    players: int,
    games: int,
    positions: int,
    seed: int = 0,
    player: Player = "network",
    other: bool = False,
    facts: Mapping[str, str] | None = None,
) -> Sample:
    """Play every legal move of some kinds in positions of self-play, and play on from there.

    All moves of a position meet the same chance to come for as long as the games after them ask
    for it alike, and the same agent at every seat.

    Args:
        name: The game.
        blocks: Kinds of moves: blocks of the action table.
        players: Seats.
        games: Games that the positions are taken from.
        positions: At most so many, drawn from all in which there is such a choice.
        seed: Of the deals and of all draws.
        player: Who plays at all seats, as `shakespeare_agents.registry.make` takes it.
        other: Whether one such move is enough where there are others, and the agent's choice among
            those is tried as well, under the name `OTHER`.
        facts: Columns to note from what the seat sees in the position: column -> name of `field`.

    Returns:
        One row a move tried: `deal`, `position`, `move`, `chosen` (whether the agent plays it
        there), `score`, `lead` and `won` of the seat that decided, and the facts.
    """
    game = registry.game(name)
    agent = make(player, game)
    ids = ids_of(game, blocks)
    batch = Batch(name, games, players=players, seed=seed, threads=_THREADS, autoreset=False)
    found = positions_of(batch, agent, ids, least=1 if other else 2, most=positions, seed=seed)
    if other:
        found = found.some(np.flatnonzero(np.delete(found.masks, ids, axis=1).any(axis=1)))
    index, place = np.nonzero(found.masks[:, ids])
    action = ids[place]
    texts = np.array(game.actions.texts)[action]
    if other:
        rest = found.masks.copy()
        rest[:, ids] = False
        index = np.concatenate([index, np.arange(len(rest))])
        action = np.concatenate([action, _choose(agent, game, found, rest, seed)])
        texts = np.concatenate([texts, np.full(len(rest), OTHER)])
    outcome = _play_on(game, agent, found.records[index], found.seats[index], action, seed, players)
    return Sample(
        {
            "deal": found.deals[index],
            "position": index,
            "move": texts,
            "chosen": found.choices[index] == action,
            **outcome,
            **_noted(game, found, index, facts or {}),
        }
    )


def try_gift(
    name: str,
    what: str,
    amount: int,
    *,
    when: Sequence[str],
    players: int,
    games: int,
    positions: int,
    seed: int = 0,
    player: Player = "network",
    facts: Mapping[str, str] | None = None,
) -> Sample:
    """Give the seat that decides more of something, and play on with and without the gift.

    Args:
        name: The game.
        what: A field of the game's record with a number for each seat, such as `pounds`.
        amount: How much more of it, 1 or more.
        when: Kinds of moves, blocks of the action table: positions where one is to be chosen.
        players: Seats.
        games: Games that the positions are taken from.
        positions: At most so many of them.
        seed: Of the deals and of all draws.
        player: Who plays at all seats.
        facts: As in `try_moves`.

    Returns:
        Two rows a position: `deal`, `position`, `gift` (0 or the amount), `score`, `lead` and `won`
        of the seat that decided, and the facts.

    Raises:
        ValueError: the record has no such field of seats.
    """
    game = registry.game(name)
    if what not in (game.state.names or ()) or game.state[what].shape != (game.max_seats,):
        raise ValueError(f"{what!r} is no field of {game.name} with a number for each seat")
    agent = make(player, game)
    batch = Batch(name, games, players=players, seed=seed, threads=_THREADS, autoreset=False)
    found = positions_of(batch, agent, ids_of(game, when), least=1, most=positions, seed=seed)
    count = len(found.deals)
    index = np.tile(np.arange(count), 2)
    gift = np.repeat([0, amount], count)
    records, seats = found.records[index], found.seats[index]
    records[what][np.arange(2 * count), seats] += gift.astype(game.state[what].base)
    outcome = _play_on(game, agent, records, seats, None, seed, players)
    return Sample(
        {
            "deal": found.deals[index],
            "position": index,
            "gift": gift,
            **outcome,
            **_noted(game, found, index, facts or {}),
        }
    )


def _noted(
    game: Game, found: Decisions, index: NDArray[Any], facts: Mapping[str, str]
) -> dict[str, NDArray[np.int16]]:
    return {
        column: field(game.layout, name, found.observations)[index]
        for column, name in facts.items()
    }


def _choose(
    agent: AnyAgent, game: Game, found: Decisions, masks: NDArray[np.bool_], seed: int
) -> NDArray[np.int64]:
    """What the agent does where some of its moves are taken from it."""
    batch = _loaded(game, found.records)
    batch.mask[:] = masks  # the batch is asked and never stepped
    rows = np.arange(batch.n)
    chosen: NDArray[np.int64] = decide(agent, batch, rows, np.random.default_rng([seed, 2]))
    return chosen


def _loaded(game: Game, records: Records) -> Batch:
    players = np.ascontiguousarray(records["players"])
    batch = Batch(game.name, len(records), players=players, threads=_THREADS, autoreset=False)
    batch.load(slice(None), records)
    return batch


_AT_ONCE = 8192
"""Games that are played on together: what their arrays take stays in a processor's reach."""


def _play_on(
    game: Game,
    agent: AnyAgent,
    records: Records,
    seats: NDArray[np.int64],
    actions: NDArray[np.int64] | None,
    seed: int,
    players: int,
) -> dict[str, NDArray[Any]]:
    """Play games on, after a first move in each of them if one is given; what became of a seat."""
    parts = []
    for part in _parts(len(records)):
        batch = _loaded(game, records[part])
        scores = np.zeros((batch.n, players), np.int16)
        winners = np.zeros((batch.n, players), np.bool_)
        if actions is not None:
            batch.step(actions[part])
            over = batch.done.copy()
            scores[over] = batch.final_scores[over, :players]
            winners[over] = batch.final_winners[over, :players]
        else:
            over = np.zeros(batch.n, np.bool_)
        last, won = play_out(batch, [agent] * players, np.zeros(batch.n, int), seed)
        scores[~over], winners[~over] = last[~over, :players], won[~over, :players]
        parts.append(_outcome(scores, winners, seats[part]))
    return {column: np.concatenate([part[column] for part in parts]) for column in parts[0]}


def _parts(size: int) -> Iterator[slice]:
    for first in range(0, size, _AT_ONCE):
        yield slice(first, min(first + _AT_ONCE, size))

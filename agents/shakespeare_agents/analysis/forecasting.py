"""What every seat could expect in every position of a game."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.analysis.analyst import Analyst
from shakespeare_agents.networks.forward_pass import ForwardPass
from shakespeare_agents.search.halving import Playouts
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.position import Position
from shakespeare_env.film.judgement import Forecasts
from shakespeare_env.play.agent import decide
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.information_sets import InformationSets

PLAYOUTS = 32
"""Playouts of a position where no network forecasts."""


def forecasts_of(
    positions: Sequence[Position], analyst: Analyst, *, seed: int = 0, playouts: int = PLAYOUTS
) -> Forecasts:
    """Every seat's share of the victory and final score, position by position.

    Each position is seen by the seat to move, which knows its own secrets alone, so a line may jump
    between two movers though nothing happened. A network with heads answers at once, right on
    average rather than here (`refined` says more); for other agents possible games are played on,
    beginning with the agent's move. The last forecast is the actual result.

    Args:
        positions: Positions of one table, with all their secrets.
        analyst: The analyst that forecasts.
        seed: Decides everything drawn.
        playouts: The number of playouts of a position.
    """
    going = [number for number, one in enumerate(positions) if one.to_move is not None]
    players = positions[0].players
    chances = np.full((len(positions), players), np.nan)
    scores = np.full((len(positions), players), np.nan)
    for number, position in enumerate(positions):
        if winners := position.winners:
            chances[number] = 0.0
            chances[number, winners] = 1.0 / len(winners)
        if position.to_move is None:
            scores[number] = position.scores()
    if going:
        asked = [positions[number] for number in going]
        if analyst.network is not None:
            found = forecast_by_network(analyst.network, asked)
        else:
            found = _by_playouts(analyst, asked, np.array(going), seed, playouts)
        chances[going], scores[going] = found.chances, found.scores
    return Forecasts(chances, scores, analyst.name)


def of_all_seats(forecasts: Forecasts, positions: Sequence[Position]) -> Forecasts:
    """The mean of all seats' forecasts, each at its own latest decision.

    Lines then jump less when one seat decides after another. The end stays the actual result.
    """
    chances, scores = forecasts.chances.copy(), forecasts.scores.copy()
    latest: dict[int, int] = {}
    for number, position in enumerate(positions):
        if position.to_move is not None:
            latest[position.to_move] = number
            rows = list(latest.values())
            chances[number] = forecasts.chances[rows].mean(axis=0)
            scores[number] = forecasts.scores[rows].mean(axis=0)
    return Forecasts(chances, scores, forecasts.by)


def forecast_by_network(network: ForwardPass, positions: Sequence[Position]) -> Forecasts:
    """A network's forecasts of positions that wait for a seat, in the eyes of that seat."""
    batch = _batch_of(positions)
    shares, changes = network.forecasts(batch.obs, batch.players)
    players = positions[0].players
    every = np.arange(batch.n)[:, None]
    seats = (batch.to_move.astype(np.int64)[:, None] + np.arange(players)) % players
    chances = np.zeros((batch.n, players))
    chances[every, seats] = shares[:, :players]
    scores = batch.scores()[:, :players].astype(np.float64)
    scores[every, seats] += float(batch.game.score_scale) * changes[:, :players]
    return Forecasts(chances, scores, "")


def _by_playouts(
    analyst: Analyst,
    positions: Sequence[Position],
    numbers: NDArray[np.int64],
    seed: int,
    playouts: int,
) -> Forecasts:
    batch = _batch_of(positions)
    rows = np.arange(batch.n)
    generators = GameGenerators.of_games(seed, numbers)
    actions = decide(analyst.agent, batch, rows, generators)
    places = np.repeat(rows, playouts)
    records = InformationSets(batch, rows).records(places, generators)
    every = np.arange(len(places))
    played = Playouts(places, every, places, np.zeros_like(places), np.asarray(actions)[places])
    ends = analyst.playing.play(played, records, generators.words(places))
    shape = batch.n, playouts, batch.game.max_seats
    players = positions[0].players
    shares, scores = (
        kind.astype(np.float64).reshape(shape).mean(axis=1)[:, :players]
        for kind in (ends.win, ends.score)
    )
    return Forecasts(shares, scores * float(batch.game.score_scale), "")


def _batch_of(positions: Sequence[Position]) -> Batch:
    records = [position.record() for position in positions]
    first = positions[0]
    batch = Batch(first.game.name, len(records), players=first.players, autoreset=False)
    batch.load(slice(None), np.array(records, records[0].dtype))
    return batch

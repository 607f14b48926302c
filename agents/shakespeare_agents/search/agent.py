"""The searching agent: candidate moves by its policy's prior, tried in possible games."""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.capabilities import Recipe
from shakespeare_agents.heuristics import best_untrained_agent, heuristics_of
from shakespeare_agents.networks.checkpoint import (
    NEWEST,
    bundled_checkpoint,
    bundled_versions,
    load_to_play,
)
from shakespeare_agents.networks.inference import NetworkAgent, Weights, weights_of
from shakespeare_agents.networks.network import Network, Tensors, network_of
from shakespeare_agents.search.halving import Candidates, utility_named
from shakespeare_agents.search.playouts import (
    TO_THE_END,
    PlayoutPolicy,
    PlayoutRunner,
    at_random,
    by_heuristic,
    by_network,
)
from shakespeare_env.checks.values import did_you_mean, short_repr
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.game import Game
from shakespeare_env.play.agent import Advisor, AnyAgent
from shakespeare_env.play.generators import GameGenerators, to_unit
from shakespeare_env.play.information_sets import InformationSets

TEMPERATURE = 0.0  # the temperature of the policy in playouts; likeliest moves leave less to chance
EVERY_MOVE = 2**15  # more candidate moves than any game has
_AT_ONCE = 64  # the most games searched together, to bound memory; it changes no result
_IN_A_ROUND = 1024  # the most playouts of a candidate in one call, to bound memory, too


@dataclass(frozen=True)
class SearchSettings:
    """How a move is searched.

    Raises:
        TypeError: one of them is no number.
        ValueError: one is out of range, or both `simulations` and `seconds` are given.
    """

    simulations: int = 64  # playouts a move
    seconds: float = 0.0  # instead of them, seconds a move; 0 counts playouts
    considered: int = 6  # the most candidate moves
    utility: str = "margin"  # the name of the playouts' utility (`halving.UTILITIES`)
    sharpness: float = 150.0  # the logits that weigh as much as a unit of utility
    near_certain: float = 0.99  # the probability from which a move is played without search
    noise: float = 0.0  # the scale of the Gumbel noise on the prior; 0 plays the best

    def __post_init__(self) -> None:
        checked_count("simulations", self.simulations)
        checked_count("considered", self.considered)
        utility_named(self.utility)
        for name in ("seconds", "sharpness", "near_certain", "noise"):
            number = getattr(self, name)
            if not (math.isfinite(number) and number >= 0):
                raise ValueError(f"{name}={short_repr(number)} must be a number from 0")
        if self.seconds and self.simulations != SearchSettings.simulations:
            raise ValueError(
                f"simulations={self.simulations} and seconds={self.seconds}: give one of them"
            )


@dataclass(frozen=True)
class SearchResult:
    """What a search of m games found."""

    actions: NDArray[np.int64]  # int64[m], what to play
    prior: NDArray[np.float64]  # float64[m, A], probabilities before the search
    searched: NDArray[np.bool_]  # bool[m]; the other decisions are near-certain
    values: NDArray[np.float64]  # float64[m, A], mean utilities of the moves tried, NaN elsewhere
    visits: NDArray[np.int64]  # int64[m, A], their playouts


class SearchAgent:
    """Plays the move, of those that a prior finds likely, that does best in possible games."""

    is_slow = True
    """Its decisions take long; to learn against it takes hours."""

    def __init__(self, prior: Advisor, player: PlayoutRunner, plan: SearchSettings) -> None:
        self.prior = prior
        self.player = player
        self.plan = plan
        self._utility = utility_named(plan.utility)

    @property
    def network(self) -> Network | None:
        """The network that gives the prior; None if there is none."""
        return network_of(self.prior)

    def identity(self) -> list[Any] | None:
        """Return the settings and the network's digest; None for a search without a network."""
        if type(self.prior) is not NetworkAgent:
            return None
        playouts = [self.player.horizon, self.player.temperature]
        return ["search", asdict(self.plan), self.prior.network.digest(), *playouts]

    def recipe(self) -> Recipe | None:
        """Return a recipe that holds settings and weights; None for a search without a network."""
        if type(self.prior) is not NetworkAgent:
            return None
        tensors = self.prior.network.tensors
        return partial(
            _from_tensors, tensors, self.plan, self.player.horizon, self.player.temperature
        )

    def search(self, games: InformationSets, rng: GameGenerators) -> NDArray[np.int64]:
        """See `Searcher.search`."""
        return self.look_ahead(games, rng).actions

    def look_ahead(self, games: InformationSets, rng: GameGenerators) -> SearchResult:
        """Search the decisions that are not near-certain."""
        prior = self.prior.probabilities(games.observations, games.masks).astype(np.float64)
        searched = prior.max(axis=1, initial=0.0) < self.plan.near_certain
        likeliest = prior.argmax(axis=1) if len(prior) else np.zeros(0, np.int64)
        tried = np.full(prior.shape, np.nan), np.zeros(prior.shape, np.int64)
        found = SearchResult(likeliest, prior, searched, *tried)
        rows = np.flatnonzero(searched)
        for first in range(0, len(rows), _AT_ONCE):
            self._look_ahead(games, rows[first : first + _AT_ONCE], rng, found)
        return found

    def _look_ahead(
        self,
        games: InformationSets,
        rows: NDArray[np.int64],
        rng: GameGenerators,
        found: SearchResult,
    ) -> None:
        plan = self.plan
        prior = found.prior[rows]
        log_policy = np.log(prior, out=np.full(prior.shape, -np.inf), where=prior > 0.0)
        noise = np.zeros(prior.shape)
        if plan.noise:
            draws = to_unit(rng.words(np.repeat(rows, prior.shape[1]))).reshape(prior.shape)
            noise = -plan.noise * np.log(-np.log(np.maximum(draws, 1e-300)))
        candidates = Candidates.of(log_policy, noise, plan.considered)
        began = time.perf_counter()
        for phase in range(candidates.phases.max()):
            active = phase < candidates.phases
            alive = candidates.alive.sum(axis=1)
            if plan.seconds:
                until = began + plan.seconds * len(rows) * (phase + 1) / candidates.phases.max()
                self._play_until(until, candidates, active, games, rows, rng)
            else:
                each = np.maximum(plan.simulations // (candidates.phases * alive), 1)
                self._play(candidates, np.where(active, each, 0), games, rows, rng)
            candidates.halve(plan.sharpness, active)
        found.actions[rows] = candidates.best()
        tried = candidates.visits > 0
        of, places = np.nonzero(tried)
        actions = candidates.actions[of, places]
        found.values[rows[of], actions] = candidates.means()[of, places]
        found.visits[rows[of], actions] = candidates.visits[of, places]

    def _play_until(
        self,
        until: float,
        candidates: Candidates,
        active: NDArray[np.bool_],
        games: InformationSets,
        rows: NDArray[np.int64],
        rng: GameGenerators,
    ) -> None:
        each = 1
        while True:
            began = time.perf_counter()
            self._play(candidates, np.where(active, each, 0), games, rows, rng)
            now = time.perf_counter()
            left = int((until - now) / max(now - began, 1e-6) * each)
            if left < 1:
                return
            each = min(left, 4 * each)

    def _play(
        self,
        candidates: Candidates,
        each: NDArray[np.int64],
        games: InformationSets,
        rows: NDArray[np.int64],
        rng: GameGenerators,
    ) -> None:
        for before in range(0, int(each.max()), _IN_A_ROUND):
            played = candidates.playouts(np.clip(each - before, 0, _IN_A_ROUND))
            places = rows[played.places]
            records = games.records(places, rng)
            ends = self.player.play(played, records, rng.words(places))
            candidates.count(played, self._utility(ends))


class UniformPrior:
    """A prior without preference."""

    def probabilities(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """See `Advisor.probabilities`."""
        likely: NDArray[np.float32] = masks / masks.sum(axis=1, keepdims=True, dtype=np.float32)
        return likely


def network_search(
    game: Game,
    network: Network,
    plan: SearchSettings,
    *,
    horizon: int | None = None,
    temperature: float = TEMPERATURE,
    threads: int = 1,
) -> SearchAgent:
    """Search with a network's prior, policy and forecasts.

    The horizon is by default the game's. A network without heads forecasts nothing of the other
    seats, so playouts go on to the end.
    """
    if horizon is None:
        horizon = game.forecast_horizon
    if horizon is None or not network.has_heads:
        horizon = TO_THE_END
    weights = weights_of(network)
    player = PlayoutRunner(
        game, by_network, weights, horizon=horizon, temperature=temperature, threads=threads
    )
    return SearchAgent(NetworkAgent(network), player, plan)


def _from_tensors(
    tensors: Tensors, plan: SearchSettings, horizon: int, temperature: float, game: Game
) -> SearchAgent:
    network = Network(tensors, game.layout)
    return network_search(game, network, plan, horizon=horizon, temperature=temperature)


def improving_search(agent: AnyAgent, game: Game, settings: SearchSettings) -> SearchAgent:
    """Return a search for better moves than an agent's.

    That is the agent itself if it searches, else a search with its network, else one with playouts
    by the best agent that needs no network.
    """
    if isinstance(agent, SearchAgent):
        return agent
    network = network_of(agent)
    if network is not None:
        return network_search(game, network, settings)
    choose = playout_policy(game, best_untrained_agent(game))
    return plain_search(game, choose, settings)


def playout_policy(game: Game, name: str) -> PlayoutPolicy:
    """Return the compiled policy of playouts that `heuristic` or `random` names."""
    return by_heuristic(heuristics_of(game).score) if name == "heuristic" else at_random


def plain_search(
    game: Game, choose: PlayoutPolicy, plan: SearchSettings, *, threads: int = 1
) -> SearchAgent:
    """Return a search without a network, which tries every move to the end of the game."""
    player = PlayoutRunner(
        game, choose, no_weights(game), horizon=TO_THE_END, temperature=1.0, threads=threads
    )
    return SearchAgent(UniformPrior(), player, replace(plan, considered=EVERY_MOVE))


def no_weights(game: Game) -> Weights:
    """The least weights, for policies that ask no network."""
    shapes = Network.shapes(1, game.layout.size, game.actions.size)
    zeros = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    return weights_of(Network(zeros, game.layout))


def search_agent(
    game: Game,
    *,
    network: str = "network",
    version: int = NEWEST,
    rollouts: str = "",
    simulations: int = SearchSettings.simulations,
    seconds: float = SearchSettings.seconds,
    considered: int = SearchSettings.considered,
    utility: str = SearchSettings.utility,
    sharpness: float = SearchSettings.sharpness,
    near_certain: float = SearchSettings.near_certain,
    horizon: str = "",
    temperature: float = TEMPERATURE,
    threads: int = 1,
) -> SearchAgent:
    """The agent `search` with its options (docs/agents.md)."""
    plan = SearchSettings(simulations, seconds, considered, utility, sharpness, near_certain)
    is_bundled = network == "network"
    if not rollouts:
        rollouts = (
            "network" if not is_bundled or bundled_versions(game) else best_untrained_agent(game)
        )
    if rollouts in ("heuristic", "random"):
        usual = "network", NEWEST, SearchSettings.considered, "", TEMPERATURE
        if (network, version, considered, horizon, temperature) != usual:
            raise ValueError(
                f"rollouts={rollouts} tries every move and asks no network: drop network, version, "
                "considered, horizon and temperature"
            )
        return plain_search(game, playout_policy(game, rollouts), plan, threads=threads)
    if rollouts != "network":
        known = ("network", "heuristic", "random")
        question = did_you_mean(rollouts, known)
        raise ValueError(f"rollouts={rollouts!r}{question}: choose one of {', '.join(known)}")
    if version != NEWEST and not is_bundled:
        raise ValueError(f"version={version} is of bundled networks, not of {network!r}: drop it")
    folder = bundled_checkpoint(game, version) if is_bundled else Path(network)
    if not folder.is_dir():
        raise ValueError(f"network={network!r} is no checkpoint; give its folder")
    if horizon and horizon != "end" and not horizon.isdigit():
        raise ValueError(f"horizon={horizon}: give end, or a number of decisions of each seat")
    ends = {"": None, "end": TO_THE_END}
    return network_search(
        game,
        load_to_play(folder, game),
        plan,
        horizon=ends[horizon] if horizon in ends else int(horizon),
        temperature=temperature,
        threads=threads,
    )

"""The searching agent, which tries likely moves by playouts of possible games.

A possible game is a complete game that agrees with all that the searching seat knows.
"""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.baselines import RandomAgent
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
from shakespeare_agents.search.batch_playouts import BatchPlayouts
from shakespeare_agents.search.halving import Candidates, Outcomes, Playouts, utility_named
from shakespeare_agents.search.playouts import (
    TO_THE_END,
    PlayoutRunner,
    at_random,
    by_heuristic,
    by_network,
)
from shakespeare_env.checks.values import did_you_mean, short_repr
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.game import Game, Records
from shakespeare_env.play.agent import Advisor, AnyAgent, Forecaster
from shakespeare_env.play.generators import GameGenerators, to_unit
from shakespeare_env.play.information_sets import InformationSets

TEMPERATURE = 0.0  # the temperature of the policy in playouts; at 0 their results vary least
EVERY_MOVE = 2**15  # more candidate moves than any game has
_BUNDLED_NETWORK = "network"  # the value of the option `network` that means the bundled network
_IN_A_ROUND = 1024  # the most playouts of a candidate in one call, which bounds memory as well


@dataclass(frozen=True)
class SearchSettings:
    """Settings of a search.

    Raises:
        TypeError: a setting is not a number.
        ValueError: a setting is out of range, or both `simulations` and `seconds` are given.
    """

    simulations: int = 64  # the number of playouts for each decision
    seconds: float = 0.0  # the time for each decision; 0 means that playouts are counted instead
    considered: int = 6  # the most candidate moves
    utility: str = "margin"  # the name of the playouts' utility (`halving.UTILITIES`)
    sharpness: float = 150.0  # one unit of utility counts as much as this difference of logits
    near_certain: float = 0.99  # a move of at least this probability is played without a search
    noise: float = 0.0  # the scale of the Gumbel noise on the prior; 0 plays the best move

    def __post_init__(self) -> None:
        checked_count("simulations", self.simulations)
        checked_count("considered", self.considered)
        utility_named(self.utility)
        for name in ("seconds", "sharpness", "near_certain", "noise"):
            number = getattr(self, name)
            if not (math.isfinite(number) and number >= 0):
                raise ValueError(f"{name}={short_repr(number)} must be a number of at least 0")
        if self.seconds and self.simulations != SearchSettings.simulations:
            raise ValueError(
                f"simulations={self.simulations} and seconds={self.seconds}: give only one of them"
            )


@dataclass(frozen=True)
class SearchResult:
    """The moves that a search of m games chose, and the values of all moves that it tried."""

    actions: NDArray[np.int64]  # int64[m], the moves to play
    prior: NDArray[np.float64]  # float64[m, A], the probabilities before the search
    searched: NDArray[np.bool_]  # bool[m], whether the decision was searched, not near-certain
    values: NDArray[np.float64]  # float64[m, A], mean utilities; NaN for moves that were not tried
    visits: NDArray[np.int64]  # int64[m, A], the number of playouts of each move


class _SearchState(NamedTuple):
    """A search of several games at once."""

    games: InformationSets  # all games
    rows: NDArray[np.int64]  # the indices of the games that are searched
    rng: GameGenerators
    candidates: Candidates


class Runner(Protocol):
    """Runs playouts of possible games.

    `PlayoutRunner` runs them compiled, `BatchPlayouts` in step for agents of any kind, and
    `DevicePlayouts` of the training package on a GPU.

    Attributes:
        decisions: The number of decisions made and games valued so far.
        horizon: The decisions of each seat after which a game is valued by forecasts.
        temperature: The temperature of the policy.
    """

    decisions: int
    horizon: int
    temperature: float

    def play(self, playouts: Playouts, records: Records, chance: NDArray[np.uint64]) -> Outcomes:
        """Play playouts, and return their outcomes.

        Args:
            playouts: The playouts.
            records: The d possible games from which playouts start.
            chance: uint64[d], the random state of the policy in each possible game.
        """
        ...


class SearchAgent:
    """Plays, of the moves that its prior prefers, the one that does best in playouts.

    Args:
        prior: Gives the prior probabilities of the moves.
        runner: Runs playouts of possible games.
        settings: The settings of the search.
        rollouts: The name of the playouts' policy if there is no network (see `rollout_search`).
        games_at_once: The most games searched together. It bounds memory, and changes no result.
    """

    is_slow = True
    """Whether decisions take so long that learning against the agent takes hours."""

    def __init__(
        self,
        prior: Advisor,
        runner: Runner,
        settings: SearchSettings,
        rollouts: str = "",
        games_at_once: int = 64,
    ) -> None:
        self.prior = prior
        self.runner = runner
        self.settings = settings
        self.rollouts = rollouts
        self.games_at_once = games_at_once
        self._utility = utility_named(settings.utility)

    @property
    def network(self) -> Network | None:
        """The network that gives the prior, or None for a search without a network."""
        return network_of(self.prior)

    def identity(self) -> list[Any] | None:
        """Return the settings, and the network's digest or the name of the playouts' policy.

        None means that the prior is an agent of the user's own.
        """
        settings = asdict(self.settings)
        if self.rollouts:
            return ["search", settings, self.rollouts]
        if type(self.prior) is not NetworkAgent:
            return None
        playouts = [self.runner.horizon, self.runner.temperature]
        return ["search", settings, self.prior.network.digest(), *playouts]

    def recipe(self) -> Recipe | None:
        """Return a recipe that holds the settings, and weights if there are any."""
        if self.rollouts:
            return partial(rollout_search, rollouts=self.rollouts, settings=self.settings)
        if type(self.prior) is not NetworkAgent:
            return None
        tensors = self.prior.network.tensors
        return partial(
            _from_tensors, tensors, self.settings, self.runner.horizon, self.runner.temperature
        )

    def search(self, games: InformationSets, rng: GameGenerators) -> NDArray[np.int64]:
        """Choose a move in each game, as `Searcher.search` asks."""
        return self.look_ahead(games, rng).actions

    def look_ahead(
        self, games: InformationSets, rng: GameGenerators, prior: NDArray[np.float32] | None = None
    ) -> SearchResult:
        """Search the decisions that are not near-certain, and return values and visits as well.

        Args:
            games: The m games.
            rng: Their generators.
            prior: float32[m, A], the prior's probabilities if they are known already.
        """
        if prior is None:
            prior = self.prior.probabilities(games.observations, games.masks)
        probabilities = prior.astype(np.float64)
        result = SearchResult(
            actions=prior.argmax(axis=1) if len(prior) else np.zeros(0, np.int64),
            prior=probabilities,
            searched=probabilities.max(axis=1, initial=0.0) < self.settings.near_certain,
            values=np.full(prior.shape, np.nan),
            visits=np.zeros(prior.shape, np.int64),
        )
        rows = np.flatnonzero(result.searched)
        for first in range(0, len(rows), self.games_at_once):
            self._search_some(games, rows[first : first + self.games_at_once], rng, result)
        return result

    def _search_some(
        self,
        games: InformationSets,
        rows: NDArray[np.int64],
        rng: GameGenerators,
        result: SearchResult,
    ) -> None:
        """Search the games in some rows, and write the results into these rows of `result`."""
        settings = self.settings
        prior = result.prior[rows]
        log_policy = np.log(prior, out=np.full(prior.shape, -np.inf), where=prior > 0.0)
        noise = self._gumbel_noise(prior.shape, rows, rng)
        candidates = Candidates.of(log_policy, noise, settings.considered)
        state = _SearchState(games, rows, rng, candidates)
        phases = candidates.phases.max()

        began = time.perf_counter()
        for phase in range(phases):
            active = phase < candidates.phases
            if settings.seconds:
                # Each phase gets an equal share of the time for all games.
                until = began + settings.seconds * len(rows) * (phase + 1) / phases
                self._play_until(until, state, active)
            else:
                alive = candidates.alive.sum(axis=1)
                per_candidate = settings.simulations // (candidates.phases * alive)
                self._play(state, np.where(active, np.maximum(per_candidate, 1), 0))
            candidates.halve(settings.sharpness, active)

        result.actions[rows] = candidates.best()
        game, candidate = np.nonzero(candidates.visits > 0)
        actions = candidates.actions[game, candidate]
        result.values[rows[game], actions] = candidates.means()[game, candidate]
        result.visits[rows[game], actions] = candidates.visits[game, candidate]

    def _gumbel_noise(
        self, shape: tuple[int, ...], rows: NDArray[np.int64], rng: GameGenerators
    ) -> NDArray[np.float64]:
        if not self.settings.noise:
            return np.zeros(shape)
        draws = to_unit(rng.words(np.repeat(rows, shape[1]))).reshape(shape)
        gumbel: NDArray[np.float64] = -np.log(-np.log(np.maximum(draws, 1e-300)))
        return self.settings.noise * gumbel

    def _play_until(self, until: float, state: _SearchState, active: NDArray[np.bool_]) -> None:
        """Play rounds of playouts in the active games until another round would take too long."""
        per_candidate = 1
        while True:
            began = time.perf_counter()
            self._play(state, np.where(active, per_candidate, 0))
            now = time.perf_counter()
            affordable = int((until - now) / max(now - began, 1e-6) * per_candidate)
            if affordable < 1:
                return
            # Timings of small rounds are rough, so a round is at most four times the last one.
            per_candidate = min(affordable, 4 * per_candidate)

    def _play(self, state: _SearchState, per_candidate: NDArray[np.int64]) -> None:
        """Play playouts of every candidate that is left.

        Args:
            state: The search of m games.
            per_candidate: int64[m], by game, the number of playouts of each candidate.
        """
        games, rows, rng, candidates = state
        for played in range(0, int(per_candidate.max()), _IN_A_ROUND):
            playouts = candidates.playouts(np.clip(per_candidate - played, 0, _IN_A_ROUND))
            source_rows = rows[playouts.source_games]
            records = games.records(source_rows, rng)
            outcomes = self.runner.play(playouts, records, rng.words(source_rows))
            candidates.add(playouts, self._utility(outcomes))


def network_search(
    game: Game,
    network: Network,
    settings: SearchSettings,
    *,
    horizon: int | None = None,
    temperature: float = TEMPERATURE,
    threads: int = 1,
) -> SearchAgent:
    """Return a search with a network's prior, policy and forecasts.

    Args:
        game: The game.
        network: The network. If it has no heads that forecast all seats, playouts go on to the end
            of the game.
        settings: The settings of the search.
        horizon: The number of decisions by each seat after which a playout is cut off and valued by
            the forecasts. The default is `game.forecast_horizon`.
        temperature: The temperature of the policy in playouts.
        threads: The number of threads that share the playouts. It changes no result.
    """
    horizon = _horizon(game, horizon, can_forecast=network.has_heads)
    weights = weights_of(network)
    runner = PlayoutRunner(
        game, by_network, weights, horizon=horizon, temperature=temperature, threads=threads
    )
    return SearchAgent(NetworkAgent(network), runner, settings)


def advisor_search(
    game: Game,
    advisor: Advisor,
    settings: SearchSettings,
    *,
    horizon: int | None = None,
    temperature: float = TEMPERATURE,
) -> SearchAgent:
    """Return a search with the probabilities, and maybe the forecasts, of an agent of any kind.

    Args:
        game: The game.
        advisor: The agent.
        settings: The settings of the search.
        horizon: As in `network_search`. Playouts of an agent that is no `Forecaster` go to the end.
        temperature: The temperature of the agent's policy in playouts.
    """
    horizon = _horizon(game, horizon, can_forecast=isinstance(advisor, Forecaster))
    runner = BatchPlayouts(game, advisor, horizon=horizon, temperature=temperature)
    return SearchAgent(advisor, runner, settings)


def _horizon(game: Game, horizon: int | None, *, can_forecast: bool) -> int:
    """Return the given horizon, by default the game's. Without forecasts playouts go to the end."""
    if horizon is None:
        horizon = game.forecast_horizon
    return TO_THE_END if horizon is None or not can_forecast else horizon


def _from_tensors(
    tensors: Tensors, settings: SearchSettings, horizon: int, temperature: float, game: Game
) -> SearchAgent:
    network = Network(tensors, game.layout)
    return network_search(game, network, settings, horizon=horizon, temperature=temperature)


def rollout_search(
    game: Game, rollouts: str, settings: SearchSettings, *, threads: int = 1
) -> SearchAgent:
    """Return a search without a network.

    It considers every move. Playouts go to the end of the game, by the game's heuristic if
    `rollouts` is `heuristic`, and at random if it is `random`.
    """
    by_rules = by_heuristic(heuristics_of(game).score) if rollouts == "heuristic" else at_random
    runner = PlayoutRunner(
        game,
        by_rules,
        placeholder_weights(game),
        horizon=TO_THE_END,
        temperature=1.0,
        threads=threads,
    )
    settings = replace(settings, considered=EVERY_MOVE)
    return SearchAgent(RandomAgent(), runner, settings, rollouts=rollouts)


def placeholder_weights(game: Game) -> Weights:
    """Return weights of the smallest network, for policies that use no network."""
    shapes = Network.shapes(1, game.layout.size, game.actions.size)
    zeros = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    return weights_of(Network(zeros, game.layout))


def improving_search(agent: AnyAgent, game: Game, settings: SearchSettings) -> SearchAgent:
    """Return a search that finds better moves than an agent.

    If the agent is a search, it is returned itself. If it has a network or gives probabilities, the
    search uses them. Otherwise, and for random play, the playouts follow the best agent that needs
    no network.
    """
    if isinstance(agent, SearchAgent):
        return agent
    network = network_of(agent)
    if network is not None:
        return network_search(game, network, settings)
    if isinstance(agent, Advisor) and not isinstance(agent, RandomAgent):
        return advisor_search(game, agent, settings)
    return rollout_search(game, best_untrained_agent(game), settings)


def search_agent(
    game: Game,
    *,
    network: str | Advisor = _BUNDLED_NETWORK,
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
    """Make the agent `search` from its options, which docs/agents.md describes.

    `network` is a checkpoint's folder, or an agent of any kind that gives probabilities.
    """
    settings = SearchSettings(
        simulations=simulations,
        seconds=seconds,
        considered=considered,
        utility=utility,
        sharpness=sharpness,
        near_certain=near_certain,
    )
    if not rollouts:
        has_network = network != _BUNDLED_NETWORK or bundled_versions(game)
        rollouts = "network" if has_network else best_untrained_agent(game)

    if rollouts in ("heuristic", "random"):
        network_options = (network, version, considered, horizon, temperature)
        defaults = (_BUNDLED_NETWORK, NEWEST, SearchSettings.considered, "", TEMPERATURE)
        if network_options != defaults:
            raise ValueError(
                f"rollouts={rollouts} tries every move and uses no network: drop network, version, "
                "considered, horizon and temperature"
            )
        return rollout_search(game, rollouts, settings, threads=threads)
    if rollouts != "network":
        choices = ("network", "heuristic", "random")
        question = did_you_mean(rollouts, choices)
        raise ValueError(f"rollouts={rollouts!r}{question}: choose one of {', '.join(choices)}")

    decisions = _parse_horizon(horizon)
    if not isinstance(network, str):
        return advisor_search(game, network, settings, horizon=decisions, temperature=temperature)
    folder = _network_folder(network, version, game)
    return network_search(
        game,
        load_to_play(folder, game),
        settings,
        horizon=decisions,
        temperature=temperature,
        threads=threads,
    )


def _network_folder(network: str, version: int, game: Game) -> Path:
    """Return the checkpoint's folder that the options `network` and `version` name."""
    if network == _BUNDLED_NETWORK:
        return bundled_checkpoint(game, version)
    if version != NEWEST:
        raise ValueError(
            f"version={version} selects a bundled network, but network={network!r} is not bundled: "
            "drop version"
        )
    folder = Path(network)
    if not folder.is_dir():
        raise ValueError(
            f"network={network!r} is neither a checkpoint nor a model; give a checkpoint's folder, "
            "net.onnx, net.pt, my.py:NAME or package.module:NAME"
        )
    return folder


def _parse_horizon(text: str) -> int | None:
    """Parse the option `horizon`. None stands for the game's horizon."""
    if not text:
        return None
    if text == "end":
        return TO_THE_END
    if not text.isdigit():
        raise ValueError(f"horizon={text}: give end, or a number of decisions for each seat")
    return int(text)

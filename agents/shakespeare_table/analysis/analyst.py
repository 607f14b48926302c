"""An agent that evaluates positions by playing possible games on."""

from __future__ import annotations

from shakespeare_agents.baselines import RandomAgent
from shakespeare_agents.making import make
from shakespeare_agents.naming import default
from shakespeare_agents.networks.inference import ForwardPass
from shakespeare_agents.search.agent import (
    SearchSettings,
    advisor_search,
    improving_search,
    network_search,
)
from shakespeare_agents.search.batch_playouts import BatchPlayouts
from shakespeare_agents.search.playouts import TO_THE_END, PlayoutRunner
from shakespeare_env.core.game import Game
from shakespeare_env.play.agent import Advisor, AgentLike, AnyAgent, Forecaster, name_of


class Analyst:
    """An agent that evaluates positions and moves.

    It plays possible games on by its network or model. A possible game is a full game state, drawn
    at random, that agrees with all that the seat to move knows. Without either the analyst plays by
    the game's heuristic, and at random in a game without one. A network or model that has outputs
    for results also forecasts them without playing on, which is faster but less exact.

    In games with a `Game.forecast_horizon` such a network forecasts the results where the last
    round begins. Such playouts cost less than complete games, and their results vary far less.
    Earlier forecasts would hardly tell positions apart. All other playouts go on to the end.

    Args:
        game: The game.
        agent: The agent, or a name that `making.make` takes. None means the game's default agent.

    Attributes:
        game: The game.
        name: The agent's name.
        agent: The agent.
        prior: The advisor that tells how likely each move is.
        runner: It plays possible games on.
        forecaster: The agent's network or model, if it forecasts results, and else None.
    """

    def __init__(self, game: Game, agent: AgentLike | None = None) -> None:
        agent = default(game) if agent is None else agent
        self.game = game
        self.name = name_of(agent)
        self.agent: AnyAgent = make(agent, game)
        settings = SearchSettings()
        search = improving_search(self.agent, game, settings)
        self.prior: Advisor = search.prior
        self.forecaster: Forecaster | None = None
        if search.network is not None:
            network = search.network
            self.forecaster = ForwardPass(network) if network.has_heads else None
            search = network_search(game, network, settings, horizon=TO_THE_END)
        elif self.has_preferences:
            self.forecaster = self.prior if isinstance(self.prior, Forecaster) else None
            search = advisor_search(game, self.prior, settings, horizon=TO_THE_END)
        assert isinstance(search.runner, PlayoutRunner | BatchPlayouts)
        self.runner: PlayoutRunner | BatchPlayouts = search.runner
        key = game.chapter_field
        is_forecast = game.forecast_horizon is not None and self.forecaster is not None
        if is_forecast and key is not None:
            self.runner.valued_chapter = game.ranges[key].high

    @property
    def has_preferences(self) -> bool:
        """Whether the prior finds some moves more likely than others."""
        return not isinstance(self.prior, RandomAgent)

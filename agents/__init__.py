"""Players that know only the contract: a view and a mask go in, an action comes out."""

from agents.base import Agent, AnyAgent, Estimator, Searcher, decide
from agents.greedy import GreedyAgent
from agents.random_agent import RandomAgent
from agents.registry import Player, default, make, names
from agents.table import decide_together
from agents.views import Views

__all__ = [
    "Agent",
    "AnyAgent",
    "Estimator",
    "GreedyAgent",
    "Player",
    "RandomAgent",
    "Searcher",
    "Views",
    "decide",
    "decide_together",
    "default",
    "make",
    "names",
]

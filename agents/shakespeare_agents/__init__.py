"""Agents for every game, found by name."""

from shakespeare_agents.greedy import GreedyAgent
from shakespeare_agents.random_agent import RandomAgent
from shakespeare_agents.registry import default, make, names

__all__ = ["GreedyAgent", "RandomAgent", "default", "make", "names"]

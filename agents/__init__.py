"""Players that know only the contract: a view and a mask go in, an action comes out."""

from agents.base import Agent
from agents.random_agent import RandomAgent
from agents.registry import Player, make, names

__all__ = ["Agent", "Player", "RandomAgent", "make", "names"]

"""Games that random agents have played, or begun to play."""

from shakespeare_agents import RandomAgent
from shakespeare_env import Position
from shakespeare_env.core import registry
from shakespeare_table.session import Session


def played_session(name, players=None, most=None, *, seed=4, names=None):
    """A session of the fewest seats that play against each other, of so many moves at most."""
    players = players or max(registry.seats(name)[0], 2)
    position = Position.new(name, players=players, seed=seed)
    session = Session(position, dict.fromkeys(range(players), RandomAgent()), seed, names=names)
    session.play_out(most=most)
    return session

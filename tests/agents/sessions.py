"""Sessions in which random agents play."""

from shakespeare_agents import RandomAgent
from shakespeare_env import Position
from shakespeare_env.core import registry
from shakespeare_table.session import Session


def played_session(name, players=None, most=None, *, seed=4, names=None):
    """Return a session of random agents after its end, or after `most` moves.

    By default it has the fewest seats with which the game has opponents.
    """
    players = players or max(registry.seats(name)[0], 2)
    position = Position.new(name, players=players, seed=seed)
    session = Session(position, dict.fromkeys(range(players), RandomAgent()), seed, names=names)
    session.play_out(max_moves=most)
    return session

"""Pairs of positions that a viewer cannot tell apart, and moves that keep it so."""

import random
import re
from typing import Any

from shakespeare_env import Position

_TRIES = 20
_IDENTIFIERS = re.compile(r"/(seat|watch|review/table)/[\w-]+")


def without_identifiers(text):
    """A text without the addresses of tables, which nobody can guess."""
    return _IDENTIFIERS.sub(r"/\1/", text)


def played(game, players, plies):
    """A position after some random moves, or the last one before the end."""
    rng = random.Random(plies)
    variants: dict[str, Any] = (
        {"strategic_rest": True} if game == "shakespeare" and players > 2 else {}
    )
    position = Position.new(game, players=players, seed=plies, **variants)
    for _ in range(plies):
        after = position.copy()
        after.push(rng.choice(after.moves()))
        if after.to_move is None:
            break
        position = after
    return position


def same(one, other, knows):
    """Whether a seat, or a spectator, cannot tell two positions apart."""
    if None in (one.to_move, other.to_move) or one.seen_by(knows) != other.seen_by(knows):
        return False
    return knows is None or (one.observation(knows) == other.observation(knows)).all()


def swapped(position, knows):
    """The same position, with other things hidden."""
    for seed in range(_TRIES):
        other = position
        for seat in range(position.players) if knows is None else [knows]:
            other = other.determinize(seat, seed)
        if other.to_dict() != position.to_dict():
            assert same(position, other, knows)
            return other
    return None


def moves_on(rng, pair, knows):
    """A move for either position after which the viewer knows no more; secret ones differ."""
    one, other = pair
    first = one.moves()
    rng.shuffle(first)
    for move in first:
        secret = one.to_move != knows and one.game.is_secret(one.to_dict(), move)
        second = [it for it in other.moves() if it != move] if secret else []
        rng.shuffle(second)
        for answer in [*second, *([move] if move in other.moves() else [])]:
            after = one.copy(), other.copy()
            after[0].push(move)
            after[1].push(answer)
            if same(*after, knows):
                return after, (move, answer)
    return None

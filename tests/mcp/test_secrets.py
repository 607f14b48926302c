"""Nothing that is sent depends on what the outside seat may not know."""

from __future__ import annotations

import json
import random

import pytest

from shakespeare_agents.mcp.table import Opponent, Start, Table
from shakespeare_agents.mcp.tables import RequestError, Tables
from shakespeare_env import Position
from tests.contract import knowledge
from tests.contract.each_table import full_tables
from tests.contract.random_games import sampled

MOST = 14
"""Positions looked at."""


class Lowest:
    """Plays the legal action of the lowest id, whatever it knows."""

    def act(self, observations, masks, rng):
        return masks.argmax(axis=1)


def tables_at(position, seat):
    """Tables with one game, at a position."""
    opponents = [Opponent("lowest", "", Lowest())] * (position.players - 1)
    tables = Tables()
    tables._tables[1] = Table(1, position, Start(0, 0, ()), seat, opponents)
    return tables


def sent(tables, topics):
    """Every byte that looking at the table sends."""
    answers = [tables.list_games(), tables.see_seat(1), tables.legal_moves(1)]
    answers += [tables.explain(1, name) for name in topics]
    told = [(answer.text, answer.facts) for answer in answers]
    for ask in (lambda: tables.play(1, "hop"), lambda: tables.explain(1, "hop")):
        with pytest.raises(RequestError) as fault:
            ask()
        told.append((str(fault.value), {}))
    return json.dumps(told).encode()


def seen(tables):
    """What the seat sees of the game so far: the same for games that it cannot tell apart."""
    table = tables._tables[1]
    return [position.seen_by(table.seat) for position in table.played.positions]


@full_tables
def test_swapping_what_is_hidden_changes_no_byte(table):
    hidden, rng = knowledge.of(table.game, "hidden"), random.Random(7)
    differed = followed = 0
    found = list(sampled(table, 1, 5))
    for position in found[:: len(found) // MOST + 1]:
        seat = position.to_move
        if seat is None:
            continue
        swapped = Position.of_record(
            position.game, hidden.change_in_record(position.record(), seat, rng)
        )
        differed += swapped != position
        true, other = tables_at(position, seat), tables_at(swapped, seat)
        topics = list(position.game.topics(position.seen_by(seat)))[:3]
        assert sent(true, topics) == sent(other, topics)
        move = position.moves()[-1]
        told = [tables.play(1, move) for tables in (true, other)]
        # Chance to come differs, and what others hold comes out as they play it.
        if seen(true) == seen(other) and not true._tables[1].is_over:
            followed += 1
            assert told[0] == told[1]
            assert sent(true, ()) == sent(other, ())
    assert differed > 3
    assert followed > 1
